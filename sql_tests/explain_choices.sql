-- gpusort.explain_choices: what is told of each Sort. Here each reason is reached but two, which
-- tap_tests/003_other_extensions.pl has: plans of other extensions, and collations of which the order
-- is not known, which some servers lack.
CREATE SCHEMA choices;
SET search_path = choices;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
SET random_page_cost = 4;
CREATE TABLE spectra AS SELECT i AS id, i * 7919 % 10007 AS x, ARRAY[3, i % 7, 1] AS mz, ARRAY['b', 'a'] AS names, ('n' || i) COLLATE "C" AS name
FROM generate_series(1, 3000) i;
CREATE TABLE few AS SELECT * FROM spectra WHERE id <= 20;
CREATE TABLE hundreds AS SELECT * FROM spectra WHERE id <= 400;
ANALYZE spectra, few, hundreds;
CREATE PROCEDURE plan(query text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'EXPLAIN ' || query; END $$;

-- Nothing is told unless it is asked for.
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x');
SET gpusort.explain_choices = on;
CALL plan('SELECT id FROM spectra');

-- Taken, and the setting of the node. Array calls are not told of.
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x, name DESC');
CALL plan('SELECT * FROM (SELECT id, x FROM spectra ORDER BY x OFFSET 0) q JOIN spectra s USING (id) ORDER BY name');
SET gpusort.enable_sort = off;
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x');
RESET gpusort.enable_sort;

-- Sorts that are kept.
CALL plan('SELECT x FROM few ORDER BY x');
CALL plan('SELECT * FROM hundreds ORDER BY x');
CALL plan('SELECT x FROM spectra ORDER BY x LIMIT (random() * 10)::int');
SET gpusort.method = network;
CALL plan('SELECT x FROM spectra ORDER BY x');
RESET gpusort.method;
CALL plan('SELECT s FROM spectra s ORDER BY s USING *<');
CALL plan('SELECT name FROM spectra ORDER BY names, x');
SET gpusort.explain_choices = off;
CREATE INDEX ON spectra (id);
SET gpusort.explain_choices = on;
SET enable_sort = off;
CALL plan('SELECT x FROM spectra ORDER BY id, x');
CALL plan('SELECT x FROM spectra ORDER BY id, x LIMIT 5');
RESET enable_sort;
SET gpusort.force_nodes = on;
CALL plan('SELECT id FROM spectra UNION ALL SELECT 7 FROM spectra ORDER BY 1 LIMIT 1');
RESET gpusort.force_nodes;

-- Sorts of subqueries and of recursive queries.
CALL plan('WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r ORDER BY n');

-- Index builds, with and without workers.
CREATE TABLE built WITH (parallel_workers = 2) AS SELECT i AS id, (i * 7919::bigint % 100003)::int AS x, 'n' || i AS name, ARRAY[i] AS list FROM generate_series(1, 20000) i;
CREATE PROCEDURE build(definition text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'CREATE INDEX made ON built ' || definition;
	DROP INDEX made;
END
$$;
SET max_parallel_maintenance_workers = 0;
CALL build('(x)');
CALL build('(name COLLATE "C") WHERE x = 1');
CALL build('(list)');
SET max_parallel_maintenance_workers = 2;
CALL build('(x) WHERE id < 1000');
CALL build('(list)');
RESET max_parallel_maintenance_workers;

RESET gpusort.explain_choices;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA choices CASCADE;
