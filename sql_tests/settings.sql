-- Settings: what the nodes' say, and threads.
LOAD 'gpusort';

SELECT name FROM pg_settings WHERE name ~ '^gpusort\.enable_.*(sort|node)' ORDER BY name COLLATE "C";

-- A node is off for as long as a setting holds.
CREATE TABLE settings_rows AS SELECT g * 7919 % 10007 AS a, ARRAY[3, 1, g] AS b FROM generate_series(1, 10000) g;
ANALYZE settings_rows;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
CREATE FUNCTION nodes() RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text := '';
BEGIN
	FOR line IN EXPLAIN (COSTS OFF) SELECT gpusort.array_sort(b) FROM settings_rows ORDER BY a LOOP
		IF line ~ 'Gpusort' THEN found := found || substring(line FROM 'Gpusort\w+') || ' '; END IF;
	END LOOP;
	RETURN found || current_setting('gpusort.enable_sort') || ' ' || current_setting('gpusort.enable_array_sort');
END $$;
SELECT nodes();
SET gpusort.enable_sort = off;
SELECT nodes();
SET gpusort.enable_array_sort = off;
SELECT nodes();
RESET gpusort.enable_sort;
SELECT nodes();
RESET gpusort.enable_array_sort;
BEGIN;
SET LOCAL gpusort.enable_sort = off;
SELECT nodes();
ROLLBACK;
SELECT nodes();
ALTER FUNCTION nodes() SET gpusort.enable_array_sort = off;
SELECT nodes();
ALTER FUNCTION nodes() RESET gpusort.enable_array_sort;

-- A setting of the database gives way to the session's.
SELECT current_database() AS database \gset
ALTER DATABASE :"database" SET gpusort.enable_sort = off;
\c
LOAD 'gpusort';
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SELECT nodes();
SET gpusort.enable_sort = on;
SELECT nodes();
RESET gpusort.enable_sort;
SELECT nodes();
ALTER DATABASE :"database" RESET gpusort.enable_sort;
\c
LOAD 'gpusort';
DROP FUNCTION nodes();

-- Everyone may ask for more threads than the server's limit on processes, and parallel workers are told so.
CREATE ROLE regress_gpusort_settings;
GRANT SELECT ON settings_rows TO regress_gpusort_settings;
GRANT USAGE ON SCHEMA gpusort TO regress_gpusort_settings;
SET ROLE regress_gpusort_settings;
SELECT set_config('gpusort.cpu_threads', '257', false);
SET gpusort.cpu_threads = 256;
SHOW gpusort.cpu_threads;
RESET ROLE;
SET gpusort.enable_sort = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE settings_rows SET (parallel_workers = 2);
DO $$
DECLARE line text;
BEGIN
	FOR line IN EXPLAIN (COSTS OFF) SELECT sum((gpusort.array_sort(b))[2]) FROM settings_rows LOOP
		IF line ~ 'Workers Planned|Gpusort' THEN RAISE NOTICE '%', ltrim(line, ' ->'); END IF;
	END LOOP;
END $$;
SET ROLE regress_gpusort_settings;
SELECT sum((gpusort.array_sort(b))[2]) FROM settings_rows;
RESET ROLE;

DROP TABLE settings_rows;
DROP OWNED BY regress_gpusort_settings;
DROP ROLE regress_gpusort_settings;
