-- gpusort.enable_aggregates: where only the first elements of array_agg(x ORDER BY y) are wanted of large groups, the rows
-- node drops other rows as it reads them, and every result is as without.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA first_elements;
SET search_path = first_elements;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET compute_query_id = off;
SET enable_hashagg = off;
SET work_mem = '4MB';

-- How many Sorts of a plan keep the first rows of groups.
CREATE FUNCTION taken(query text) RETURNS int LANGUAGE sql AS $$ SELECT count(*) FROM pg_temp.explain_lines(query, pattern => '^ *Keeps: .* of each') $$;

-- A key tells all rows apart, so that there is one order.
CREATE TABLE items AS SELECT i AS id, nullif(i % 5, 3) AS g, 'g' || i * 7 % 3 AS h, i * 7919 % 1009 AS u, nullif(i * 31 % 1013, 12) AS v, CASE i WHEN 7 THEN 'NaN' WHEN 8 THEN 'Infinity' ELSE i * 31 % 1013 / 7.0 - 50 END::float8 AS f,
	i / 100 AS few, nullif('t' || i * 13 % 601, 't13') AS t
FROM generate_series(1, 600) i;
ANALYZE items;
SET jit = off;	-- too many to compile
SELECT subscript, count(*), sum(taken) AS taken, bool_and(same) AS same
FROM unnest('{[1],[3],[150],[1:3],[2:5],[:4],[2:],[5:2],[0],[:]}'::text[]) subscript, unnest('{u,v,f,"few DESC, v","g, u",t COLLATE \"C\"}'::text[]) y,
	unnest('{ASC,DESC,ASC NULLS FIRST,DESC NULLS LAST}'::text[]) direction, unnest('{g,h,"h, g",f::int}'::text[]) groups,
	LATERAL pg_temp.compare_aggregates(format('SELECT (array_agg(id ORDER BY %s %s))%s, %s FROM items GROUP BY %4$s', y, direction, subscript, groups))
GROUP BY subscript ORDER BY subscript COLLATE "C";
RESET jit;

SELECT pg_temp.explain_lines('SELECT h, (array_agg(t ORDER BY u DESC))[1:2] FROM items GROUP BY h', 'VERBOSE, COSTS OFF', '(Keeps|Sort Key|Output: .*array_agg)');
SELECT query, taken, same FROM (VALUES
	('SELECT g, (array_agg(t ORDER BY u))[1], (array_agg(id ORDER BY u))[2:3], (array_agg(v ORDER BY u))[1] FROM items GROUP BY g HAVING (array_agg(id ORDER BY u))[1] > 100'),
	('SELECT id, (SELECT sum(a[1] - a[2]) FROM (SELECT (array_agg(m.id ORDER BY m.u))[1:2] AS a FROM items m WHERE m.id > n.id GROUP BY m.h) q) FROM items n WHERE id < 20'),
	('SELECT (array_agg(a ORDER BY a))[1:2] FROM (SELECT few, (array_agg(u ORDER BY v))[2] AS a FROM items GROUP BY few) q GROUP BY few % 2'),
	('SELECT g, (array_agg(t::varchar ORDER BY u))[1] FROM items WHERE id < 0 GROUP BY g'),
	-- Other rows are needed, or might raise an error.
	('SELECT g, (array_agg(t ORDER BY u))[1], count(*) FROM items GROUP BY g'),
	('SELECT g, (array_agg(t ORDER BY u))[1], (array_agg(t ORDER BY v))[1] FROM items GROUP BY g'),
	('SELECT g, (array_agg(t ORDER BY u))[1], array_agg(t ORDER BY u) FROM items GROUP BY g'),
	('SELECT g, (array_agg(t ORDER BY u) FILTER (WHERE id > 100))[1] FROM items GROUP BY g'),
	('SELECT g, (array_agg(DISTINCT u ORDER BY u))[1] FROM items GROUP BY g'),
	('SELECT g, (array_agg(u))[1] IS NULL FROM items GROUP BY g'),
	('SELECT g, (array_agg(10 / (u - 1) ORDER BY u DESC))[1] FROM items GROUP BY g'),
	('SELECT g, (array_agg(t ORDER BY u))[min(id)] FROM items GROUP BY g'),
	('SELECT (array_agg(t ORDER BY u))[1] FROM items')) v (query), pg_temp.compare_aggregates(query);
-- Rows that are equal in the order keep the order in which they come.
SELECT bool_and(a = b) AS stable FROM (SELECT g, (array_agg(id ORDER BY few DESC))[1:9] AS a FROM items GROUP BY g) q
JOIN (SELECT g, (array_agg(id ORDER BY few DESC, id))[1:9] AS b FROM items GROUP BY g) r ON q.g IS NOT DISTINCT FROM r.g;
PREPARE firsts(int) AS SELECT g, (array_agg(id ORDER BY u))[1:2] FROM items WHERE id < $1 GROUP BY g;
SET plan_cache_mode = force_generic_plan;
EXECUTE firsts(100);
EXECUTE firsts(5);
SELECT taken('EXECUTE firsts(5)');
SET gpusort.enable_sort = off;
SELECT taken('EXECUTE firsts(5)'), taken('SELECT (array_agg(t ORDER BY u))[1] FROM items GROUP BY g');
RESET gpusort.enable_sort;

-- The costs decide.
RESET gpusort.force_nodes;
CREATE TABLE many AS SELECT i AS id, i % 1000 AS hundreds, i % 4000 AS tens, i % 10 AS ten_thousands, i * 7919 % 100003 AS x, md5(i::text) AS t FROM generate_series(1, 100000) i;
ANALYZE many;
SELECT taken('SELECT (array_agg(t ORDER BY x))[1:3] FROM many GROUP BY hundreds') AS few_of_many, taken('SELECT (array_agg(t ORDER BY x))[1:4] FROM many GROUP BY hundreds') AS too_many,
	   taken('SELECT (array_agg(t ORDER BY x))[1] FROM many GROUP BY tens') AS small_groups, taken('SELECT (array_agg(x ORDER BY x))[1:300] FROM many GROUP BY ten_thousands') AS large_groups,
	   taken('SELECT (array_agg(x ORDER BY x))[1] FROM many WHERE id < 1000 GROUP BY ten_thousands') AS few_rows;
SELECT * FROM pg_temp.compare_aggregates('SELECT hundreds, (array_agg(t ORDER BY x))[1:3] FROM many GROUP BY hundreds');
SET work_mem = '64kB';
SELECT * FROM pg_temp.compare_aggregates('SELECT hundreds, (array_agg(t ORDER BY x))[1:3] FROM many GROUP BY hundreds');
SELECT * FROM pg_temp.compare_aggregates('SELECT ten_thousands, (array_agg(t ORDER BY x DESC))[1:300] FROM many GROUP BY ten_thousands');

SET client_min_messages = warning;
DROP SCHEMA first_elements CASCADE;
