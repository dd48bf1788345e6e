-- How functions may be called: with numbers of any type of integer, with literals and parameters
-- without a type, and by the names of their arguments.
SET search_path = gpusort, public;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers

-- What the catalog says of all functions that users call.
CREATE TEMP VIEW functions AS
SELECT p.oid::regprocedure AS function, proname, prokind, proargnames, pronargs, provolatile, proparallel, proisstrict, string_to_array(proargtypes::text, ' ')::regtype[] AS types
FROM pg_proc p WHERE pronamespace = 'gpusort'::regnamespace;
SELECT function AS for_the_machine FROM functions WHERE 'internal'::regtype = ANY (types);
SELECT function AS without_names FROM functions WHERE pronargs > 0 AND proargnames IS NULL;
-- A number beside an array of its type has the elements' type.
SELECT function AS takes_int FROM functions WHERE types && '{integer,smallint}'::regtype[] AND NOT types && '{integer[],smallint[]}'::regtype[];
-- bucket returns no NULLs that it could place.
SELECT DISTINCT proname AS without_nulls_first FROM functions f
WHERE 'descending' = ANY (proargnames) AND NOT EXISTS (SELECT 1 FROM functions g WHERE g.proname = f.proname AND g.proargnames @> '{descending,nulls_first}');
SELECT function, provolatile, proparallel FROM functions
WHERE (provolatile, proparallel) <> ('i', 's') AND proname NOT IN ('arena', 'stats_reset', 'status');
SELECT function FROM functions WHERE prokind = 'f' AND NOT proisstrict AND proname <> 'unnest_sorted'
	AND NOT proargnames @> '{element}';	-- which gives a type by a NULL
SELECT p.oid::regprocedure AS in_internal FROM pg_proc p WHERE pronamespace = 'gpusort_internal'::regnamespace AND proname ~ '_rows$' ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Each call with a number of each kind, in a query, in a plan for a parameter without a
-- type, and in PL/pgSQL: the same.
CREATE TEMP TABLE calls (call text);
INSERT INTO calls VALUES ('array_top_n(a, %s)'), ('array_top_n(a, %s, false)'), ('array_top_n(a, %s, true, true)'), ('array_top_n(a, %s, with_ties => true)'), ('array_bottom_n(a, %s)'), ('array_bottom_n(a, %s, true)'),
	('array_top_n_by(a, a, %s)'), ('array_top_n_by(a, a, %s, false)'), ('array_top_n_by(a, a, %s, true, true)'), ('array_bottom_n_by(a, a, %s)'), ('array_bottom_n_by(a, a, %s, true)'),
	('array_sort_approx(a, %s)'), ('array_sort_approx(a, %s, true)'), ('array_sort_approx(a, %s, true, false)'),
	('(SELECT top_n_agg(x, %s) FROM unnest(a) x)'), ('(SELECT top_n_agg(x, %s, false) FROM unnest(a) x)'), ('(SELECT top_n_agg(x, %s, false, true) FROM unnest(a) x)'),
	('(SELECT approx_sorted_agg(x, %s) FROM unnest(a) x)'), ('(SELECT approx_sorted_agg(x, %s, true) FROM unnest(a) x)'),
	('(SELECT approx_sorted_agg(x, %s, true, false) FROM unnest(a) x)'),
	('(SELECT array_agg(b) FROM (SELECT bucket(x, %s) OVER () AS b FROM unnest(a) x) s)'), ('(SELECT array_agg(b) FROM (SELECT bucket(x, %s, true) OVER () AS b FROM unnest(a) x) s)');
