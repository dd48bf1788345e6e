-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- The sorted aggregates against array_agg with ORDER BY, over random values of every
-- kind of type: in groups, over window frames, in parallel. A row of the result is a failure.
SET search_path = gpusort, pg_catalog, public;
\set seed 0.20251122
\echo seed: :seed
SELECT setseed(:seed);

CREATE SCHEMA sets_random;
CREATE DOMAIN sets_random.small AS int4 CHECK (value < 1000000);
CREATE TYPE sets_random.pair AS (x int, y text);

-- A random value of each type as an expression of r, an integer that is often the same.
CREATE TABLE sets_random.types (type text, is_key bool, expression text);
INSERT INTO sets_random.types VALUES
	('bool', false, 'r % 2 = 0'), ('"char"', false, $$chr(97 + abs(r) % 26)::"char"$$), ('int2', true, 'r::int2'), ('int4', true, 'r * 400009'),
	('sets_random.small', true, 'r::sets_random.small'), ('int8', true, 'r * 1000000000007'),
	('float4', true, $$(CASE r % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity' WHEN 4 THEN '-Infinity' ELSE (r * 0.37)::text END)::float4$$),
	('float8', true, $$(CASE r % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity' WHEN 4 THEN '-Infinity' WHEN 5 THEN '1e-310' ELSE (r * 1e100)::text END)::float8$$),
	('timestamptz', true, $$CASE r % 13 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE timestamptz '2000-01-01 00:00+00' + r * interval '1 hour' END$$),
	('date', true, $$date '2000-01-01' + r$$), ('uuid', false, 'md5(r::text)::uuid'), ('timetz', false, $$timetz '12:00+00' + r * interval '1 minute'$$),
	('name', false, 'md5(r::text)::name'), ('numeric', false, $$CASE r % 13 WHEN 0 THEN 'NaN' WHEN 1 THEN '1.0' WHEN 2 THEN '1.00' ELSE (r / 7.0)::text END::numeric$$),
	-- With headers of one byte, of four, compressed, out of line.
	('text', false, $$CASE r % 11 WHEN 0 THEN '' WHEN 1 THEN repeat(md5(r::text), 10) WHEN 2 THEN repeat('y', 3000) || r WHEN 3 THEN (SELECT string_agg(md5((r + j)::text), '') FROM generate_series(1, 120) j) ELSE md5(r::text) END$$),
	('sets_random.pair', false, $$ROW(r % 5, md5(r::text))::sets_random.pair$$), ('jsonb', false, $$jsonb_build_object('a', r)$$);

-- What is wrong if it is true.
CREATE TABLE sets_random.checks (name text, for_keys_only bool, wrong text);
INSERT INTO sets_random.checks VALUES
	('sorted_agg', false, 'sorted_agg(x) IS DISTINCT FROM array_agg(x ORDER BY x)'),
	('sorted_agg, descending', false, 'sorted_agg(x, true) IS DISTINCT FROM array_agg(x ORDER BY x DESC)'),
	('sorted_agg, NULLs first', false, 'sorted_agg(x, false, true) IS DISTINCT FROM array_agg(x ORDER BY x NULLS FIRST)'),
	('sorted_agg, NULLs last', false, 'sorted_agg(x, true, false) IS DISTINCT FROM array_agg(x ORDER BY x DESC NULLS LAST)'),
	('permutation', false, '(SELECT array_agg(t ORDER BY t) FROM unnest(sorted_agg(x)::text[]) t) IS DISTINCT FROM array_agg(x::text ORDER BY x::text)'),
	('distinct', false, 'sorted_agg(DISTINCT x) IS DISTINCT FROM array_agg(DISTINCT x ORDER BY x)'),
	('filter', false, 'sorted_agg(x) FILTER (WHERE i % 3 = 0) IS DISTINCT FROM array_agg(x ORDER BY x) FILTER (WHERE i % 3 = 0)'),
	('values by key', false, 'sorted_agg_by(x, k)::text IS DISTINCT FROM array_agg(x ORDER BY k, i)::text'),
	('values by key, descending', false, 'sorted_agg_by(x, k, true)::text IS DISTINCT FROM array_agg(x ORDER BY k DESC, i)::text'),
	('values by key, NULLs last', false, 'sorted_agg_by(x, k, true, false)::text IS DISTINCT FROM array_agg(x ORDER BY k DESC NULLS LAST, i)::text'),
	('positions by value', false, 'sorted_agg_by(i, x) IS DISTINCT FROM array_agg(i ORDER BY x, i)'),
	('positions by value, descending', false, 'sorted_agg_by(i, x, true) IS DISTINCT FROM array_agg(i ORDER BY x DESC, i)'),
	('positions by value, NULLs first', false, 'sorted_agg_by(i, x, false, true) IS DISTINCT FROM array_agg(i ORDER BY x NULLS FIRST, i)'),
	('top', false, 'top_n_agg(x, 7) IS DISTINCT FROM (array_agg(x ORDER BY x DESC NULLS LAST))[1:7]'),
	('bottom', false, 'top_n_agg(x, 7, false) IS DISTINCT FROM (array_agg(x ORDER BY x))[1:7]'),
	('top, NULLs first', false, 'top_n_agg(x, 7::bigint, true, true) IS DISTINCT FROM (array_agg(x ORDER BY x DESC))[1:7]'),
	('bottom, NULLs first', false, 'top_n_agg(x, 7::smallint, false, true) IS DISTINCT FROM (array_agg(x ORDER BY x NULLS FIRST))[1:7]'),
	('top of more than an array holds', false, 'top_n_agg(x, 5000000000, true, false) IS DISTINCT FROM array_agg(x ORDER BY x DESC NULLS LAST)'),
	('top of more than there are', false, 'top_n_agg(x, 100000) IS DISTINCT FROM array_agg(x ORDER BY x DESC NULLS LAST)'),
	('approximate', true, 'approx_sorted_agg(x, 9)::text IS DISTINCT FROM array_sort_approx(array_agg(x ORDER BY i), 9)::text'),
	('approximate, descending', true, 'approx_sorted_agg(x, 9, true)::text IS DISTINCT FROM array_sort_approx(array_agg(x ORDER BY i), 9, true)::text'),
	('approximate, NULLs first', true, 'approx_sorted_agg(x, 9::bigint, false, true)::text IS DISTINCT FROM array_sort_approx(array_agg(x ORDER BY i), 9, false, true)::text');

-- A server that compiles all queries does so with two of the types.
CREATE PROCEDURE sets_random.make(type text, nrows int) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('jit', (type IN ('int4', 'text'))::text, true);
	DROP TABLE IF EXISTS sets_random.v;
	EXECUTE format('CREATE TABLE sets_random.v AS SELECT i, g, CASE WHEN s < 0.9 THEN (10 * s)::int END AS k, CASE WHEN s > 0.1 THEN %s END::%s AS x
		FROM (SELECT i, (30 * random() ^ 3)::int AS g, random() AS s, (100 - 200 * random() ^ 2)::int AS r FROM generate_series(1, %s) i) d',
		(SELECT expression FROM sets_random.types t WHERE t.type = make.type), type, nrows);
	ALTER TABLE sets_random.v SET (parallel_workers = 4);
END $$;

-- Groups, of which some have no NULL and some nothing else.
CREATE FUNCTION sets_random.in_groups(type text, is_key bool) RETURNS TABLE (type_name text, check_name text, failures bigint) LANGUAGE plpgsql AS $$
DECLARE
	c record;
BEGIN
	CALL sets_random.make(type, 1500);
	FOR c IN SELECT * FROM sets_random.checks WHERE is_key OR NOT for_keys_only LOOP
		RETURN QUERY EXECUTE format('SELECT %L, %L, count(*) FROM (SELECT %s AS wrong FROM (SELECT * FROM sets_random.v ORDER BY g, i) o GROUP BY g) r WHERE wrong HAVING count(*) > 0',
									type, c.name, c.wrong);
	END LOOP;
END $$;
SELECT f.* FROM sets_random.types t, sets_random.in_groups(t.type, t.is_key) f;

-- Frames that move, and are empty at first.
CREATE FUNCTION sets_random.in_frames(type text) RETURNS TABLE (type_name text, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	CALL sets_random.make(type, 300);
	RETURN QUERY EXECUTE format('SELECT %L, count(*) FROM (
			SELECT array_agg(x) OVER w AS a, sorted_agg(x) OVER w AS sorted, sorted_agg_by(i, x, true) OVER w AS positions, array_agg(i) OVER w AS all_positions,
				top_n_agg(x, 2) OVER w AS top FROM sets_random.v WINDOW w AS (PARTITION BY g %% 3 ORDER BY i ROWS BETWEEN 20 PRECEDING AND 1 PRECEDING)) f
		WHERE sorted IS DISTINCT FROM array_sort(a) OR top IS DISTINCT FROM array_top_n(a, 2) OR positions IS DISTINCT FROM array_sort_by(all_positions, a, true)
			OR (a IS NULL) <> (sorted IS NULL) HAVING count(*) > 0', type);
END $$;
SELECT f.* FROM sets_random.types t, sets_random.in_frames(t.type) f;

-- Four workers: among equal keys any order of rows is allowed there. Reports plans that are not parallel, too.
SET max_parallel_workers_per_gather = 4;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION sets_random.in_parallel(type text, is_key bool) RETURNS TABLE (type_name text, check_name text) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	line text;
	is_parallel bool;
	is_wrong bool;
BEGIN
	CALL sets_random.make(type, 6000);
	FOR c IN
		SELECT a.name, format(a.query, filter) AS query, filter, wrong FROM unnest('{true,false,x IS NOT NULL}'::text[]) filter, (VALUES
			('sorted_agg', 'sorted_agg(x) AS a', 'a IS DISTINCT FROM (SELECT array_agg(x ORDER BY x) FROM sets_random.v WHERE %1$s)'),
			('sorted_agg, descending', 'sorted_agg(x, true) AS a', 'a IS DISTINCT FROM (SELECT array_agg(x ORDER BY x DESC) FROM sets_random.v WHERE %1$s)'),
			('sorted_agg, NULLs last', 'sorted_agg(x, true, false) AS a', 'a IS DISTINCT FROM (SELECT array_agg(x ORDER BY x DESC NULLS LAST) FROM sets_random.v WHERE %1$s)'),
			('permutation', 'sorted_agg(x) AS a', '(SELECT array_agg(t ORDER BY t) FROM unnest(a::text[]) t) IS DISTINCT FROM (SELECT array_agg(x::text ORDER BY x::text) FROM sets_random.v WHERE %1$s)'),
			('values by unique key', 'sorted_agg_by(x, i, true) AS a', 'a::text IS DISTINCT FROM (SELECT array_agg(x ORDER BY i DESC) FROM sets_random.v WHERE %1$s)::text'),
			('positions by value', 'sorted_agg_by(i, x) AS a',
			 '(SELECT array_agg(v.x ORDER BY o) FROM unnest(a) WITH ORDINALITY u(i, o) JOIN sets_random.v USING (i)) IS DISTINCT FROM (SELECT array_agg(x ORDER BY x) FROM sets_random.v WHERE %1$s)
			  OR array_sort(a) IS DISTINCT FROM (SELECT array_agg(i ORDER BY i) FROM sets_random.v WHERE %1$s)'),
			('top', 'top_n_agg(x, 100) AS a', 'a IS DISTINCT FROM (SELECT (array_agg(x ORDER BY x DESC NULLS LAST))[1:100] FROM sets_random.v WHERE %1$s)'),
			('top, NULLs first', 'top_n_agg(x, 100, true, true) AS a', 'a IS DISTINCT FROM (SELECT (array_agg(x ORDER BY x DESC))[1:100] FROM sets_random.v WHERE %1$s)'),
			('approximate', CASE WHEN is_key THEN 'approx_sorted_agg(x, 1000000) AS a' END,
			 '(SELECT array_agg(t ORDER BY t) FROM unnest(a::text[]) t) IS DISTINCT FROM (SELECT array_agg(x::text ORDER BY x::text) FROM sets_random.v WHERE %1$s)')
		) AS a(name, query, wrong) WHERE query IS NOT NULL
	LOOP
		is_parallel := false;
		FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s FROM sets_random.v WHERE %s', c.query, c.filter) LOOP
			is_parallel := is_parallel OR line ~ 'Partial Aggregate';
		END LOOP;
		EXECUTE format('SELECT ' || c.wrong || ' FROM (SELECT %2$s FROM sets_random.v WHERE %1$s) q', c.filter, c.query) INTO is_wrong;
		IF is_wrong OR NOT is_parallel AND c.filter <> 'false' THEN
			RETURN QUERY SELECT type, concat_ws(', ', c.name, 'where ' || c.filter, CASE WHEN NOT is_parallel THEN 'not parallel' END);
		END IF;
	END LOOP;
END $$;
SELECT f.* FROM sets_random.types t, sets_random.in_parallel(t.type, t.is_key) f;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

SET client_min_messages = warning;
DROP SCHEMA sets_random CASCADE;
