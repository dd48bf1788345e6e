-- The arrays node reads rows ahead, but raises no error that a query would not have met without it:
-- what could fail below the node is computed ahead only where all rows are asked for.
SET client_min_messages = warning;
SET gpusort.force_nodes = on;
SET work_mem = '4MB';
CREATE SCHEMA ahead;
SET search_path = ahead, public;

CREATE TABLE ahead (id int PRIMARY KEY, a int[], t text);
INSERT INTO ahead SELECT g, ARRAY[3, 2, g], CASE WHEN g <> 30 THEN g::text ELSE 'x' END FROM generate_series(1, 5000) g;
CREATE TABLE nothing (id int);
CREATE TABLE few AS SELECT generate_series(1, 3) AS id;
ANALYZE ahead, nothing, few;

-- The first rows of a query, as text, or its error.
CREATE FUNCTION looped(query text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	rows int := 0;
	result text := '';
BEGIN
	FOR r IN EXECUTE query LOOP
		result := result || r::text;
		rows := rows + 1;
		EXIT WHEN rows = n;
	END LOOP;
	RETURN rows || ': ' || md5(result);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE FUNCTION fetched(query text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'c';
	r record;
	rows int := 0;
	result text := '';
BEGIN
	EXECUTE 'DECLARE c CURSOR FOR ' || query;
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		result := result || r::text;
		rows := rows + 1;
		EXIT WHEN rows = n;
	END LOOP;
	CLOSE c;
	RETURN rows || ': ' || md5(result);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE FUNCTION limited(query text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE FUNCTION rows_of_query() RETURNS SETOF record LANGUAGE sql STABLE AS %L', query);
	EXECUTE format('SELECT count(*) || '': '' || md5(string_agg(r::text, '''')) FROM (SELECT rows_of_query() AS r LIMIT %s) q', n) INTO result;
	DROP FUNCTION rows_of_query;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE FUNCTION whole(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TEMP TABLE result AS SELECT q::text AS r FROM (%s) q', query);
	SELECT count(*) || ': ' || md5(string_agg(r, '')) INTO result FROM result;
	DROP TABLE result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;

-- Every one of them divides by zero at the 30th row or finds no number there, wherever that is computed.
CREATE TABLE queries (n serial, query text);
\copy queries (query) FROM stdin
SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL
SELECT id, gpusort.array_sort(a) FROM ahead WHERE t::int > 0
SELECT id, gpusort.array_sort(a) FROM ahead WHERE id > 0 AND CASE WHEN id < 20 THEN true ELSE 1 / (id - 30) IS NOT NULL END
SELECT id, gpusort.array_sort(ARRAY[1 / (id - 30), id]) FROM ahead
SELECT id, gpusort.array_sort(gpusort.array_sort(ARRAY[1 / (id - 30), id])) FROM ahead
SELECT x, gpusort.array_sort(a) FROM (SELECT 1 / (id - 30) AS x, a FROM ahead OFFSET 0) q
SELECT x, gpusort.array_sort(a) FROM (SELECT 1 / (id - 30) AS x, a, id FROM ahead OFFSET 0) q WHERE id > 1
SELECT q.id, gpusort.array_sort(a) FROM ahead q LEFT JOIN few ON few.id = q.id AND 1 / (q.id - 30) IS NOT NULL
SELECT q.id, gpusort.array_sort(a) FROM ahead q JOIN few ON 1 / (q.id - 30) < few.id
SELECT id, gpusort.array_sort(a) FROM ahead WHERE id IN (SELECT 1 / (f.id - 30 + ahead.id - f.id) + ahead.id FROM few f)
SELECT id, gpusort.array_sort(a) FROM ahead WHERE id < 20 OR id > (SELECT 1 / (min(id) - 1) FROM few)
SELECT id, gpusort.array_sort(a) FROM ahead WHERE id <> ALL (SELECT 1 / (ahead.id - 30) FROM few)
SELECT id, gpusort.array_sort(a) FROM ahead WHERE id < 20 UNION ALL SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30 + few_rows()) IS NOT NULL
SELECT x, gpusort.array_sort(a) FROM (SELECT generate_series(1, 1 / (id - 30) + 2) AS x, a FROM ahead) q
SELECT gpusort.array_sort(v) FROM (VALUES ('{3,1}'::int[]), ('{4,1}'), ('{5,1}'), ('{6,1}'), ('{7,1}'), ('{8,1}'), ('{9,1}'), ('{10,1}'), ('{11,1}'), (ARRAY[few_rows() / (few_rows() - 3)])) q(v)
SELECT id, gpusort.array_sort(array_agg(id)), sum(1 / (id - 30)) FROM ahead GROUP BY id
SELECT id, gpusort.array_sort(a), row_number() OVER (ORDER BY id), sum(1 / (id - 30)) OVER (ORDER BY id) FROM ahead
SELECT s.id, l.s FROM ahead s, LATERAL (SELECT gpusort.array_sort(o.a) AS s FROM ahead o WHERE o.id >= s.id AND 1 / (o.id - 30) IS NOT NULL OFFSET 0) l
WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL) SELECT * FROM x
WITH x AS MATERIALIZED (SELECT 1 / (id - 30) AS q, a FROM ahead) SELECT q, gpusort.array_sort(a) FROM x
SELECT x.id, gpusort.array_sort(a) FROM (SELECT (c).id, (c).a FROM (SELECT c FROM ahead c WHERE 1 / ((c).id - 30) IS NOT NULL OFFSET 0) q) x
SELECT max(id) OVER w, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL WINDOW w AS (ROWS 1 PRECEDING)
SELECT DISTINCT ON (id) id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL
SELECT id FROM few WHERE EXISTS (SELECT gpusort.array_sort(a) FROM ahead WHERE 1 / (ahead.id - 30) IS NOT NULL OFFSET few.id - 1)
SELECT id, (SELECT s FROM (SELECT gpusort.array_sort(a) AS s FROM ahead WHERE 1 / (ahead.id - 30) IS NOT NULL) q LIMIT 1) FROM few
SELECT id, s, n FROM (SELECT id, gpusort.array_sort(a) AS s, row_number() OVER () AS n FROM ahead WHERE 1 / (id - 30) IS NOT NULL) r WHERE n < 3
SELECT q.id, q.s FROM few CROSS JOIN (SELECT id, gpusort.array_sort(a) AS s FROM ahead WHERE 1 / (id - 30) IS NOT NULL OFFSET 0) q LIMIT 2
SELECT id FROM few WHERE id IN (SELECT id FROM (SELECT id, gpusort.array_sort(a) AS s FROM ahead WHERE 1 / (ahead.id - 30) IS NOT NULL OFFSET 0) q WHERE s IS NOT NULL)
SELECT * FROM (SELECT id, gpusort.array_sort(a) AS s FROM ahead WHERE 1 / (id - 30) IS NOT NULL OFFSET 0) q JOIN nothing USING (id)
SELECT f.id, q.id FROM few f, LATERAL (SELECT q.id FROM (SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (ahead.id - 30) IS NOT NULL OFFSET f.id - 1) q LEFT JOIN few g USING (id) OFFSET 0) q
SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL LIMIT 20
SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL LIMIT 20 OFFSET 5
SELECT * FROM (SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL LIMIT 40) q LIMIT 20
SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / (id - 30) IS NOT NULL ORDER BY id
SELECT id % 3, count(gpusort.array_sort(a)) FROM ahead WHERE 1 / (id - 30) IS NOT NULL GROUP BY id % 3
\.
CREATE FUNCTION few_rows() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 3; END $$;
CREATE FUNCTION outcomes(query text, n int, OUT in_loop text, OUT in_cursor text, OUT in_function text, OUT at_once text) LANGUAGE plpgsql AS $$
BEGIN
	in_loop := looped(query, n);
	in_cursor := fetched(query, n);
	in_function := limited(query, n);
	at_once := whole(query);
END $$;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION compared() RETURNS TABLE (n int, rows int, in_loop bool, in_cursor bool, in_function bool, at_once bool, outcome text) LANGUAGE plpgsql AS $$
DECLARE
	q queries;
	limit_ int;
	with_node record;
	without_node record;
BEGIN
	FOR q IN SELECT * FROM queries ORDER BY queries.n LOOP
		FOREACH limit_ IN ARRAY ARRAY[1, 7, 11, 29, 31] LOOP
			PERFORM set_config('jit', (limit_ = 11)::text, true);	-- a server may compile all queries
			SELECT * INTO with_node FROM outcomes(q.query, limit_);
			SET LOCAL gpusort.enable_array_sort = off;
			SELECT * INTO without_node FROM outcomes(q.query, limit_);
			SET LOCAL gpusort.enable_array_sort = on;
			RETURN QUERY SELECT q.n, limit_, with_node.in_loop IS NOT DISTINCT FROM without_node.in_loop, with_node.in_cursor IS NOT DISTINCT FROM without_node.in_cursor, with_node.in_function IS NOT DISTINCT FROM without_node.in_function, with_node.at_once IS NOT DISTINCT FROM without_node.at_once,
				concat_ws(' | ', with_node.in_loop, with_node.in_cursor, with_node.in_function);
		END LOOP;
	END LOOP;
END $$;
SELECT count(*), count(*) FILTER (WHERE in_loop AND in_cursor AND in_function AND at_once) AS same, bool_or(outcome ~ '[0-9]:') AS had_rows, bool_or(outcome ~ 'zero|syntax') AS had_errors,
	string_agg(n || ': ' || rows || ' rows, ' || outcome, E'\n') FILTER (WHERE NOT (in_loop AND in_cursor AND in_function AND at_once)) AS differ FROM compared();
SET enable_hashjoin = off;
SET enable_hashagg = off;
SET enable_sort = off;
SELECT count(*), count(*) FILTER (WHERE in_loop AND in_cursor AND in_function AND at_once) AS same, bool_or(outcome ~ '[0-9]:') AS had_rows, bool_or(outcome ~ 'zero|syntax') AS had_errors,
	string_agg(n || ': ' || rows || ' rows, ' || outcome, E'\n') FILTER (WHERE NOT (in_loop AND in_cursor AND in_function AND at_once)) AS differ FROM compared();
RESET enable_hashjoin;
RESET enable_hashagg;
RESET enable_sort;

-- a query that reads everything reads ahead, though it could fail; and so does what a sort or a grouping needs for its first row
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
SELECT pg_temp.explain_lines('SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / id >= 0', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments');
SELECT pg_temp.explain_lines('SELECT id, gpusort.array_sort(a) FROM ahead WHERE 1 / id >= 0 ORDER BY 2', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments');
SELECT pg_temp.explain_lines('SELECT sum((gpusort.array_sort(a))[1]) FROM ahead WHERE 1 / id >= 0', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments');
SELECT pg_temp.explain_lines('SELECT id, gpusort.array_sort(a) FROM ahead WHERE id > 10 LIMIT 100', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments');

-- so do the scans of a CTE, unless one of them may stop, and what makes an array or a hash table of a subquery; but no cursor
SELECT pg_temp.explain_lines('WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) AS s FROM ahead WHERE 1 / id >= 0) SELECT * FROM x', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments');
SELECT pg_temp.explain_lines('WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) AS s FROM ahead), y AS MATERIALIZED (SELECT * FROM x WHERE id > 9) SELECT * FROM y', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) AS s FROM ahead) SELECT * FROM x WHERE EXISTS (SELECT FROM x y WHERE y.id = x.id OFFSET 0)', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) AS s FROM ahead) SELECT * FROM x LIMIT 9', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('SELECT ARRAY(SELECT gpusort.array_sort(a) FROM ahead), id FROM few', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('SELECT id FROM few WHERE id + 1 NOT IN (SELECT (gpusort.array_sort(a))[1] FROM ahead)', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('SELECT few.id, s FROM few LEFT JOIN LATERAL (SELECT gpusort.array_sort(a) AS s FROM ahead WHERE id < few.id OFFSET 0) q ON true', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('DECLARE c CURSOR FOR SELECT gpusort.array_sort(a) FROM ahead', 'COSTS OFF', 'Custom');
SELECT pg_temp.explain_lines('DECLARE c CURSOR FOR SELECT max(gpusort.array_sort(a)) FROM ahead', 'COSTS OFF', 'Custom');

-- and still does so after an error in a query within, which was caught
CREATE FUNCTION caught(n int) RETURNS int STABLE LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 / (n - 10) FROM few;
	RETURN 0;
EXCEPTION WHEN division_by_zero THEN
	RETURN n;
END $$;
SELECT pg_temp.explain_lines('SELECT id, gpusort.array_sort(a) FROM ahead WHERE caught(id) >= 0', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments|Rows by');

-- A LIMIT above an Append bounds what its inputs give together, not what each of them gives.
CREATE TABLE parts (k int, x int, a int[]) PARTITION BY LIST (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
INSERT INTO parts SELECT 1, -i, ARRAY[3, 1, 2] FROM generate_series(1, 250) i UNION ALL SELECT 2, i, ARRAY[3, 1, 2] FROM generate_series(1, 5000) i;
ANALYZE parts;
SELECT count(s) FROM (SELECT gpusort.array_sort(ARRAY[1 / (x - 60), 2]) AS s FROM parts LIMIT 300) q;
SELECT count(s) FROM (SELECT gpusort.array_sort(a) AS s FROM parts WHERE 1 / (x - 60) IS NOT NULL LIMIT 300) q;
SELECT count(s) FROM (SELECT gpusort.array_sort(a) AS s FROM parts_1 UNION ALL SELECT gpusort.array_sort(ARRAY[1 / (x - 60), 2]) FROM parts_2 LIMIT 300) q;
SELECT count(s) FROM (SELECT gpusort.array_sort(a) AS s FROM parts WHERE 1 / (x - 60) IS NOT NULL LIMIT 310) q;


-- Of two errors in a row the first is raised.
SELECT id, 1 / (id - 1), gpusort.array_percentile_cont(a, 5) FROM ahead;
SELECT id, 1 / (id - 1), gpusort.array_percentile_disc(a, '{0.5,NULL,-1}'::float8[]) FROM ahead;
SELECT id, gpusort.array_percentile_cont(a, 'NaN'::float8), 1 / (id - 1) FROM ahead;

RESET search_path;
DROP SCHEMA ahead CASCADE;
