-- Needs gpusort.engine = 'auto': sorts rows by text, too.
-- gpusort.enable_aggregates: array_agg(x ORDER BY y) of keys is computed by sorted_agg,
-- sorted_agg_by, top_n_agg and top_n_agg_by, and every result is as without.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA arrays;
SET search_path = arrays;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET work_mem = '4MB';

-- How many calls that aggregates of the plan compute are those of gpusort.
CREATE FUNCTION taken(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE line text; total int := 0; computed bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line !~ '^ *[A-Z][A-Za-z ]+: ' THEN
			computed := line ~ 'Aggregate';
		ELSIF computed THEN
			total := total + (SELECT count(*) FROM regexp_matches(line, '\mgpusort\.(sorted|top_n)_agg', 'g'));
		END IF;
	END LOOP;
	RETURN total;
END $$;

-- A key tells all rows apart, so that there is one order.
CREATE TABLE items AS SELECT i AS id, i % 5 AS g, i / 3 AS few, i * 7919 % 1009 AS u, nullif(i * 31 % 1013, 12) AS v, (i * 7919 % 101)::int2 AS int2, nullif(i * 7919 % 1009, 5) AS int4, i * 7919 % 1009 * 10000000000 AS int8,
	(i * 31 % 1013)::oid AS oid, date '2000-01-01' + i * 31 % 1013 AS date, timestamp '2000-01-01' + i * 31 % 1013 * interval '1 hour' AS timestamp,
	timestamptz '2000-01-01 00:00+00' + i * 31 % 1013 * interval '1 minute' AS timestamptz, time '00:00' + i * 31 % 1013 * interval '1 minute' AS time, (i * 31 % 1013)::money AS money,
	CASE i WHEN 7 THEN 'NaN' WHEN 8 THEN 'Infinity' WHEN 9 THEN '-Infinity' WHEN 10 THEN NULL ELSE i * 31 % 1013 / 7.0 - 50 END::float4 AS float4,
	CASE i WHEN 7 THEN 'NaN' WHEN 8 THEN 'Infinity' WHEN 9 THEN '-Infinity' WHEN 10 THEN NULL ELSE i * 31 % 1013 / 7.0 - 50 END::float8 AS float8, i % 3 > 0 AS bool, 't' || i AS t
FROM generate_series(1, 600) i;
ANALYZE items;
SET enable_hashagg = off;
SET jit = off;					-- of so many small queries compiling takes far longer than running
SELECT direction, count(*), sum(taken) AS taken, bool_and(same) AS same
FROM unnest('{int2,int4,int8,oid,date,timestamp,timestamptz,time,money,float4,float8,few}'::text[]) x, unnest('{u,v,int8,date,float8,x}'::text[]) y,
	unnest('{ASC,DESC,ASC NULLS FIRST,DESC NULLS LAST}'::text[]) direction, unnest('{"WHERE id < 0","WHERE id = 10","GROUP BY g"}'::text[]) groups,
	LATERAL pg_temp.compare_aggregates(format('SELECT array_agg(%s ORDER BY %s %s) FROM items %s', x, CASE y WHEN 'x' THEN x ELSE y END, direction, groups))
GROUP BY direction ORDER BY direction COLLATE "C";

-- The first elements.
SELECT subscript, count(*), sum(taken) AS taken, bool_and(same) AS same
FROM unnest('{[1],[3],[600],[1:3],[2:5],[:4],[2:],[5:2],[0],[-2:0],[:],"[NULL]","[cardinality(array_agg(id ORDER BY id)) - 1:2]","[max(id) - 598:3]","[2:max(id) - 595]"}'::text[]) subscript,
	unnest('{u,v,float8,date}'::text[]) y, unnest('{ASC,DESC,ASC NULLS FIRST,DESC NULLS LAST}'::text[]) direction, unnest('{"","WHERE id < 0","WHERE v IS NULL OR id = 1","GROUP BY g"}'::text[]) groups,
	LATERAL pg_temp.compare_aggregates(format('SELECT (array_agg(id ORDER BY %s %s))%s, (array_agg(int4 ORDER BY int4 %2$s))%3$s FROM items %s', y, direction, subscript, groups))
GROUP BY subscript ORDER BY subscript COLLATE "C";

RESET jit;
-- Wherever it may stand, and what stands beside it.
SELECT query, taken > 0 AS taken, same FROM (VALUES
	('SELECT g, array_agg(int4 ORDER BY u) FILTER (WHERE id % 3 = 0), count(*), array_agg(int2 ORDER BY v DESC) FROM items GROUP BY g'),
	('SELECT g FROM items GROUP BY g HAVING (array_agg(u ORDER BY v NULLS FIRST))[1] > 500 AND count(*) > 1'),
	('SELECT g, (array_agg(u ORDER BY v DESC))[1:3], (array_agg(u ORDER BY v DESC))[2] FROM items GROUP BY g ORDER BY array_agg(u ORDER BY v DESC)'),
	('SELECT (array_agg(u ORDER BY v DESC))[3], g, (array_agg(u ORDER BY v DESC))[1:2], (array_agg(u ORDER BY v DESC) FILTER (WHERE id % 2 = 0))[1] FROM items GROUP BY g'),
	('SELECT g, (array_agg(t ORDER BY u DESC))[1], (array_agg(bool ORDER BY u DESC))[1:2], (array_agg(id / 7.0 ORDER BY u DESC))[2], (array_agg(NULL::varchar(5) ORDER BY u))[1] FROM items GROUP BY g'),
	('SELECT (array_agg(id ORDER BY nullif(id, 500) DESC))[1:2], (array_agg(id ORDER BY nullif(id, 500)))[1:2], (array_agg(id ORDER BY nullif(id, 500) NULLS FIRST))[1], (array_agg(id ORDER BY nullif(id, 500) DESC NULLS LAST))[1:600] FROM items'),
	('SELECT (array_agg(u ORDER BY v))[(array_agg(id ORDER BY u))[1]:2] FROM items WHERE id > 0'),
	('SELECT (array_agg(u ORDER BY v))[g + 1] FROM items GROUP BY g'),
	('SELECT array_agg(u + 1 ORDER BY v * -2.5::float8), array_agg(id ORDER BY id / 1000, id), array_agg(DISTINCT id) FROM items'),
	('SELECT cardinality(array_agg(u ORDER BY u)), array_agg(g ORDER BY g), percentile_disc(0.5) WITHIN GROUP (ORDER BY u), count(DISTINCT t) FROM items GROUP BY few % 7'),
	('SELECT a FROM (SELECT array_agg(id ORDER BY u DESC) AS a FROM items) q WHERE cardinality(a) > 5'),
	('SELECT id, (SELECT array_agg(m.id ORDER BY m.v) FROM items m WHERE m.g = n.g AND m.id < n.id) FROM items n WHERE id < 30'),
	('SELECT array_agg(a ORDER BY a) FROM (SELECT (array_agg(u ORDER BY v))[2] AS a FROM items GROUP BY few % 9) q'),
	('SELECT array_agg(x ORDER BY x) FROM (SELECT g AS x FROM items WHERE id < 5 UNION ALL SELECT id FROM items) q'),
	('SELECT string_agg(t, '','' ORDER BY t COLLATE "C"), array_agg(id ORDER BY u) FROM items'),
	-- Of one order, so one Sort serves both.
	('SELECT g, array_agg(id ORDER BY u), array_agg(int4 ORDER BY u) FROM items GROUP BY g'),
	('SELECT string_agg(t, '','' ORDER BY u), array_agg(id ORDER BY u) FROM items'),
	-- These stay as they are.
	('SELECT g, array_agg(id ORDER BY u) FROM items GROUP BY ROLLUP (g)'),
	('SELECT array_agg(t ORDER BY id), array_agg(bool ORDER BY u), array_agg(ARRAY[id] ORDER BY v), array_agg(ROW(id) ORDER BY int4) FROM items'),
	('SELECT array_agg(id ORDER BY t COLLATE "C") FROM items'),
	('SELECT array_agg(id ORDER BY u, v) FROM items'),
	('SELECT array_agg(id) OVER (ORDER BY id) FROM items')) v(query), pg_temp.compare_aggregates(query);
-- The first elements beside arrays of the same order: where the server sorts below, from version 16 on, these need that.
SELECT same FROM pg_temp.compare_aggregates('SELECT (array_agg(t ORDER BY u))[1], array_agg(id ORDER BY u), array_agg(t ORDER BY u) FILTER (WHERE g = 1) FROM items');
CREATE DOMAIN small AS int4;
SELECT * FROM pg_temp.compare_aggregates('SELECT array_agg(id::small ORDER BY u), pg_typeof(array_agg(id::small ORDER BY v)) FROM items');
SELECT * FROM pg_temp.compare_aggregates('SELECT array_agg(id ORDER BY u::small) FROM items');
CREATE FUNCTION less(int4, int4) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 < $2 % 10';
CREATE FUNCTION equal(int4, int4) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 = $2 % 10';
CREATE FUNCTION compare_digits(int4, int4) RETURNS int4 LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 10 - $2 % 10';
CREATE OPERATOR <# (LEFTARG = int4, RIGHTARG = int4, FUNCTION = less);
CREATE OPERATOR =# (LEFTARG = int4, RIGHTARG = int4, FUNCTION = equal);
CREATE OPERATOR CLASS digits FOR TYPE int4 USING btree AS OPERATOR 1 <#, OPERATOR 3 =#, FUNCTION 1 compare_digits(int4, int4);
SELECT * FROM pg_temp.compare_aggregates('SELECT array_agg(id % 10 ORDER BY id % 10 USING <#) FROM items');
SELECT * FROM pg_temp.compare_aggregates('SELECT array_agg(id ORDER BY u USING >), array_agg(id ORDER BY v USING <) FROM items');
-- Rows that are equal in the order keep the order in which they come.
SELECT array_agg(id ORDER BY g DESC) = (SELECT array_agg(id) FROM (SELECT id FROM items ORDER BY g DESC, id OFFSET 0) q) AS stable FROM items;

-- What not everybody may call is left alone; a prepared statement outlives the extension.
BEGIN;
REVOKE EXECUTE ON FUNCTION gpusort.sorted_agg_by(anyelement, anycompatible) FROM PUBLIC;
SELECT * FROM pg_temp.compare_aggregates('SELECT array_agg(id ORDER BY u), array_agg(id ORDER BY v DESC) FROM items');
ROLLBACK;
PREPARE kept(int) AS SELECT array_agg(id ORDER BY u), array_agg(u ORDER BY u DESC) FROM items WHERE id < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE kept(10);
SELECT taken('EXECUTE kept(10)');
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION gpusort CASCADE;
EXECUTE kept(10);
SELECT taken('EXECUTE kept(10)');
ROLLBACK;
EXECUTE kept(10);
SELECT taken('EXECUTE kept(10)');

-- The costs decide: groups of few rows have their input sorted, and so have those that are not expected to fit work_mem.
RESET gpusort.force_nodes;
RESET plan_cache_mode;
CREATE TABLE many AS SELECT i AS id, i % 20000 AS twos, i % 1000 AS tens, i % 100 AS hundreds, i * 7919 % 100003 AS x, i / 2.0::float8 AS f FROM generate_series(1, 40000) i;
ANALYZE many;
SET gpusort.enable_sort = off;
CREATE FUNCTION computed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line ~ 'Output: .*gpusort\.' THEN RETURN substring(line, 'gpusort[^)]*\).*'); END IF;
	END LOOP;
END $$;
SELECT computed('SELECT (array_agg(x ORDER BY f))[1] FROM many GROUP BY tens'), computed('SELECT (array_agg(x ORDER BY f DESC))[2] FROM many GROUP BY hundreds');
CREATE FUNCTION taken_within(memory text, query text) RETURNS int LANGUAGE sql AS $$ SELECT set_config('work_mem', memory, true); SELECT taken(query) $$;
SELECT memory, query, taken_within(memory, query)
FROM unnest('{64kB,4MB}'::text[]) memory, unnest('{"SELECT array_agg(x ORDER BY f) FROM many","SELECT array_agg(x ORDER BY x) FROM many","SELECT array_agg(x ORDER BY f) FROM many GROUP BY tens","SELECT array_agg(x ORDER BY f) FROM many GROUP BY twos",
	"SELECT array_agg(x ORDER BY x) FROM many WHERE id < 100",
	"SELECT (array_agg(x ORDER BY f))[1] FROM many","SELECT (array_agg(x ORDER BY f))[1:2] FROM many GROUP BY tens"}'::text[]) query
ORDER BY memory COLLATE "C", query COLLATE "C";

SET client_min_messages = warning;
DROP SCHEMA arrays CASCADE;
