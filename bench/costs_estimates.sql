-- Where the planner's estimates or the rows' surroundings mislead, for bench/costs: more and
-- fewer rows or groups than expected, FILTER, wide tables read by bitmap and index scans,
-- sorts that are run again and again, and planning with a thousand partitions and more.
SET client_min_messages = warning;
CREATE FUNCTION rows_of(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1 / current_setting(''costs.scale'')::int, 100)';
SET costs.scale = :scale;

-- e: expressions whose groups are over-estimated, columns that depend on each other.
CREATE UNLOGGED TABLE e AS SELECT i AS id, i % 100 AS g, i % 1000 AS a, i % 1000 AS b, (hashint4(i) & 65535) AS k, (2e9 * random())::int AS x, random() AS f,
	md5((hashint4(i) % 20000)::text) AS t, (ARRAY['new', 'paid', 'sent', 'gone'])[1 + (hashint4(i) & 3)] AS status, ((hashint4(i) & 1048575) / 100.0)::numeric(12, 2) AS n
FROM generate_series(1, rows_of(1000000)) i;
CREATE INDEX ON e (k);
-- w: 150 columns.
SELECT format('CREATE UNLOGGED TABLE w AS SELECT i AS id, hashint4(i) AS k, date ''2000-01-01'' + abs(hashint4(i) %% 4000) AS d, md5(i::text) AS t, %s FROM generate_series(1, rows_of(200000)) i',
			  string_agg('i AS c' || c, ', ')) FROM generate_series(1, 150) c \gexec
CREATE INDEX ON w (k);
-- l: texts in a linguistic collation.
CREATE UNLOGGED TABLE l (id int, status text COLLATE "en-x-icu", name text COLLATE "en-x-icu", t text COLLATE "en-x-icu", n numeric, a text, b text, c text);
INSERT INTO l SELECT id, status, md5((id % 300)::text), md5(id::text), n, t, t, t FROM e WHERE id <= rows_of(200000);
-- o: the rows that were made last are wanted, and the time stands behind texts.
CREATE UNLOGGED TABLE o AS SELECT id, status, t, t || status AS name, n, t || n AS note, t AS a, t AS b, t AS c, id AS made FROM e WHERE id <= rows_of(200000) ORDER BY id;
-- d: what is sorted for each row of another table.
CREATE UNLOGGED TABLE d AS SELECT i % rows_of(20000) AS k, (2e9 * random())::int AS x, random() AS f, md5(i::text) AS t FROM generate_series(1, rows_of(20000) * 3) i;
CREATE INDEX ON d (k);
CREATE UNLOGGED TABLE few AS SELECT i AS k, (2e9 * random())::int AS x, md5(i::text) AS t FROM generate_series(1, 3) i;
-- p1000 and p2000: partitions of a few rows.
SELECT format('CREATE TABLE p%s (a int, x int, t text, c int[]) PARTITION BY RANGE (a)', n),
	   (SELECT string_agg(format('CREATE UNLOGGED TABLE p%1$s_%2$s PARTITION OF p%1$s FOR VALUES FROM (%2$s) TO (%2$s + 1)', n, i), '; ') FROM generate_series(1, n) i)
FROM unnest('{1000,2000}'::int[]) n \gexec
INSERT INTO p1000 SELECT 1 + i % 1000, i, md5(i::text), ARRAY[i, 3] FROM generate_series(1, 5000) i;
INSERT INTO p2000 SELECT 1 + i % 2000, i, md5(i::text), ARRAY[i, 3] FROM generate_series(1, 5000) i;
VACUUM (FREEZE, ANALYZE);

