-- A Sort below the arrays node is told how many rows a LIMIT above wants, as without the node.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
LOAD 'gpusort';
SET gpusort.force_nodes = on;
SET gpusort.enable_sort = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE many AS SELECT g * 7919 % 10007 AS a, ARRAY[g, 2, 1] AS b FROM generate_series(1, 10000) g;
ANALYZE many;
CREATE FUNCTION sort_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		line := substring(line FROM 'GpusortArrays|Sort Method: (?:top-N|quicksort|external)');
		IF line IS NOT NULL THEN RETURN NEXT line; END IF;
	END LOOP;
END $$;
SET work_mem = '4MB';
SELECT sort_of('SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT 10');
SELECT sort_of('SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT 10 OFFSET 20');
SELECT sort_of('SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT NULL');
SELECT sort_of('SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q');

-- The bound changes from one rescan to the next, and from one execution to the next.
SELECT x, (SELECT string_agg(s::text, ' ') FROM (SELECT gpusort.array_sort(b) s FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT x) l) AS first
FROM unnest(ARRAY[2, 1, 4, 0, NULL, 3]) x WHERE x IS NOT NULL;
SELECT x, (SELECT count(*) FROM (SELECT gpusort.array_sort(b) s FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT x OFFSET 9 - coalesce(x, 9)) l) AS rows
FROM unnest(ARRAY[2, NULL, 5, 9]) x;
PREPARE limited(int) AS SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE limited(1);
EXECUTE limited(3);
SELECT sort_of('EXECUTE limited(3)');

-- A cursor may go back and forth over bounded rows.
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT 3;
FETCH 2 FROM back;
FETCH BACKWARD 1 FROM back;
FETCH ALL FROM back;
FETCH BACKWARD ALL FROM back;
FETCH FIRST FROM back;
COMMIT;
SELECT * FROM pg_temp.compare_node('arrays', 'SELECT a, gpusort.array_sort(b) FROM (SELECT * FROM many ORDER BY a OFFSET 0) q LIMIT 777 OFFSET 99');
DROP FUNCTION sort_of;
DROP TABLE many;