CREATE FUNCTION pg_temp.called(call text, number text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.error_of(format('SELECT (%s)::text FROM (VALUES (''{5,NULL,-7,3,9}''::int4[])) v(a)', format(call, number)))
$$;
CREATE FUNCTION pg_temp.prepared(call text, type text, number text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('PREPARE call%s AS SELECT (%s)::text FROM (VALUES (''{5,NULL,-7,3,9}''::int4[])) v(a)', type, format(call, '$1'));
	EXECUTE format('EXECUTE call(%s)', number) INTO result;
	DEALLOCATE call;
	RETURN 'no error: ' || result;
END $$;
CREATE FUNCTION pg_temp.in_plpgsql(call text, type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('DROP FUNCTION IF EXISTS pg_temp.caller; CREATE FUNCTION pg_temp.caller(n %s, a int4[]) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RETURN %s; END $f$', type, format(call, 'n'));
	SELECT pg_temp.caller(2::int2, '{5,NULL,-7,3,9}') INTO result;
	RETURN 'no error: ' || result;
END $$;
SELECT call, pg_temp.called(call, '2') FROM calls;
SELECT call, number, pg_temp.called(call, number) FROM calls,
	unnest(ARRAY['2::int4', '2::int8', '2::int2', '''2''', '(SELECT count(*) FROM (VALUES (1), (2)) c)', 'length(''ab'')', '2::oid::int8']) number
WHERE pg_temp.called(call, number) IS DISTINCT FROM pg_temp.called(call, '2');
SELECT call, type, pg_temp.prepared(call, type, '2') FROM calls, unnest(ARRAY['', '(int2)', '(int4)', '(int8)', '(unknown)']) type
WHERE pg_temp.prepared(call, type, '2') IS DISTINCT FROM pg_temp.called(call, '2');
SELECT call, type FROM calls, unnest(ARRAY['int2', 'int4', 'int8']) type
WHERE pg_temp.in_plpgsql(call, type) IS DISTINCT FROM pg_temp.called(call, '2');
-- NULL without a type; numbers with a fraction, and text, are no numbers of elements.
SELECT DISTINCT pg_temp.called(call, 'NULL') COLLATE "C" AS called FROM calls ORDER BY 1;
SELECT call, number FROM calls, unnest(ARRAY['2.5', '2::numeric', '2::float8', '''2''::text']) number WHERE pg_temp.called(call, number) !~ '^42883';

-- Numbers that no integer holds: n is more than there are, buckets are too many.
SELECT call, number, pg_temp.called(call, number) FROM calls, unnest(ARRAY['2147483648', '9223372036854775807', '-2147483649', '-9223372036854775808']) number
WHERE call ~ '%s\)' ORDER BY call COLLATE "C", number COLLATE "C";

-- By name. The server takes no names in calls of aggregates.
SELECT array_sort("array" => '{2,NULL,1}'::int4[], nulls_first => true, descending => false), array_top_n(n => 1, "array" => '{2,NULL,1}'::int4[]),
	array_bottom_n("array" => '{2,NULL,1}'::int4[], n => 1, nulls_first => true), array_top_n_by(vals => '{a,b}'::text[], keys => '{1,2}'::int4[], n => 1, descending => false);
SELECT pg_temp.error_of('SELECT sorted_agg(x => i, descending => true) FROM generate_series(1, 3) i');
SELECT i, bucket(buckets => 2, x => i, descending => true) OVER () FROM generate_series(1, 3) i;

-- The arrays node takes all of them, with numbers of any type and options from parameters.
SET max_parallel_workers_per_gather = 0;	-- rows are compared in the order of the table
CREATE TABLE public.call_rows AS SELECT i, ARRAY(SELECT (i * k * 7919) % 1009 FROM generate_series(1, 9) k) AS a FROM generate_series(1, 500) i;
ANALYZE call_rows;
SELECT call, pg_temp.explain_lines(format('SELECT %s FROM call_rows', format(call, '2')), 'COSTS OFF', 'Batched') FROM calls WHERE call ~ '^array';
SELECT call, node.* FROM (SELECT format(call, number) AS call FROM calls, unnest(ARRAY['2', '2::bigint', '2::smallint', '(SELECT 2)', '(SELECT count(*) FROM call_rows WHERE i < 4)']) number
						  WHERE call ~ '^array') c,
	pg_temp.compare_node('arrays', format('SELECT %s FROM call_rows', call)) node WHERE (nodes, rows, same) IS DISTINCT FROM (1, 500::bigint, true);
SET plan_cache_mode = force_generic_plan;
PREPARE generic (int2, int4, int8) AS SELECT array_top_n(a, $1), array_bottom_n(a, $2), array_sort_approx(a, $3) FROM call_rows;
SELECT pg_temp.explain_lines('EXECUTE generic (3, 2, 4)', 'COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF', 'Batched|Segments');
EXECUTE generic (3, -2, 4);
RESET plan_cache_mode;

-- gpusort_replace holds only what has the name and the arguments of a built-in function of the newest server; tables do not land in it.
SELECT p.oid::regprocedure, prokind FROM pg_proc p WHERE pronamespace = 'gpusort_replace'::regnamespace ORDER BY p.oid::regprocedure::text COLLATE "C";
SELECT p.oid::regprocedure AS not_built_in FROM pg_proc p WHERE pronamespace = 'gpusort_replace'::regnamespace AND (proname <> 'array_sort' OR current_setting('server_version_num')::int >= 180000)
	AND NOT EXISTS (SELECT 1 FROM pg_proc b WHERE b.pronamespace = 'pg_catalog'::regnamespace AND (b.proname, b.proargtypes, b.prokind, b.prorettype) = (p.proname, p.proargtypes, p.prokind, p.prorettype));
SET search_path = public, gpusort_replace, pg_catalog;
CREATE TABLE landed AS SELECT array_sort('{2,NULL,1}'::int4[]) AS up, array_sort('{2,NULL,1}'::int4[], true) AS down, array_sort('{2,NULL,1}'::int4[], true, false) AS last;
SELECT oid::regclass, relnamespace::regnamespace FROM pg_class WHERE relname = 'landed';
TABLE landed;
SELECT pronamespace::regnamespace, pronargs FROM pg_proc WHERE oid IN ('array_sort(anyarray)'::regprocedure, 'percentile_disc(float8, anyelement)'::regprocedure, 'percentile_cont(float8[], interval)'::regprocedure);
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY x), percentile_disc('{0.5,1}'::float8[]) WITHIN GROUP (ORDER BY x DESC) FROM generate_series(1, 8) x;
SELECT pg_temp.explain_lines('SELECT array_sort(a) FROM call_rows', 'COSTS OFF', 'Batched');
DROP TABLE landed, call_rows;
