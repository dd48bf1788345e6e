-- Needs gpusort.engine = 'auto': sorts rows by text and numeric.
-- gpusort.enable_aggregates: the input of aggregates with ORDER BY is sorted below them, and
-- every result is as without.
CREATE SCHEMA ordered;
SET search_path = ordered;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET compute_query_id = off;
-- From version 16 on PostgreSQL does so itself, where this allows it.
DO $$ BEGIN PERFORM set_config(name, 'off', false) FROM pg_settings WHERE name = 'enable_presorted_aggregate'; END $$;

CREATE TABLE items AS SELECT i AS id, i % 5 AS g, nullif(i * 7919 % 101, 7) AS x, nullif(i * 31 % 47, 3) AS y, 't' || i * 7919 % 1009 AS t, (i % 13)::float8 AS f,
	(i * 31 % 61 || 'v')::varchar(10) AS v, numeric '0.5' * (i * 7919 % 211) AS n
FROM generate_series(1, 600) i;
CREATE INDEX by_group ON items (g, id);
CREATE INDEX by_group_down ON items (g DESC NULLS LAST, x);
ANALYZE items;

CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(q::text, chr(10)) FROM (%s) q', query) INTO result;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- True if no aggregate of the plan has an order of its own.
CREATE FUNCTION presorted(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE line text; sorts bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line ~ 'Output:.*agg\(.* ORDER BY' THEN RETURN false; END IF;
		sorts := sorts OR line ~ 'GpusortRows|Sort Key';
	END LOOP;
	RETURN sorts;
END $$;
CREATE FUNCTION compare(query text, OUT presorted bool, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE without text;
BEGIN
	PERFORM set_config('gpusort.enable_aggregates', 'off', true);
	without := outcome(query);
	PERFORM set_config('gpusort.enable_aggregates', 'on', true);
	presorted := presorted(query);
	same := outcome(query) = without;
	IF NOT same THEN RAISE WARNING E'%\n% instead of %', query, outcome(query), without; END IF;
END $$;

-- The last key tells all rows apart, so that there is one order.
SET enable_hashagg = off;
SET enable_incremental_sort = off;
CREATE FUNCTION compare_both_ways(query text, OUT presorted int, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE by_index record; by_sort record;
BEGIN
	PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_sort', 'off', true);
	SELECT * FROM compare(query) INTO by_index;
	PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_sort', 'on', true);
	SELECT * FROM compare(query) INTO by_sort;
	presorted := by_index.presorted::int + by_sort.presorted::int;
	same := by_index.same AND by_sort.same;
END $$;
SELECT count(*), sum(presorted) AS presorted, bool_and(same) AS same
FROM unnest('{array_agg(x,"string_agg(t, '','' ","json_agg(n","array_agg(v","string_agg(v, t ","jsonb_agg(x","array_agg(ROW(x, t)"}'::text[]) call,
	unnest('{"x, id","x DESC, id","y NULLS FIRST, x DESC NULLS LAST, id DESC","t COLLATE \"C\", id","v COLLATE \"C\", id","n, id","f DESC, g, id","id"}'::text[]) keys,
	unnest('{"","GROUP BY g ORDER BY g","GROUP BY g HAVING count(*) > 100 ORDER BY g DESC NULLS LAST","GROUP BY g, f ORDER BY g, f"}'::text[]) groups,
	LATERAL compare_both_ways(format('SELECT %s ORDER BY %s)::text, count(*), sum(x) FROM items %s', call, keys, groups)) c;

-- What stands beside and above.
SELECT query, presorted, same FROM (VALUES
	('SELECT g, array_agg(x ORDER BY id), string_agg(t, '','' ORDER BY id), array_agg(y ORDER BY id) FILTER (WHERE x > 50) FROM items GROUP BY g ORDER BY g'),
	('SELECT g, (array_agg(t ORDER BY n DESC, id))[1] FROM items GROUP BY g ORDER BY g DESC'),
	('SELECT array_agg(t ORDER BY id) FROM items WHERE false'),
	('SELECT array_agg(t ORDER BY id), avg(x), sum(n), count(DISTINCT x), percentile_disc(0.5) WITHIN GROUP (ORDER BY y) FROM items'),
	('SELECT h, s FROM (SELECT g AS h, string_agg(v, '' '' ORDER BY t COLLATE "C", id) AS s FROM items GROUP BY g) q WHERE h > 1 ORDER BY h'),
	('SELECT i.g, (SELECT array_agg(k.x ORDER BY k.id DESC) FROM items k WHERE k.g = i.g AND k.id < i.id) FROM items i WHERE i.id < 20 ORDER BY i.id'),
	('SELECT l.* FROM generate_series(0, 4) s, LATERAL (SELECT array_agg(x ORDER BY id) AS a FROM items WHERE g = s) l ORDER BY s'),
	-- These keep an order of their own.
	('SELECT array_agg(x ORDER BY id), array_agg(x ORDER BY id DESC) FROM items'),
	('SELECT array_agg(DISTINCT x ORDER BY x) FROM items'),
	('SELECT array_agg(x ORDER BY lower(t), id) FROM items'),
	('SELECT array_agg(x + 0 * random()::int ORDER BY id) FROM items'),
	('SELECT array_agg(x ORDER BY id DESC), array_agg(y) FROM items'),
	('SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY GROUPING SETS ((g), ()) ORDER BY g')) v(query), compare(query);
-- What is computed beside them keeps the order of its rows, unless it gives the same for any.
CREATE TABLE signs AS SELECT i AS id, i % 3 AS g, (ARRAY[1e20, 1, -1e20, 0.1])[i % 4 + 1]::float8 AS f, (i * 7919 % 601)::numeric(9, 2) AS n, i * 7919 % 601 AS k,
	(ARRAY['90000 years', '-90000 years', '1 mon', '30 days'])[i % 4 + 1]::interval AS v, (ARRAY['0', '-0'])[i % 2 + 1]::float4 AS z
FROM generate_series(1, 600) i;
ANALYZE signs;
CREATE AGGREGATE last_of(int4) (SFUNC = int4larger, STYPE = int4);
SELECT groups, count(*), sum(presorted::int) AS presorted, bool_and(same) AS same
FROM unnest('{sum(f),avg(f),stddev(f),var_pop(f),"corr(f, id)","regr_slope(f, id)",sum(z),sum(v),avg(v),min(z),max(z),min(v),max(n),sum(k::text::money),last_of(k),count(random())}'::text[]) beside,
	unnest('{"","GROUP BY g ORDER BY g"}'::text[]) groups, LATERAL compare(format('SELECT %s, md5(string_agg(id::text, '','' ORDER BY f, id)) FROM signs %s', beside, groups)) GROUP BY groups ORDER BY groups;
SELECT groups, count(*), sum(presorted::int) AS presorted, bool_and(same) AS same
FROM unnest('{count(*),count(f),sum(k),sum(n),avg(n),stddev(n),variance(k),min(k),max(id),bool_or(k > 3),bit_xor(k),"regr_count(f, id)",sum(DISTINCT f),mode() WITHIN GROUP (ORDER BY k)}'::text[]) beside,
	unnest('{"","GROUP BY g ORDER BY g"}'::text[]) groups, LATERAL compare(format('SELECT %s, md5(string_agg(id::text, '','' ORDER BY f, id)) FROM signs %s', beside, groups)) GROUP BY groups ORDER BY groups;
-- What is computed of volatile functions keeps the order of its rows, also where it sorts them itself.
CREATE SEQUENCE counter;
SELECT (array_agg(nextval('counter') ORDER BY id))[1:5], left(string_agg(t, ',' ORDER BY x, id), 10) FROM items;
-- So does what stands beside an aggregate that the extension's replaces, though PostgreSQL 16 and later sort its input.
SELECT groups, count(*), bool_and(same) AS same FROM unnest('{sum(f),avg(f),stddev(f),var_pop(f),"corr(f, id)",sum(v),min(z),max(z)}'::text[]) beside,
	unnest('{"","GROUP BY g ORDER BY g"}'::text[]) groups, LATERAL compare(format('SELECT %s, count(DISTINCT k) FROM signs %s', beside, groups)) GROUP BY groups ORDER BY groups;
-- Rows that are not all wanted are not all sorted.
SET enable_sort = off;
SELECT * FROM compare('SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY g LIMIT 1');
-- The order of the index is kept for what is above.
SELECT * FROM compare('SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY g ORDER BY g');
SELECT * FROM compare('SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY g ORDER BY g DESC NULLS LAST');
EXPLAIN (VERBOSE, COSTS OFF) SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY g ORDER BY g;
EXPLAIN (VERBOSE, COSTS OFF) SELECT g, array_agg(x ORDER BY y, id) FROM items GROUP BY g ORDER BY g DESC NULLS LAST;
-- It is read only where it finds rows, or these are evaluated in its order.
CREATE INDEX by_x ON items (x) WHERE y > 40;
EXPLAIN (COSTS OFF) SELECT x, array_agg(v ORDER BY y, id) FROM items WHERE y > 40 GROUP BY x;
EXPLAIN (COSTS OFF) SELECT g, array_agg(x ORDER BY y, id) FROM items WHERE x > 20 GROUP BY g;
EXPLAIN (COSTS OFF) SELECT g, array_agg(x ORDER BY y, id) FROM items WHERE x > random() GROUP BY g;
SELECT count(*), sum(presorted::int) AS presorted, bool_and(same) AS same FROM unnest('{y > 40,x > 20,x > 0 * random(),g = 1 OR g = 2,x IS NULL AND y < 9}'::text[]) condition,
	unnest('{g,x}'::text[]) key, LATERAL compare(format('SELECT %s, count(*), string_agg(t, '','' ORDER BY y, id) FROM items WHERE %s GROUP BY %1$s ORDER BY 1', key, condition)) c;
DROP INDEX by_x;
-- Nor where it finds rows in the table's order, as it skips pages of deleted ones.
CREATE TABLE in_order AS SELECT i / 10 AS g, i % 7 AS y, i AS x, repeat('x', 1000) AS pad FROM generate_series(1, 600) i;
CREATE INDEX ON in_order (g);
ANALYZE in_order;
EXPLAIN (COSTS OFF) SELECT g, array_agg(x ORDER BY y, x) FROM in_order GROUP BY g;
DROP TABLE in_order;
RESET enable_sort;

-- Arrays of sorted rows: of any type, with NULLs, of long values; beside an aggregate that shares the state.
CREATE DOMAIN small AS int4 CHECK (VALUE < 1000);
CREATE AGGREGATE list_of(anynonarray) (SFUNC = array_agg_transfn, STYPE = internal, FINALFUNC = array_agg_finalfn, FINALFUNC_EXTRA);
CREATE TABLE long (id int, g int, t text);
ALTER TABLE long ALTER t SET STORAGE EXTERNAL;
INSERT INTO long SELECT i, i % 3, nullif(repeat(md5(i::text), i * 10), '') FROM generate_series(0, 20) i;
ANALYZE long;
SELECT query, presorted, same FROM (VALUES
	('SELECT g, array_agg(x::small ORDER BY y, id), array_agg(x > 50 ORDER BY y, id), array_agg(t::"char" ORDER BY y, id), array_agg(to_json(x) ORDER BY y, id), array_agg(NULL::cstring ORDER BY y, id) FROM items GROUP BY g ORDER BY g'),
	('SELECT pg_typeof(array_agg(x::small ORDER BY y, id)), pg_typeof(array_agg(NULL::varchar(3) ORDER BY y, id)), pg_typeof(array_agg(items ORDER BY y, id)) FROM items'),
	('SELECT array_agg(t ORDER BY id DESC), array_agg(long ORDER BY id DESC) FROM long'),
	('SELECT g, array_agg(t ORDER BY id DESC), array_agg(id ORDER BY id DESC) FILTER (WHERE t IS NULL) FROM long GROUP BY g ORDER BY g'),
	('SELECT list_of(x ORDER BY y, id), array_agg(x ORDER BY y, id), array_agg(t ORDER BY y, id) FROM items')) v(query), compare(query);
EXPLAIN (VERBOSE, COSTS OFF) SELECT array_agg(t ORDER BY id DESC) FROM long;

-- Views, row security, prepared statements and cursors.
CREATE VIEW lists AS SELECT g, array_agg(x ORDER BY y, id) AS a FROM items GROUP BY g;
SELECT pg_get_viewdef('lists') ~ 'ORDER BY' AS as_written;
SELECT * FROM compare('SELECT * FROM lists WHERE g < 3 ORDER BY g');
PREPARE list AS SELECT md5(array_agg(x ORDER BY y, id)::text) FROM items WHERE g = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE list(1);
SET gpusort.enable_aggregates = off;
SELECT md5(array_agg(x ORDER BY y, id)::text) FROM items WHERE g = 1;
RESET gpusort.enable_aggregates;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT g, (array_agg(x ORDER BY y, id))[1:3] FROM items GROUP BY g ORDER BY g;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
ROLLBACK;

-- Costs decide, and it is told why.
RESET gpusort.force_nodes;
SET work_mem = '4MB';
SET jit = off;
SET gpusort.explain_choices = on;
CREATE PROCEDURE plan(query text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'EXPLAIN ' || query; END $$;
CALL plan('SELECT array_agg(x ORDER BY id) FROM items');
CREATE TABLE many AS SELECT i AS id, i % 5000 AS k, i * 7919 % 100003 AS x FROM generate_series(1, 60000) i;
ANALYZE many;
CALL plan('SELECT array_agg(x ORDER BY x, id) FROM many');
CALL plan('SELECT k, array_agg(id::text ORDER BY x) FROM many GROUP BY k');
CALL plan('SELECT array_agg(x::text ORDER BY x + 1) FROM many');
CALL plan('SELECT array_agg(id), array_agg(id::text ORDER BY x) FROM many');
CALL plan('SELECT sum(x::float8), array_agg(id::text ORDER BY x) FROM many');
-- No more rows are sorted than a FILTER passes.
CALL plan('SELECT string_agg(id::text, '','' ORDER BY x) FILTER (WHERE id < 10), count(*) FROM many');
CALL plan('SELECT string_agg(id::text, '','' ORDER BY id) FILTER (WHERE id < 10), string_agg(id::text, '','' ORDER BY x) FROM many');
CALL plan('SELECT string_agg(id::text, '','' ORDER BY x) FILTER (WHERE id < 10), string_agg(id::text, '','' ORDER BY x) FROM many');
SET gpusort.enable_sort = off;
CALL plan('SELECT array_agg(x ORDER BY x, id) FROM many');
RESET gpusort.enable_sort;

RESET gpusort.explain_choices;
-- Where PostgreSQL has sorted the input for one of the aggregates, another one's order must not come above it.
DO $$ BEGIN PERFORM set_config(name, 'on', false) FROM pg_settings WHERE name = 'enable_presorted_aggregate'; END $$;
SET gpusort.force_nodes = on;
SELECT query, same FROM (VALUES
	('SELECT sum(DISTINCT x), array_agg(y ORDER BY n, id) FROM items'),
	('SELECT count(DISTINCT t), string_agg(t, '','' ORDER BY n, id) FROM items'),
	('SELECT g, sum(DISTINCT y), array_agg(x ORDER BY n, id) FROM items GROUP BY g ORDER BY g'),
	('SELECT g, count(DISTINCT x), array_agg(y ORDER BY n, id) FROM items GROUP BY g ORDER BY g DESC NULLS LAST'),
	('SELECT array_agg(DISTINCT x), string_agg(t, '','' ORDER BY n, id), sum(DISTINCT y) FROM items'),
	('SELECT g, array_agg(t ORDER BY n, id), string_agg(t, '','' ORDER BY n, id) FROM items GROUP BY g ORDER BY g'),
	('SELECT list_of(t ORDER BY n, id), array_agg(t ORDER BY n, id), array_agg(v ORDER BY n, id) FROM items'),
	-- The Sort below may be a subquery's, and have its parameters.
	('SELECT count(DISTINCT id) FROM (SELECT id FROM items WHERE x < (SELECT max(x) FROM items) ORDER BY id) q'),
	('SELECT count(DISTINCT id) FROM (SELECT id FROM items WHERE t < (SELECT max(t) FROM items) ORDER BY id) q'),
	('SELECT o, (SELECT count(DISTINCT id) FROM (SELECT id FROM items WHERE x < (SELECT max(y) FROM items i WHERE i.g = o) ORDER BY id) q) FROM generate_series(0, 4) o')) v(query), compare(query);

-- A key that follows one of the same column in another collation orders what that leaves tied.
CREATE TABLE padded AS SELECT i AS id, i % 10 AS g, CASE WHEN i <= 300 THEN 'a ' ELSE 'a' END AS t FROM generate_series(1, 600) i;
ANALYZE padded;
SELECT query, same FROM (VALUES
	('SELECT g, array_agg(t ORDER BY t::bpchar COLLATE "C", t COLLATE "C") FROM padded GROUP BY g ORDER BY g'),
	('SELECT array_agg(t ORDER BY t::bpchar COLLATE "C" DESC, t COLLATE "C" DESC) FROM padded'),
	('SELECT g, array_agg(id ORDER BY g DESC, id) FROM padded GROUP BY g ORDER BY g')) v(query), compare(query);

-- Subqueries in arguments are evaluated for the rows in their order.
CREATE SEQUENCE numbers;
SELECT query, same FROM (VALUES
	('SELECT array_agg((SELECT nextval(''numbers'') + 0 * id) ORDER BY x, id) FROM items, (SELECT setval(''numbers'', 1) OFFSET 0) s'),
	('SELECT array_agg(x ORDER BY y, id), sum((SELECT nextval(''numbers'') * y + 0 * id)) FROM items, (SELECT setval(''numbers'', 1) OFFSET 0) s')) v(query), compare(query);

-- Errors are those of the calls as they are written.
SELECT outcome('SELECT gpusort.sorted_agg(x ORDER BY y) FROM items');
SET work_mem = '64kB';
SELECT outcome('SELECT gpusort.mode_agg(to_json(i)) FROM generate_series(1, 20000) i');
RESET work_mem;
SET client_min_messages = warning;
DROP SCHEMA ordered CASCADE;
