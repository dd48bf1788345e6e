-- gpusort.enable_aggregates: built-in aggregates of a query are computed by the extension's,
-- and every result and every error is as without.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA rewritten;
SET search_path = rewritten;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;

-- How many aggregates of a query are the extension's.
CREATE FUNCTION taken(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE line text; total int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line ~ '^ *(Output|Filter):' THEN
			total := total + (SELECT count(*) FROM regexp_matches(line, 'Filter:.*\mgpusort\.|(?<!\()\mgpusort\.', 'g'));
		END IF;
	END LOOP;
	RETURN total;
END $$;

CREATE TABLE numbers AS SELECT i AS id, i % 3 AS k, (i * 7919 % 101)::int2 AS int2, i * 7919 % 1009 AS int4, i * 7919 % 103 * 10000000000 AS int8,
	(i % 97)::oid AS oid, date '2000-01-01' + i * 31 % 77 AS date, timestamp '2000-01-01' + i * 31 % 77 * interval '1 hour' AS timestamp,
	timestamptz '2000-01-01 00:00+00' + i * 31 % 79 * interval '1 minute' AS timestamptz, time '00:00' + i * 31 % 79 * interval '1 minute' AS time,
	(i % 89)::numeric::money AS money, CASE i % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i * 31 % 83 / 7.0 END::float4 AS float4,
	CASE i % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i * 31 % 83 / 7.0 END::float8 AS float8,
	'n' || i % 7 AS text, i * interval '1 hour' AS interval, i / 3.0 AS numeric
FROM generate_series(1, 500) i;
CREATE TABLE sets (name text, condition text);
INSERT INTO sets VALUES ('all', 'true'), ('none', 'false'), ('one', 'id = 20'), ('two', 'id IN (20, 21)'), ('few', 'id < 40');
CREATE TABLE types AS SELECT unnest('{int2,int4,int8,oid,date,timestamp,timestamptz,time,money,float4,float8}'::text[]) AS type;
ANALYZE numbers;

-- Every aggregate, type and set, with and without NULLs: too many to compile.
SET jit = off;
SELECT call, sum(taken) AS taken, bool_and(same) AS same, count(*)
FROM (VALUES ('percentile_disc(%s) WITHIN GROUP (ORDER BY %s)'), ('percentile_disc(%s) WITHIN GROUP (ORDER BY %s DESC)'),
	('mode() WITHIN GROUP (ORDER BY %2$s)'), ('mode() WITHIN GROUP (ORDER BY %2$s DESC)'), ('count(DISTINCT %2$s)')) calls(call),
	types, sets, (VALUES ('0.3'), ('''{0.2,NULL,1}''::float8[]')) f(fraction), (VALUES ('%s'), ('nullif(%s, (SELECT min(%1$s) FROM numbers))')) n(value),
	pg_temp.compare_aggregates(format('SELECT %s FROM numbers WHERE %s', format(call, fraction, format(value, type)), condition))
WHERE call LIKE '%disc%' OR fraction = '0.3'
GROUP BY call ORDER BY call COLLATE "C";
SELECT sum(taken) AS taken, bool_and(same) AS same, count(*)
FROM unnest('{int2,int4,int8,float4,float8,numeric}'::text[]) type, sets,
	unnest('{0,0.3,0.5,1,NULL,"''{0.2,NULL,1}''::float8[]","''{}''::float8[]","''{{0.1},{0.9}}''::float8[]"}'::text[]) fraction, unnest('{ASC,DESC}'::text[]) direction,
	pg_temp.compare_aggregates(format('SELECT percentile_cont(%s) WITHIN GROUP (ORDER BY %s::float8 %s) FROM numbers WHERE %s', fraction, type, direction, condition))
WHERE fraction IS NOT NULL;

-- Errors: fractions that are none, with and without rows.
SELECT sum(taken) AS taken, bool_and(same) AS same, count(*), count(*) FILTER (WHERE pg_temp.outcome(query) LIKE '22%') AS errors
FROM (SELECT format('SELECT percentile_%s(%s) WITHIN GROUP (ORDER BY float8) FROM numbers WHERE %s', kind, fraction, condition) AS query
	FROM unnest('{cont,disc}'::text[]) kind, sets, unnest('{-0.1,1.5,''NaN'',NULL::float8,NULL::float8[],"''{0.5,2}''::float8[]"}'::text[]) fraction) q, pg_temp.compare_aggregates(query);
RESET jit;

-- Wherever an aggregate may stand.
SELECT query, taken > 0 AS taken, same FROM (VALUES
	('SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY float8) FROM numbers GROUP BY k'),
	('SELECT k, count(DISTINCT int4), count(DISTINCT int2), count(int2), sum(int2) FROM numbers GROUP BY k'),
	('SELECT k, count(DISTINCT int4) FILTER (WHERE id > 100) FROM numbers GROUP BY k'),
	('SELECT count(DISTINCT int4 ORDER BY int4 DESC) FROM numbers'),
	('SELECT k FROM numbers GROUP BY k HAVING count(DISTINCT int4) > 166'),
	('SELECT k, count(DISTINCT int4) + 1 FROM numbers GROUP BY k HAVING count(DISTINCT int4) > 3 ORDER BY count(DISTINCT int4) DESC, k'),
	('SELECT k, int2 % 2, count(DISTINCT int4) FROM numbers GROUP BY GROUPING SETS ((k), (int2 % 2), ())'),
	('SELECT k, count(DISTINCT int4) FROM numbers GROUP BY ROLLUP (k)'),
	('SELECT * FROM (SELECT count(DISTINCT int4) AS n FROM numbers) q WHERE n > 5'),
	('WITH q AS MATERIALIZED (SELECT k, mode() WITHIN GROUP (ORDER BY int2) FROM numbers GROUP BY k) SELECT * FROM q UNION ALL SELECT k, count(DISTINCT int8) FROM numbers GROUP BY k'),
	('SELECT id FROM numbers WHERE int4 > (SELECT percentile_cont(0.99) WITHIN GROUP (ORDER BY int4) FROM numbers)'),
	('SELECT id, (SELECT count(DISTINCT m.int2) FROM numbers m WHERE m.k = n.k AND m.id < n.id) FROM numbers n WHERE id < 5'),
	('SELECT k, (SELECT max(m.int2) + count(DISTINCT n.int4) FROM numbers m WHERE m.k = n.k) FROM numbers n GROUP BY k'),
	('SELECT n.k, l.* FROM (SELECT DISTINCT k FROM numbers) n, LATERAL (SELECT percentile_disc(n.k / 3.0) WITHIN GROUP (ORDER BY int4) FROM numbers m WHERE m.k = n.k) l'),
	('SELECT percentile_disc(k / 4.0) WITHIN GROUP (ORDER BY int4) FROM numbers GROUP BY k'),
	('SELECT k, sum(count(DISTINCT int4)) OVER (ORDER BY k) FROM numbers GROUP BY k'),
	('SELECT count(*) OVER (), mode() WITHIN GROUP (ORDER BY int4) FROM numbers'),
	('SELECT DISTINCT count(DISTINCT int4) FROM numbers GROUP BY k'),
	('SELECT count(DISTINCT count) FROM (SELECT count(DISTINCT int4)::int4 FROM numbers GROUP BY k) q'),
	('SELECT mode() WITHIN GROUP (ORDER BY q.c) FROM (SELECT count(DISTINCT int4) AS c FROM numbers GROUP BY k OFFSET 0) q'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT count(DISTINCT int4) FROM numbers m WHERE m.id < n.id)) FROM numbers n WHERE id < 10'),
	-- These stay as they are.
	('SELECT count(DISTINCT interval), mode() WITHIN GROUP (ORDER BY text) FROM numbers'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY interval) FROM numbers'),
	('SELECT count(DISTINCT (k, int4)), sum(DISTINCT int4), count(int4), count(*) FROM numbers'),
	('SELECT rank(5) WITHIN GROUP (ORDER BY int4), percent_rank(5) WITHIN GROUP (ORDER BY int4) FROM numbers'),
	('SELECT count(int4) OVER (ORDER BY id), array_agg(int4) OVER (PARTITION BY k) FROM numbers')) v(query), pg_temp.compare_aggregates(query);
CREATE DOMAIN small AS int4;
SELECT * FROM pg_temp.compare_aggregates('SELECT mode() WITHIN GROUP (ORDER BY k::small), count(DISTINCT k::small) FROM numbers');
CREATE FUNCTION less(int4, int4) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 < $2 % 10';
CREATE FUNCTION equal(int4, int4) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 = $2 % 10';
CREATE FUNCTION compare_digits(int4, int4) RETURNS int4 LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 - $2 % 10';
CREATE OPERATOR <# (LEFTARG = int4, RIGHTARG = int4, FUNCTION = less);
CREATE OPERATOR =# (LEFTARG = int4, RIGHTARG = int4, FUNCTION = equal);
CREATE OPERATOR CLASS digits FOR TYPE int4 USING btree AS OPERATOR 1 <#, OPERATOR 3 =#, FUNCTION 1 compare_digits(int4, int4);
SELECT * FROM pg_temp.compare_aggregates('SELECT mode() WITHIN GROUP (ORDER BY k * 10 USING <#), count(DISTINCT int4) FROM numbers');
SELECT * FROM pg_temp.compare_aggregates('SELECT mode() WITHIN GROUP (ORDER BY int4 USING >), percentile_disc(0.1) WITHIN GROUP (ORDER BY int4 USING <) FROM numbers');

-- Random queries.
SELECT setseed(0.4711);
SELECT count(*), sum(taken) > 150 AS many_taken, bool_and(same) AS same
FROM (SELECT format('SELECT %s FROM numbers WHERE id %% %s <> 0 AND id < %s %s', string_agg(
		CASE (random() * 4)::int WHEN 0 THEN format('count(DISTINCT %s)', type) WHEN 1 THEN format('mode() WITHIN GROUP (ORDER BY %s)', type)
			WHEN 2 THEN format('percentile_disc(%s) WITHIN GROUP (ORDER BY %s)', round(random()::numeric, 2), type)
			WHEN 3 THEN format('max(%s) FILTER (WHERE k > 0)', type) ELSE format('count(DISTINCT %s) FILTER (WHERE id %% 5 > 1)', type) END
		|| ' AS c' || type, ', '), 1 + (random() * 5)::int, (random() * 600)::int,
		CASE WHEN random() < 0.6 THEN 'GROUP BY id % ' || 1 + (random() * 40)::int ELSE '' END) AS query
	FROM (SELECT q, type FROM generate_series(1, 100) q, unnest('{oid,date,timestamp,time,money}'::text[]) type WHERE random() < 0.6 OR type = 'date' ORDER BY random()) t
	GROUP BY q) r, pg_temp.compare_aggregates(query);

-- Views are stored as they were written; security barriers and row security hold.
SET gpusort.enable_aggregates = on;
CREATE VIEW summary AS SELECT k, count(DISTINCT int4) AS n, percentile_cont(0.5) WITHIN GROUP (ORDER BY float8) AS median FROM numbers GROUP BY k;
CREATE VIEW barrier WITH (security_barrier) AS SELECT k, count(DISTINCT int4) AS n FROM numbers WHERE id < 100 GROUP BY k;
CREATE MATERIALIZED VIEW stored AS SELECT count(DISTINCT int4) AS n FROM numbers;
SELECT pg_get_viewdef('summary') ~ 'gpusort' AS summary, pg_get_viewdef('barrier') ~ 'gpusort' AS barrier, pg_get_viewdef('stored') ~ 'gpusort' AS stored, n FROM stored;
SELECT * FROM pg_temp.compare_aggregates('SELECT * FROM summary');
SELECT * FROM pg_temp.compare_aggregates('SELECT * FROM barrier WHERE n > 2');
CREATE TABLE made AS SELECT count(DISTINCT int4) AS n, mode() WITHIN GROUP (ORDER BY int2) FROM numbers;
SELECT * FROM made;
CREATE FUNCTION median_of(int) RETURNS float8 LANGUAGE sql STABLE AS 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY float8) FROM rewritten.numbers WHERE k = $1 AND float8 < 100';
SELECT median_of(1), median_of(2);
CREATE ROLE regress_gpusort_reader;
GRANT USAGE ON SCHEMA rewritten TO regress_gpusort_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA rewritten TO regress_gpusort_reader;
ALTER TABLE numbers ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON numbers USING (id < (SELECT count(DISTINCT oid) * 5 FROM pg_catalog.pg_type WHERE oid IN (16, 17, 18, 19)));
SET ROLE regress_gpusort_reader;
SELECT * FROM pg_temp.compare_aggregates('SELECT count(DISTINCT int4), percentile_disc(0.9) WITHIN GROUP (ORDER BY id) FROM numbers');
SELECT count(DISTINCT int4), percentile_disc(0.9) WITHIN GROUP (ORDER BY id) FROM numbers;
RESET ROLE;

-- What not everybody may call is left alone.
BEGIN;
REVOKE EXECUTE ON FUNCTION gpusort.count_distinct(anyelement) FROM PUBLIC;
SELECT * FROM pg_temp.compare_aggregates('SELECT count(DISTINCT int4), mode() WITHIN GROUP (ORDER BY int2) FROM numbers');
REVOKE USAGE ON SCHEMA gpusort FROM PUBLIC;
SELECT * FROM pg_temp.compare_aggregates('SELECT count(DISTINCT int4), mode() WITHIN GROUP (ORDER BY int2) FROM numbers');
ROLLBACK;
PREPARE counted AS SELECT count(DISTINCT int4) FROM numbers;
EXECUTE counted;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.count("any"), pg_catalog.mode(anyelement) FROM PUBLIC;
SELECT taken('EXECUTE counted'), taken('SELECT mode() WITHIN GROUP (ORDER BY int2) FROM numbers');
SET ROLE regress_gpusort_reader;
EXECUTE counted;
ROLLBACK;
DEALLOCATE counted;

-- A prepared statement outlives the extension, and uses it again when it is back.
PREPARE kept AS SELECT count(DISTINCT int4), mode() WITHIN GROUP (ORDER BY int2) FROM numbers;
SET plan_cache_mode = force_generic_plan;
EXECUTE kept;
SELECT taken('EXECUTE kept');
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION gpusort CASCADE;
EXECUTE kept;
SELECT taken('EXECUTE kept');
SELECT count(DISTINCT int4), mode() WITHIN GROUP (ORDER BY int2) FROM numbers;
ROLLBACK;
EXECUTE kept;
SELECT taken('EXECUTE kept');
-- A schema of the extension's name is not the extension.
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION gpusort CASCADE;
CREATE SCHEMA IF NOT EXISTS gpusort;
GRANT USAGE ON SCHEMA gpusort TO PUBLIC;
CREATE AGGREGATE gpusort.count_distinct(anyelement) (SFUNC = int8inc_any, STYPE = int8, INITCOND = 7);
SELECT taken('SELECT count(DISTINCT int4) FROM numbers');
ROLLBACK;

-- A plan that the costs decide: many rows, and few groups, in the memory that there is.
RESET gpusort.force_nodes;
RESET plan_cache_mode;
SET work_mem = '4MB';
SET hash_mem_multiplier = 2;
CREATE TABLE many AS SELECT i AS id, i % 1000 AS k, i % 20000 AS k1, i * 7919 % 100003 AS x, 't' || i AS t FROM generate_series(1, 40000) i;
ANALYZE many;
SET gpusort.explain_choices = on;
SET gpusort.enable_sort = off;
SET enable_hashagg = off;
-- Since PostgreSQL 16 an aggregate that is kept may have a Sort below.
DO $$ BEGIN PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name = 'enable_presorted_aggregate'; END $$;
CREATE PROCEDURE plan(query text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'EXPLAIN ' || query; END $$;
CALL plan('SELECT count(DISTINCT x), count(DISTINCT t), count(DISTINCT x::numeric), count(DISTINCT x * interval ''1 s''), mode() WITHIN GROUP (ORDER BY x) FROM many');
CALL plan('SELECT count(DISTINCT x) FROM many WHERE id < 100');
CALL plan('SELECT k, count(DISTINCT x) FROM many GROUP BY k');
CALL plan('SELECT k, mode() WITHIN GROUP (ORDER BY x) FROM many GROUP BY k');
CALL plan('SELECT k1, mode() WITHIN GROUP (ORDER BY x) FROM many GROUP BY k1');
CALL plan('SELECT k, mode() WITHIN GROUP (ORDER BY x) FROM many GROUP BY ROLLUP (k)');
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CALL plan('SELECT count(DISTINCT x) FROM many');
SET work_mem = '4MB';
SET gpusort.method = network;
CALL plan('SELECT count(DISTINCT x) FROM many');
RESET gpusort.method;
SET gpusort.enable_aggregates = off;
CALL plan('SELECT count(DISTINCT x) FROM many');
SET client_min_messages = warning;
DROP OWNED BY regress_gpusort_reader;
DROP ROLE regress_gpusort_reader;
DROP SCHEMA rewritten CASCADE;