CREATE TABLE kinds AS SELECT row_number() OVER () AS ord, * FROM (VALUES
	('over-estimates', 'SELECT count(*) FROM (SELECT DISTINCT id / 100000, g FROM e) q', ''),
	('over-estimates', 'SELECT count(*) FROM (SELECT id / 1000, g / 10 FROM e GROUP BY 1, 2) q', ''),
	('over-estimates', 'SELECT count(*) FROM (SELECT DISTINCT a, b FROM e) q', ''),
	('over-estimates', 'SELECT count(*) FROM (SELECT DISTINCT left(t, 2) FROM e) q', ''),
	('over-estimates', 'SELECT count(*) FROM (SELECT a % 7, b % 7 FROM e UNION SELECT g, g FROM e) q', ''),
	('over-estimates', 'SELECT count(*) FROM (SELECT count(*), sum(x) FROM e GROUP BY id / 100000, g) q', ''),
	('over-estimates', 'SELECT count(m) FROM (SELECT gpusort.median(x) AS m FROM e GROUP BY id / 100000, g) q', ''),
	('over-estimates', 'SELECT count(m) FROM (SELECT gpusort.sorted_agg(x) AS m FROM e GROUP BY a, b) q', ''),
	('over-estimates', 'SELECT count(m) FROM (SELECT gpusort.sorted_agg(f) AS m FROM e GROUP BY left(t, 2)) q', ''),
	('over-estimates', 'SELECT count(m) FROM (SELECT gpusort.count_distinct(x) AS m FROM e GROUP BY a % 7, b % 7) q', ''),
	('over-estimates', 'SELECT count(m) FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f) AS m FROM e GROUP BY id / 100000, g) q', ''),
	('over-estimates', 'SELECT count(q) FROM (SELECT x, f FROM e WHERE id % 1000 < 1 AND x / 2 * 2 > 0 ORDER BY x OFFSET 0) q', ''),
	('over-estimates', 'SELECT count(q) FROM (SELECT x, t FROM few, jsonb_array_elements(''[1]'') i, jsonb_array_elements(''[1]'') j ORDER BY x OFFSET 0) q', ''),
	('under-estimates', 'SELECT count(q) FROM (SELECT x, t FROM e WHERE a < 300 AND b < 300 ORDER BY x OFFSET 0) q', ''),
	('under-estimates', 'SELECT count(q) FROM (SELECT x, f FROM e WHERE id - id = 0 ORDER BY x OFFSET 0) q', ''),
	('under-estimates', 'SELECT count(*) FROM (SELECT DISTINCT k FROM e WHERE id - id = 0) q', ''),
	('under-estimates', 'SELECT count(m) FROM (SELECT gpusort.median(f) AS m FROM e WHERE id - id = 0 GROUP BY k) q', ''),
	('under-estimates', 'SELECT count(m) FROM (SELECT array_agg(x ORDER BY f) AS m FROM e WHERE id - id = 0 GROUP BY g) q', ''),
	('under-estimates', 'SELECT count(q) FROM (SELECT status, n, id FROM e WHERE id - id = 0 ORDER BY status, n OFFSET 0) q', ''),
	('groups', 'SELECT count(*) FROM (SELECT DISTINCT t FROM e) q', ''),
	('groups', 'SELECT count(*) FROM (SELECT DISTINCT status, n FROM e) q', ''),
	('groups', 'SELECT count(*) FROM (SELECT DISTINCT t, x FROM e) q', ''),
	('groups', 'SELECT count(*) FROM (SELECT DISTINCT k FROM e) q', ''),
	('groups', 'SELECT count(m) FROM (SELECT gpusort.median(f) AS m FROM e GROUP BY k) q', ''),
	('groups', 'SELECT count(m) FROM (SELECT gpusort.sorted_agg(x) AS m FROM e GROUP BY t) q', ''),
	('groups', 'SELECT count(m) FROM (SELECT count(DISTINCT n) AS m FROM e GROUP BY g) q', ''),
	('groups', 'SELECT count(m) FROM (SELECT count(DISTINCT x) + sum(f) AS m FROM e GROUP BY g) q', ''),
	('groups', 'SELECT count(m) FROM (SELECT count(DISTINCT x) + sum(f) AS m FROM e) q', ''),
	('filter', 'SELECT length(string_agg(t, '','' ORDER BY t) FILTER (WHERE id < 10)), count(*) FROM e', ''),
	('filter', 'SELECT cardinality(array_agg(x ORDER BY f) FILTER (WHERE id % 100 = 0)) FROM e', ''),
	('filter', 'SELECT count(m) FROM (SELECT array_agg(x ORDER BY f) FILTER (WHERE id % 100 = 0) AS m FROM e GROUP BY g) q', ''),
	('filter', 'SELECT count(DISTINCT x) FILTER (WHERE id % 100 = 0), percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FILTER (WHERE g < 3) FROM e', ''),
	('filter', 'SELECT cardinality(array_agg(x ORDER BY f) FILTER (WHERE g < 3)), cardinality(array_agg(x ORDER BY f)) FROM e', ''),
	('filter', 'SELECT count(m) FROM (SELECT gpusort.sorted_agg(x) FILTER (WHERE a < 3) AS m FROM e GROUP BY k) q', ''),
	('newest', 'SELECT count(q) FROM (SELECT * FROM o ORDER BY made DESC LIMIT 10) q', ''),
	('newest', 'SELECT count(q) FROM (SELECT * FROM o ORDER BY made LIMIT 10) q', ''),
	('linguistic', 'SELECT count(q) FROM (SELECT * FROM l ORDER BY name, t LIMIT 100) q', ''),
	('linguistic', 'SELECT count(q) FROM (SELECT * FROM l ORDER BY t LIMIT 5000) q', ''),
	('linguistic', 'SELECT count(q) FROM (SELECT t FROM l ORDER BY t LIMIT 100) q', ''),
	('linguistic', 'SELECT count(q) FROM (SELECT * FROM l ORDER BY status, n OFFSET 0) q', ''),
	('linguistic', 'SELECT count(q) FROM (SELECT status, name, t, a, b FROM l ORDER BY status, name OFFSET 0) q', ''),
	('bitmap scan', 'SELECT count(*) FROM (SELECT DISTINCT d FROM w WHERE k > 0) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(q) FROM (SELECT d, k FROM w WHERE k > 0 ORDER BY d OFFSET 0) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(q) FROM (SELECT d, c149 FROM w WHERE k > 0 ORDER BY d OFFSET 0) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(q) FROM (SELECT * FROM w WHERE k > 1900000000 ORDER BY d OFFSET 0) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(m) FROM (SELECT gpusort.median(id) AS m FROM w WHERE k > 0 GROUP BY d) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(m) FROM (SELECT array_agg(id ORDER BY t) AS m FROM w WHERE k > 0 GROUP BY d) q', 'enable_seqscan = off, enable_indexscan = off'),
	('bitmap scan', 'SELECT count(q) FROM (SELECT x, t FROM e WHERE k < 20000 ORDER BY x OFFSET 0) q', 'enable_seqscan = off, enable_indexscan = off'),
	('index scan', 'SELECT count(*) FROM (SELECT DISTINCT d FROM w WHERE k > 0) q', 'enable_seqscan = off, enable_bitmapscan = off'),
	('index scan', 'SELECT count(q) FROM (SELECT d, c149 FROM w WHERE k > 0 ORDER BY d OFFSET 0) q', 'enable_seqscan = off, enable_bitmapscan = off'),
	('index scan', 'SELECT count(q) FROM (SELECT * FROM w WHERE k > 1900000000 ORDER BY d OFFSET 0) q', 'enable_seqscan = off, enable_bitmapscan = off'),
	('index scan', 'SELECT count(q) FROM (SELECT k, x FROM e ORDER BY k, x OFFSET 0) q', 'enable_seqscan = off, enable_bitmapscan = off'),
	('index scan', 'SELECT count(m) FROM (SELECT array_agg(x ORDER BY f) AS m FROM e GROUP BY k) q', 'enable_seqscan = off, enable_bitmapscan = off'),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(50000)) g (k), LATERAL (SELECT x, t FROM few WHERE few.k <= g.k % 5 ORDER BY x OFFSET 0) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(50000)) g (k), LATERAL (SELECT x, few.t FROM few, jsonb_array_elements(''[1]'') i, jsonb_array_elements(''[1]'') j WHERE few.k <= g.k % 5 ORDER BY x OFFSET 0) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(50000)) g (k), LATERAL (SELECT x, few.t FROM few, jsonb_array_elements(''[1]'') i, jsonb_array_elements(''[1]'') j WHERE few.k <= g.k % 5 ORDER BY few.t COLLATE "C" LIMIT 2) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(20000)) g (k), LATERAL (SELECT x, t FROM unnest(ARRAY(SELECT d FROM d WHERE d.k = g.k)) u ORDER BY x OFFSET 0) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(20000)) g (k), LATERAL (SELECT x, t FROM d WHERE d.k = g.k ORDER BY x OFFSET 0) q', ''),
	('rescans', 'SELECT count(q) FROM (SELECT (SELECT string_agg(few.t, '','' ORDER BY few.x) FROM few, jsonb_array_elements(''[1]'') i, jsonb_array_elements(''[1]'') j WHERE few.k <= g.k % 5) FROM generate_series(1, rows_of(50000)) g (k)) q', ''),
	('rescans', 'SELECT count(q) FROM (SELECT (SELECT array_agg(x ORDER BY f) FROM d WHERE d.k = g.k) FROM generate_series(1, rows_of(20000)) g (k)) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(20000)) g (k), LATERAL (SELECT DISTINCT x FROM d WHERE d.k = g.k) q', ''),
	('rescans', 'SELECT count(q) FROM generate_series(1, rows_of(20000)) g (k), LATERAL (SELECT x FROM few, generate_series(1, 400) h WHERE few.k <= g.k % 2 ORDER BY x, h LIMIT 1) q', ''),
	('rescans', 'SELECT count(*) FROM generate_series(1, 20) g (k), LATERAL (SELECT x, t FROM d WHERE d.k % 20 = g.k ORDER BY x OFFSET 0) q', ''),
	('rescans', 'SELECT count(*) FROM (SELECT g.k, row_number() OVER (PARTITION BY g.k ORDER BY d.x) AS r FROM generate_series(1, rows_of(20000)) g (k) JOIN d USING (k)) q WHERE r <= 2', ''),
	('partitions', 'EXPLAIN SELECT x FROM p1000 ORDER BY x', ''),
	('partitions', 'EXPLAIN SELECT x FROM p2000 ORDER BY x', ''),
	('partitions', 'EXPLAIN SELECT * FROM p2000 WHERE a > (SELECT 5) ORDER BY x', ''),
	('partitions', 'EXPLAIN SELECT gpusort.array_sort(c) FROM p1000', ''),
	('partitions', 'EXPLAIN SELECT gpusort.array_sort(c) FROM p2000', ''),
	('partitions', 'EXPLAIN SELECT gpusort.array_sort(c) FROM p2000 WHERE a > (SELECT 5)', ''),
	('partitions', 'EXPLAIN SELECT DISTINCT x, t FROM p2000', ''),
	('partitions', 'EXPLAIN SELECT a, array_agg(x ORDER BY t) FROM p2000 GROUP BY a', 'enable_partitionwise_aggregate = on'),
	('partitions', 'EXPLAIN SELECT a, gpusort.median(x) FROM p1000 GROUP BY a', 'enable_partitionwise_aggregate = on'),
	('partitions', 'SELECT count(q) FROM (SELECT x, t FROM p1000 ORDER BY x OFFSET 0) q', ''),
	('partitions', 'SELECT count(q) FROM (SELECT a, x FROM p1000 ORDER BY a, x OFFSET 0) q', ''),
	('partitions', 'SELECT x FROM p2000 ORDER BY x LIMIT 10', ''),
	('partitions', 'SELECT count(m) FROM (SELECT array_agg(x ORDER BY t) AS m FROM p1000 GROUP BY a) q', 'enable_partitionwise_aggregate = on')
) q (kind, query, settings);

CREATE TABLE queries AS
SELECT concat_ws(', ', 'work_mem = ' || memory, 'max_parallel_workers_per_gather = ' || workers, NULLIF(settings, '')) AS settings, query,
	row_number() OVER (ORDER BY ord, memory, workers) AS id
FROM kinds, unnest(ARRAY['4MB', '64MB']) memory, unnest(ARRAY[0, 2]) workers
WHERE kind NOT IN ('rescans', 'partitions') OR (memory = '4MB') = (workers = 0);
