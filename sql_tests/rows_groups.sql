-- The rows node below DISTINCT, UNION and GROUP BY, beside hashing.
SET max_parallel_workers_per_gather = 0;
SET compute_query_id = off;
SET work_mem = '4MB';
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TABLE groups_t (id int PRIMARY KEY, small int2, k int4, big int8, f float8, n numeric, t text COLLATE "C", label varchar(20), blank char(6), u uuid, at timestamptz, even bool, rest text)
	WITH (autovacuum_enabled = off);
INSERT INTO groups_t SELECT i, i % 3000, CASE WHEN i % 10 > 0 THEN i * 7919 % 9000 END, i * 31::int8 % 8000, CASE i % 5 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE (i % 7000)::text END::float8,
	CASE WHEN i % 2 = 0 THEN (i % 9000)::numeric ELSE (i % 9000)::numeric(9, 2) END, 't' || i % 12000, 'v' || i % 13000, CASE WHEN i % 2 = 0 THEN 'x' || i % 8000 ELSE rpad('x' || i % 8000, 6) END,
	md5((i % 11000)::text)::uuid, timestamptz '2024-01-01 00:00+00' + make_interval(mins => i % 9000), i % 2 = 0, repeat('rest', 20)
FROM generate_series(1, 20000) i;
ANALYZE groups_t;

