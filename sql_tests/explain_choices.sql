-- gpusort.explain_choices: what is told of each Sort and each array call. Here each reason is
-- reached but two, which tap_tests/003_other_extensions.pl has: plans of other extensions, and
-- collations that do not compare bytes, which some servers lack.
CREATE SCHEMA choices;
SET search_path = choices;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4MB';
SET random_page_cost = 4;
CREATE TABLE spectra AS SELECT i AS id, i * 7919 % 10007 AS x, ARRAY[3, i % 7, 1] AS mz, ARRAY['b', 'a'] AS names, ('n' || i) COLLATE "C" AS name, i % 2 = 0 AS flag
FROM generate_series(1, 3000) i;
CREATE TABLE few AS SELECT * FROM spectra WHERE id <= 20;
CREATE TABLE hundreds AS SELECT * FROM spectra WHERE id <= 400;
ANALYZE spectra, few, hundreds;
CREATE PROCEDURE plan(query text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'EXPLAIN ' || query; END $$;

-- Nothing is told unless it is asked for.
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x');
SET gpusort.explain_choices = on;
CALL plan('SELECT id FROM spectra');

-- Taken: a sort by several keys, calls inside each other, and what an aggregate is fed with.
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x, name DESC');
CALL plan('SELECT gpusort.array_sort(gpusort.array_top_n(mz, 2)) FROM spectra s');
CALL plan('SELECT max(gpusort.array_sort(mz)) FROM spectra');
CALL plan('SELECT * FROM (SELECT id, x FROM spectra ORDER BY x OFFSET 0) q JOIN spectra s USING (id) ORDER BY name');

-- The settings of the nodes.
SET gpusort.enable_sort = off;
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra ORDER BY x');
SET gpusort.enable_array_sort = off;
CALL plan('SELECT gpusort.array_sort(mz), max(gpusort.array_sort(mz, true)) FROM spectra WHERE gpusort.array_sort(mz) <> ''{1}'' GROUP BY mz, x ORDER BY x');
RESET gpusort.enable_sort;
RESET gpusort.enable_array_sort;

-- Sorts that are kept.
CALL plan('SELECT x FROM few ORDER BY x');
CALL plan('SELECT * FROM hundreds ORDER BY x');
CALL plan('SELECT x FROM spectra ORDER BY x LIMIT (random() * 10)::int');
SET gpusort.method = network;
CALL plan('SELECT x FROM spectra ORDER BY x');
RESET gpusort.method;
CALL plan('SELECT s FROM spectra s ORDER BY s USING *<');
CALL plan('SELECT name FROM spectra ORDER BY names, x');
CREATE INDEX ON spectra (id);
SET enable_sort = off;
CALL plan('SELECT x FROM spectra ORDER BY id, x');
CALL plan('SELECT x FROM spectra ORDER BY id, x LIMIT 5');
RESET enable_sort;
SET gpusort.force_nodes = on;
CALL plan('SELECT id FROM spectra UNION ALL SELECT 7 FROM spectra ORDER BY 1 LIMIT 1');
RESET gpusort.force_nodes;

-- Calls that are kept, by what they are.
CREATE FUNCTION top_without_n(int[]) RETURNS int[] IMMUTABLE STRICT LANGUAGE c AS '$libdir/gpusort', 'gpusort_array_top_n';
CALL plan('SELECT top_without_n(mz) FROM spectra');
CALL plan('SELECT gpusort.array_sort(names) FROM spectra');
CALL plan('SELECT gpusort.array_median(mz) FROM spectra');
CALL plan('SELECT gpusort.array_sort(mz, flag) FROM spectra');
CALL plan('SELECT gpusort.array_sort(gpusort.array_sort(mz, flag)) FROM spectra');
CALL plan('SELECT gpusort.array_sort(ARRAY[random()]) FROM spectra');
CALL plan('SELECT gpusort.array_sort(mz || random()::int) FROM spectra');

-- By where they stand.
CALL plan('SELECT gpusort.array_sort(ARRAY[random()])');
CALL plan('SELECT CASE WHEN flag THEN gpusort.array_sort(mz) END, max(gpusort.array_sort(mz, true)) OVER () FROM spectra');
CALL plan('SELECT max(gpusort.array_sort(mz)) FILTER (WHERE flag) FROM spectra HAVING gpusort.array_sort(array_agg(id)) <> ''{1}''');
CALL plan('SELECT unnest(gpusort.array_sort(mz)), gpusort.array_sort(mz, true) FROM spectra');
CALL plan('UPDATE spectra SET id = id RETURNING gpusort.array_sort(mz)');
CALL plan('SELECT id FROM spectra, unnest(gpusort.array_sort(mz)) WHERE gpusort.array_sort(mz, true) <> ''{1}''');
CALL plan('WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE gpusort.array_sort(ARRAY[n]) <> ''{9}'') SELECT n FROM r ORDER BY n');

-- By the rows they are computed for.
CALL plan('SELECT gpusort.array_sort(mz), max(gpusort.array_sort(mz, true)) FROM few GROUP BY mz');
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra LIMIT 20');
CALL plan('SELECT gpusort.array_sort(mz) FROM spectra WHERE x > random()');
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_material = off;
CALL plan('SELECT l.s, r.s FROM (SELECT id, gpusort.array_sort(mz) IS NULL AS s FROM spectra a) l FULL JOIN (SELECT id, gpusort.array_sort(mz) IS NULL AS s FROM spectra b) r USING (id)');
RESET enable_hashjoin;
RESET enable_nestloop;
RESET enable_material;
BEGIN;
DECLARE of_call CURSOR FOR SELECT gpusort.array_sort(mz || 10 / id) FROM spectra;
DECLARE of_input CURSOR FOR SELECT gpusort.array_sort(mz) FROM spectra WHERE 10 / id IS NOT NULL;
COMMIT;

RESET gpusort.explain_choices;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA choices CASCADE;