-- The plan; columns that nobody reads are constants for the node.
EXPLAIN (VERBOSE, COSTS OFF) SELECT DISTINCT k, t FROM groups_t;
EXPLAIN (COSTS OFF) SELECT k, f FROM groups_t GROUP BY k, f HAVING k + f > 5;
-- Few groups, volatile arguments, what has no code, and what the setting keeps: hashing stays.
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT even FROM groups_t', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT k, count(*), sum(f + random()) FROM groups_t GROUP BY k', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT k, big, sum((SELECT f + random())) FROM groups_t GROUP BY k, big', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT ARRAY[k] FROM groups_t', 'COSTS OFF', 'Gpusort|Aggregate');
SET gpusort.enable_sort = off;
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT k FROM groups_t', 'COSTS OFF', 'Gpusort|Aggregate');
RESET gpusort.enable_sort;
-- Aggregates; few groups for all that is known of them; rows that exceed memory where the groups do not. The groups come in the order of a Sort, which is left out unless the plan may run backwards.
SELECT * FROM pg_temp.explain_lines('SELECT k, big, count(*), sum(f) FROM groups_t GROUP BY k, big', 'COSTS OFF', 'Gpusort|Aggregate|Sort');
SELECT * FROM pg_temp.explain_lines('SELECT id % 7000, count(*) FROM groups_t GROUP BY id % 7000', 'COSTS OFF', 'Gpusort|Aggregate|Sort');
SET work_mem = '192kB';
SELECT * FROM pg_temp.explain_lines('SELECT small, count(*) FROM groups_t GROUP BY small', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT k, big, count(*) FROM groups_t GROUP BY k, big', 'COSTS OFF', 'Gpusort|Aggregate');
SET work_mem = '4MB';
SELECT * FROM pg_temp.explain_lines('SELECT count(*) AS n, k AS key FROM groups_t GROUP BY k, big ORDER BY key, big', 'COSTS OFF, VERBOSE', 'Gpusort|Aggregate|Sort');
SET gpusort.explain_choices = on;
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT k, big FROM groups_t ORDER BY k', 'COSTS OFF', 'Gpusort|Aggregate|Sort');
RESET gpusort.explain_choices;
-- Values are sorted before texts, but where a Sort is left out.
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT t, k FROM groups_t', 'COSTS OFF', 'Gpusort|Aggregate|Sort');
SELECT * FROM pg_temp.explain_lines('SELECT DISTINCT t, k FROM groups_t ORDER BY t, k', 'COSTS OFF', 'Gpusort|Aggregate|Sort');
SELECT * FROM pg_temp.explain_lines('SELECT k, count(*) FROM groups_t GROUP BY k, big ORDER BY k, big DESC', 'COSTS OFF', 'Gpusort|Aggregate|Sort Key');
SELECT * FROM pg_temp.explain_lines('DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM groups_t GROUP BY k, big ORDER BY k, big', 'COSTS OFF', 'Gpusort|Aggregate|Sort Key');
SELECT rows, same FROM unnest(ARRAY['SELECT count(*) AS n, k AS key, sum(f) FROM groups_t GROUP BY k, big ORDER BY key, big',
	'SELECT DISTINCT k, big FROM groups_t ORDER BY k, big', 'SELECT sum(n) FROM groups_t GROUP BY big, k ORDER BY big, k']) query, pg_temp.compare_node('rows', query);
-- Grouping sets are not in one order. Rows have no key for a constant column, and the Sort of their groups may have more.
SET enable_hashagg = off;
SET enable_indexscan = off;
SELECT rows, same FROM pg_temp.compare_node('rows', 'SELECT g.id, g.k, count(*) FROM groups_t g, (VALUES (5), (7)) v (c) WHERE c = 5 GROUP BY g.id, c ORDER BY g.id, g.k');
RESET enable_indexscan;
SELECT rows, same FROM pg_temp.compare_node('rows', 'SELECT k, bool_and(true) FROM groups_t GROUP BY GROUPING SETS ((k, big), (k, small)) ORDER BY k');
RESET enable_hashagg;
-- A merge join goes back in its inner input.
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT rows, same FROM pg_temp.compare_node('rows', 'SELECT a.k, a.n, b.n AS other FROM (SELECT k, big % 3 AS three, count(*) AS n FROM groups_t GROUP BY k, big % 3) a
	JOIN (SELECT k, small, count(*) AS n FROM groups_t GROUP BY k, small) b ON a.k = b.k', false);
RESET enable_hashjoin;
RESET enable_nestloop;
CREATE TEMP TABLE sorted_groups AS SELECT count(*) AS n, k AS key FROM groups_t GROUP BY k, big ORDER BY key, big;
SELECT * FROM sorted_groups LIMIT 3;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM groups_t GROUP BY k, big ORDER BY k, big;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
ROLLBACK;

-- The extension's aggregates that keep the values of a group, with others beside them, unless arguments are volatile or few groups may exceed work_mem.
SELECT * FROM pg_temp.explain_lines('SELECT k, gpusort.median(f), count(*) FROM groups_t GROUP BY k', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT k FROM groups_t GROUP BY k HAVING gpusort.count_distinct(id) > 2', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT k, gpusort.median(f + random()) FROM groups_t GROUP BY k', 'COSTS OFF', 'Gpusort|Aggregate');
SET work_mem = '64kB';
SELECT * FROM pg_temp.explain_lines('SELECT even, gpusort.median(f) FROM groups_t GROUP BY even', 'COSTS OFF', 'Gpusort|Aggregate');
SET work_mem = '4MB';
SELECT * FROM pg_temp.explain_lines('SELECT even, gpusort.median(f) FROM groups_t GROUP BY even', 'COSTS OFF', 'Gpusort|Aggregate');
SET gpusort.enable_sort = off;
SELECT * FROM pg_temp.explain_lines('SELECT k, gpusort.median(f) FROM groups_t GROUP BY k', 'COSTS OFF', 'Gpusort|Aggregate');
RESET gpusort.enable_sort;
-- Nothing is known of expressions, so their groups may be far fewer than the planner expects. Columns are known below joins and subqueries, too.
SELECT * FROM pg_temp.explain_lines('SELECT gpusort.median(f) FROM groups_t GROUP BY k % 7, id % 3', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT gpusort.median(f) FROM groups_t GROUP BY even, small % 100', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT gpusort.median(f) FROM groups_t GROUP BY id / 100, k', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT gpusort.median(q.f) FROM (SELECT k, f FROM groups_t OFFSET 0) q JOIN groups_t g ON g.id = q.k GROUP BY q.k, g.even', 'COSTS OFF', 'Gpusort|Aggregate');

-- The same rows as by hashing, the same one of equal values among them.
CREATE TABLE queries (n serial, query text);
INSERT INTO queries (query) SELECT format('SELECT DISTINCT %s FROM groups_t', columns) FROM unnest(ARRAY['id', 'small', 'k', 'big', 'f', 'n', 't', 'label', 'blank', 'u', 'at', 'small, even', 'k, f', 'n, t', 'k, big, small, at',
	'label COLLATE "POSIX", k', 'k + 1, big % 7000', 'date_trunc(''minute'', at)',
	'id / 10000, even', 'left(t, 2), id / 5000', 'round(n / 1000), f / 10000', 'nullif(k / 5000, 1)', 'id / 12000 + id % 7, left(label, 1)', 'nullif(left(t, 2), ''t5''), k % 3']) columns;
INSERT INTO queries (query) VALUES ('SELECT k, f FROM groups_t GROUP BY k, f HAVING k + f > 5'), ('SELECT k FROM groups_t UNION SELECT big FROM groups_t'), ('SELECT id, upper(t), n FROM groups_t GROUP BY id'),
	('SELECT k FROM groups_t INTERSECT SELECT big FROM groups_t'), ('SELECT DISTINCT a.k, b.f FROM groups_t a JOIN groups_t b ON a.id = b.id WHERE a.id % 3 > 0'), ('SELECT * FROM groups_t WHERE id IN (SELECT k FROM groups_t)'),
	('SELECT g, q.k FROM generate_series(1, 3) g, LATERAL (SELECT DISTINCT k FROM groups_t WHERE k % 4 <> g) q'), ('SELECT q.k FROM (SELECT DISTINCT k FROM groups_t OFFSET 0) q WHERE q.k < 50'),
	('SELECT even, (SELECT count(*) FROM (SELECT DISTINCT k FROM groups_t i WHERE i.even = o.even) d) FROM (VALUES (true), (false)) o(even)'), ('SELECT DISTINCT k FROM groups_t WHERE false'),
	('SELECT k, gpusort.median(f), gpusort.sorted_agg(id), count(*) FILTER (WHERE even) FROM groups_t GROUP BY k'),
	('SELECT small, gpusort.top_n_agg_by(k, id, 3), sum(f) FROM groups_t GROUP BY small HAVING gpusort.count_distinct(k) > 1'), ('SELECT t, big, gpusort.percentile_disc_agg(id, 0.3) FROM groups_t GROUP BY t, big'),
	('SELECT k, big, sum(f), sum(n), max(t) FILTER (WHERE even), count(at) FROM groups_t GROUP BY k, big HAVING count(*) < 3');
CREATE TEMP TABLE compared AS SELECT * FROM queries, pg_temp.compare_node('rows', query, false);
SELECT n, rows, same, query FROM compared ORDER BY n;
SELECT count(*) > 20 AS most_used FROM compared WHERE nodes > 0;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT count(*) FILTER (WHERE nodes > 0) > 15 AS many_used FROM queries, pg_temp.compare_node('rows', query, false);
SET hash_mem_multiplier = 20;
SELECT count(*) AS same FROM queries, pg_temp.compare_node('rows', query, false) WHERE same;
-- Fewer groups than expected: equal rows are dropped as they are read.  Which of these queries have the node depends on settings.
SELECT count(*) > 1 AS used, bool_and(((regexp_match(line, 'rows=(\d+)'))[1]::int < 10000) = (columns <> 'id')) AS dropped_if_equal
FROM unnest(ARRAY['id / 10000, id % 2', 'left(t, 2), id / 5000', 'nullif(id % 20, 1), round(n / 1000)', 'id % 20, id / 5000', 'id']) columns,
	pg_temp.explain_lines(format('SELECT DISTINCT %s FROM groups_t', columns), 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'GpusortRows') line;
RESET hash_mem_multiplier;
SET work_mem = '4MB';

-- Rows of a group come in the input's order, as to a hash table.
SET enable_sort = off;
SELECT * FROM pg_temp.compare_node('rows', 'SELECT small, array_agg(id), gpusort.top_n_agg_by(id, k, 3) FROM groups_t GROUP BY small', false);
RESET enable_sort;

-- A sort above by the same columns, and a prepared statement.
SELECT rows, same FROM pg_temp.compare_node('rows', 'SELECT DISTINCT k, big FROM groups_t ORDER BY big DESC, k LIMIT 1000');
PREPARE distinct_after(int) AS SELECT count(*) FROM (SELECT DISTINCT k, t FROM groups_t WHERE k > $1) q;
EXECUTE distinct_after(100);
EXECUTE distinct_after(8000);
DEALLOCATE distinct_after;

-- A hash table is kept where it is read again for other parameters of the nodes above it; sorted rows would not be.
SET work_mem = '64MB';
SELECT count(DISTINCT s) FROM generate_series(1, 3) g,
	LATERAL (SELECT sum(r) AS s FROM (SELECT DISTINCT (random() * 1e9)::int AS r FROM groups_t OFFSET 0) d WHERE r > -g) q;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT * FROM pg_temp.explain_lines('SELECT * FROM (VALUES (1), (2)) o(g), LATERAL (SELECT count(*) FROM (SELECT DISTINCT id FROM groups_t OFFSET 0) d WHERE id > g) q', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('SELECT (SELECT count(*) FROM (SELECT DISTINCT id FROM groups_t OFFSET 0) d WHERE id > g) FROM (VALUES (1), (2)) o(g)', 'COSTS OFF', 'Gpusort|Aggregate');
SELECT * FROM pg_temp.explain_lines('WITH d AS MATERIALIZED (SELECT DISTINCT id FROM groups_t) SELECT count(*) FROM d', 'COSTS OFF', 'Gpusort|GroupAggregate');
RESET enable_indexscan;
RESET enable_indexonlyscan;
-- Rows of a table are not kept whole where the node leaves out columns of them, as it does for many groups.
CREATE TABLE wide (id int, first numeric, a numeric(4), b numeric(4), c numeric(4), d numeric(4), last text) WITH (autovacuum_enabled = off);
INSERT INTO wide SELECT i, i, i % 7, i % 11, i % 13, i % 17, 'last' FROM generate_series(1, 400) i;
ANALYZE wide;
UPDATE pg_class SET reltuples = 4000000 WHERE oid = 'wide'::regclass;
SET gpusort.engine = cpu;	-- no GPU sorts numeric alone
SET enable_sort = off;
SET work_mem = '1GB';
SELECT * FROM pg_temp.compare_node('rows', 'SELECT id, gpusort.median(a), gpusort.median(b), gpusort.median(c), gpusort.median(d) FROM wide GROUP BY id', false);
RESET enable_sort;
RESET gpusort.engine;
DROP TABLE groups_t, queries, wide;
