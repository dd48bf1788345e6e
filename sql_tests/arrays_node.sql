-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- The arrays node: every shape of query gives the same rows with it and without it.
SET client_min_messages = warning;
SET gpusort.force_nodes = on;
SET extra_float_digits = 0;
SET max_parallel_workers_per_gather = 0;

CREATE TABLE samples (
	id int PRIMARY KEY,
	a float4[],					-- stored outside, not compressed
	b int4[],					-- stored outside, compressed
	c float8[],					-- mostly inline
	w float4[],					-- weights, as long as a
	tag text
);
ALTER TABLE samples ALTER a SET STORAGE EXTERNAL, ALTER w SET STORAGE EXTERNAL;
INSERT INTO samples
SELECT i,
	(SELECT array_agg((hashint8(i * 7919 + x) % 100000)::float4 / 8 ORDER BY x) FROM generate_series(1, (i * 37) % 1500) x),
	(SELECT array_agg((hashint4(i + x % 50) % 100) ORDER BY x) FROM generate_series(1, (i * 61) % 3000) x),
	(SELECT array_agg((hashint4(i + x) % 1000)::float8 / 4 ORDER BY x) FROM generate_series(1, i % 40) x),
	(SELECT array_agg((hashint8(i * 104729 + x) % 1000)::float4 ORDER BY x) FROM generate_series(1, (i * 37) % 1500) x),
	'tag ' || i % 7
FROM generate_series(1, 120) i;
-- the odd ones
INSERT INTO samples VALUES
	(1001, NULL, NULL, NULL, NULL, NULL),
	(1002, '{}', '{}', '{}', '{}', 'empty'),
	(1003, '{1}', '{1}', '{1}', '{9}', 'one'),
	(1004, '{3,NULL,1,NULL,2}', '{3,NULL,1}', '{NULL}', '{1,2,3,4,5}', 'nulls'),
	(1005, '[5:7]={3,1,2}', '[-1:1]={3,1,2}', '[0:0]={1}', '[2:4]={7,9,8}', 'bounds'),
	(1006, '{{3,1},{2,9}}', '{{3,1},{2,9}}', '{{1},{0}}', '{{1,2},{3,4}}', 'dimensions'),
	(1007, '{NaN,Infinity,-Infinity,0,-1,NaN,1e-40}', '{2147483647,-2147483648,0}', '{NaN,-Infinity,1e300}', '{1,2,3,4,5,6,7}', 'floats');
VACUUM ANALYZE samples;

\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers

CREATE TABLE shapes (n serial, query text);
\copy shapes (query) FROM stdin
SELECT id, gpusort.array_sort(a) FROM samples
SELECT id, gpusort.array_sort(a, true) FROM samples
SELECT id, gpusort.array_sort(a, true, false) FROM samples
SELECT id, gpusort.array_sort(a, NULL) FROM samples
SELECT id, gpusort.array_sort(b) FROM samples
SELECT id, gpusort.array_sort(c) FROM samples
SELECT gpusort.array_sort(c), tag, gpusort.array_sort(a), id, gpusort.array_sort(b, true), c FROM samples
SELECT id, gpusort.array_argsort(a), gpusort.array_argsort(b, true), gpusort.array_argsort(c) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort_by(a, w), gpusort.array_sort_by(w, a, true) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort_by(c, c), gpusort.array_sort_by(b::int8[], b) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort_by(b::int2[], b, true) FROM samples WHERE id <= 110
SELECT id, gpusort.array_top_n(a, 3), gpusort.array_top_n(b, 5, false), gpusort.array_top_n(c, 100) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_top_n(a, 0) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_top_n_by(a, w, 4), gpusort.array_top_n_by(w, a, 4, false) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort_distinct(b), gpusort.array_sort_distinct(c, true) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_median(a), gpusort.array_percentile_cont(c, 0.9), gpusort.array_percentile_disc(b, '{0.1,0.5,NULL}'::float8[]), gpusort.array_mode(c) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_percentile_disc(w, NULL::float8), gpusort.array_median(gpusort.array_sort(w)), gpusort.array_mode(b) + id FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort(a)::text, (gpusort.array_sort(b))[1:3], cardinality(gpusort.array_sort(c)) + 1 FROM samples
SELECT id, gpusort.array_sort(gpusort.array_sort(a, true)) FROM samples
SELECT id, gpusort.array_top_n(gpusort.array_sort_distinct(gpusort.array_sort(b)), 3) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort(a), gpusort.array_sort(a), gpusort.array_sort(a) || gpusort.array_sort(w) FROM samples WHERE id <> 1006
SELECT id, CASE WHEN id % 2 = 0 THEN gpusort.array_sort(a) ELSE a END FROM samples
SELECT id, CASE cardinality(gpusort.array_sort(a)) WHEN 5 THEN 'five' ELSE 'other' END FROM samples
SELECT id, coalesce(gpusort.array_sort(a), '{0}'), coalesce(w, gpusort.array_sort(w)) FROM samples
SELECT id, CASE WHEN id > 0 THEN gpusort.array_sort(a) END, gpusort.array_sort(a) FROM samples
SELECT id, gpusort.array_sort(a) IS NULL AND gpusort.array_sort(w) IS NULL, greatest(gpusort.array_sort(a), w) FROM samples
SELECT id, gpusort.array_sort(a || w) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort(b::float8[]), gpusort.array_sort(c::int8[]) FROM samples WHERE id < 300
SELECT id, gpusort.array_sort(ARRAY[id, -id, id % 10]) FROM samples
SELECT id, gpusort.array_sort(a) FROM samples ORDER BY tag, id DESC
SELECT id, gpusort.array_sort(a) s FROM samples ORDER BY s, id
SELECT tag, gpusort.array_sort(array_agg(id)) FROM samples GROUP BY tag ORDER BY tag
SELECT tag, gpusort.array_sort(array_agg(id % 5), true), count(*), gpusort.array_sort_distinct(array_agg(id % 5)) FROM samples GROUP BY tag HAVING count(*) > 1 ORDER BY 1
SELECT gpusort.array_sort(array_agg(x)) FROM samples, unnest(c) x GROUP BY id ORDER BY id
SELECT tag, id, gpusort.array_sort(array_agg(id) OVER (PARTITION BY tag)) FROM samples ORDER BY id
SELECT tag, grouping(tag), gpusort.array_sort(array_agg(id)) FROM samples GROUP BY ROLLUP (tag) ORDER BY tag
SELECT s.id, gpusort.array_sort(s.a), gpusort.array_sort(o.c) FROM samples s JOIN samples o ON o.id = s.id + 1 ORDER BY s.id
SELECT s.id, o.x FROM samples s LEFT JOIN (SELECT id, gpusort.array_sort(c) x FROM samples WHERE id % 3 = 0) o ON o.id = s.id ORDER BY s.id
SELECT q.id, q.x FROM (SELECT id, gpusort.array_sort(a) x FROM samples OFFSET 3) q WHERE cardinality(q.x) > 50
SELECT id, gpusort.array_sort(a) FROM samples WHERE id < 100 UNION ALL SELECT -id, gpusort.array_sort(w) FROM samples WHERE id >= 90
(SELECT gpusort.array_sort(c) FROM samples) INTERSECT (SELECT c FROM samples) ORDER BY 1
WITH x AS MATERIALIZED (SELECT id, gpusort.array_sort(a) s FROM samples) SELECT x.id, y.s FROM x JOIN x y ON y.id = x.id ORDER BY x.id
SELECT s.id, l.x FROM samples s, LATERAL (SELECT gpusort.array_sort(o.c, s.id % 2 = 0) x FROM samples o WHERE o.id BETWEEN s.id AND s.id + 3 OFFSET 0) l WHERE s.id < 40 ORDER BY s.id
SELECT s.id, (SELECT gpusort.array_sort(o.a) FROM samples o WHERE o.id = s.id + 1) FROM samples s ORDER BY s.id
SELECT s.id, ARRAY(SELECT cardinality(gpusort.array_sort(o.c)) FROM samples o WHERE o.id < s.id ORDER BY o.id) FROM samples s WHERE s.id < 30
SELECT id FROM samples s WHERE EXISTS (SELECT gpusort.array_sort(o.a) FROM samples o WHERE o.id = s.id + 1 OFFSET 0)
SELECT id, gpusort.array_sort(a) FROM samples ORDER BY id LIMIT 5
SELECT id, gpusort.array_sort(a) FROM samples LIMIT 10 OFFSET 50
SELECT unnest(gpusort.array_sort(c)) FROM samples
SELECT id, unnest(gpusort.array_top_n(c, 3)), unnest(gpusort.array_sort(b[1:4])) FROM samples WHERE id <> 1006
SELECT id, generate_series(1, 2), gpusort.array_sort(c) FROM samples
SELECT DISTINCT gpusort.array_sort(c) FROM samples ORDER BY 1
SELECT s, count(*) FROM (SELECT gpusort.array_sort(c) s FROM samples) q GROUP BY s ORDER BY s
SELECT sum((gpusort.array_sort(a))[1]), count(*), max((gpusort.array_sort(b, true))[2]) FROM samples
SELECT tag, sum((gpusort.array_sort(a))[1]), max(id) FROM samples GROUP BY tag ORDER BY tag
SELECT tag, array_agg((gpusort.array_sort(a))[1] ORDER BY id), count(*) FILTER (WHERE id > 5) FROM samples GROUP BY tag HAVING max((gpusort.array_sort(a))[1]) > 0 ORDER BY tag
SELECT sum((gpusort.array_sort(a))[1]) FILTER (WHERE id < 50), array_agg(DISTINCT gpusort.array_sort(c)) FROM samples WHERE cardinality(c) = 7
SELECT c, count(gpusort.array_sort(c)), grouping(c, tag) FROM samples GROUP BY GROUPING SETS ((c), (tag), ()) ORDER BY 1, 2, 3
SELECT c, gpusort.array_sort(c), max(gpusort.array_sort(c)) FROM samples GROUP BY c ORDER BY 1
SELECT gpusort.array_sort(array_agg((gpusort.array_sort(a))[1])) FROM samples GROUP BY tag ORDER BY tag
SELECT id, gpusort.array_sort_approx(a, 16), gpusort.array_sort_approx(b, 7, true) FROM samples WHERE id <> 1006
SELECT gpusort.array_sort(tags) FROM (SELECT array_agg(tag ORDER BY id) tags FROM samples GROUP BY id % 9) q
SELECT gpusort.array_sort(v) FROM (VALUES ('{3,1}'::int8[]), ('{9,8,7}'), (NULL), ('{}')) q(v)
SELECT (s).a, gpusort.array_sort((s).a) FROM (SELECT s FROM samples s OFFSET 0) q
SELECT s, gpusort.array_sort(s.a) FROM samples s
SELECT row_number() OVER (), gpusort.array_sort(a), tableoid::regclass FROM samples
SELECT gpusort.array_sort(d), gpusort.array_sort(t), gpusort.array_sort(o), gpusort.array_sort(n) FROM (SELECT array_agg(DATE '2020-01-01' + id % 50 - 25) d, array_agg(TIMESTAMP '2020-01-01' + id % 11 * interval '1 h') t, array_agg(id::oid) o, array_agg(id::numeric) n FROM samples GROUP BY id % 5 ORDER BY id % 5) q
SELECT sum((gpusort.array_sort(gpusort.array_top_n(a, 9)))[2]), max(cardinality(gpusort.array_top_n(a, 9))) FROM samples WHERE id <> 1006
SELECT tag, sum((gpusort.array_sort(a))[1] + (SELECT count(*) FROM samples o WHERE o.id < s.id)), min((gpusort.array_sort(a))[1]) FROM samples s GROUP BY tag ORDER BY tag
SELECT sum((gpusort.array_sort(a))[1] + random() * 0), sum(CASE WHEN cardinality(gpusort.array_sort(c)) > 3 THEN (gpusort.array_sort(a))[2] END) FROM samples
SELECT id, unnest((gpusort.array_sort(gpusort.array_sort(c, true)))[1:2]), unnest(gpusort.array_sort(c, true)) FROM samples
SELECT id, gpusort.array_sort_pair(a, w), (gpusort.array_sort_pair(c, c, true)).* FROM samples WHERE id <> 1006
SELECT id, (gpusort.array_sort_pair(a, w)).sorted_keys, (gpusort.array_sort_pair(w, a)).sorted_vals, (gpusort.array_sort_pair(b::int8[], b::int2[] || '{}')).sorted_vals FROM samples WHERE id <= 110
SELECT sum(((gpusort.array_sort_pair(a, w)).sorted_vals)[1]), sum(((gpusort.array_sort_pair(a, w)).sorted_keys)[1]) FROM samples WHERE id <> 1006
SELECT p.sorted_vals, p.sorted_keys FROM (SELECT id, (gpusort.array_sort_pair(w, a, NULL, id > 0)).*, gpusort.array_sort_pair(w, a) FROM samples WHERE id <> 1006 OFFSET 0) p
SELECT id, gpusort.array_sort_approx(a, 3), gpusort.array_sort_approx(b, 1, true), gpusort.array_sort(a) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_sort_approx(a, id), gpusort.array_sort_approx(c, 2, id > 50), gpusort.array_sort(a) FROM samples WHERE id <> 1006
SELECT sum((gpusort.array_sort_approx(c, 7))[1]), max(cardinality(gpusort.array_sort_approx(gpusort.array_sort_approx(b, 3), 9))) FROM samples WHERE id <> 1006
SELECT id, gpusort.array_top_n(a, 3, with_ties => true), gpusort.array_top_n_by(a, w, 4, with_ties => true), gpusort.array_sort(b) FROM samples WHERE id <> 1006
\.
\pset format unaligned
SELECT n, nodes, rows, same, query FROM shapes, pg_temp.compare_node('arrays', query) ORDER BY n;
\pset format aligned

-- with small groups and no room for long arrays
SET work_mem = '64kB';
SELECT count(*) FILTER (WHERE same), string_agg(n::text, ' ') FILTER (WHERE NOT same) AS differ FROM shapes, pg_temp.compare_node('arrays', query);
RESET work_mem;

-- Partitions share a node if their lists are alike; so do the parts of a UNION ALL.
CREATE TABLE pieces (id int, c float8[]) PARTITION BY RANGE (id);
CREATE TABLE pieces_1 PARTITION OF pieces FOR VALUES FROM (0) TO (50);
CREATE TABLE pieces_2 (gone text, c float8[], id int);
ALTER TABLE pieces_2 DROP gone;
ALTER TABLE pieces ATTACH PARTITION pieces_2 FOR VALUES FROM (50) TO (1000);
CREATE TABLE pieces_3 PARTITION OF pieces DEFAULT;
INSERT INTO pieces SELECT id, c FROM samples;
SELECT nodes, rows, same, query FROM unnest(ARRAY[
	'SELECT id, gpusort.array_sort(c), tableoid::regclass FROM pieces',
	'SELECT gpusort.array_sort(gpusort.array_sort(c || id::float8), true), id + 1 FROM pieces WHERE id <> 1006',
	'SELECT p, gpusort.array_sort(c) FROM pieces p',
	'SELECT id, gpusort.array_sort(c) FROM pieces UNION ALL SELECT n, gpusort.array_sort(b) FROM (SELECT id AS n, c AS b FROM samples OFFSET 1) q',
	'SELECT id, gpusort.array_sort(c) FROM pieces_1 UNION ALL SELECT -id, gpusort.array_sort(c, true) FROM pieces_2',
	'SELECT sum((gpusort.array_sort(c))[1]) FROM pieces WHERE id <> 1006',
	'SELECT id, gpusort.array_sort(c) FROM pieces LIMIT 70',
	'SELECT id, gpusort.array_sort(c), random() < 0 FROM pieces']) query, pg_temp.compare_node('arrays', query);
SELECT pg_temp.explain_lines($$UPDATE pieces SET c = gpusort.array_sort(c) WHERE id < 100$$);
UPDATE pieces SET c = gpusort.array_sort(c) WHERE id < 100;
SELECT count(*), count(*) FILTER (WHERE gpusort.array_is_sorted(c)) AS sorted FROM pieces;

-- in parallel workers
DO $$ BEGIN
	PERFORM set_config(CASE WHEN current_setting('server_version_num')::int >= 160000
					   THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false);
END $$;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FILTER (WHERE same), string_agg(n::text, ' ') FILTER (WHERE NOT same) AS differ
FROM (SELECT n, (pg_temp.compare_node('arrays', query, false)).same AS same FROM shapes WHERE query !~ 'LIMIT|OFFSET|row_number' AND n % 3 = 1 ORDER BY n) q;
SELECT pg_temp.explain_lines($$SELECT count(s) FROM (SELECT gpusort.array_sort(a) s FROM samples OFFSET 0) q$$);
SELECT pg_temp.explain_lines($$SELECT id, gpusort.array_sort(a) FROM samples$$);
-- EXPLAIN ANALYZE counts what all workers did, also where they run again and again
CREATE FUNCTION counted(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT pg_temp.explain_lines(query, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'Segments')
$$;
SET parallel_leader_participation = off;
SELECT counted($$SELECT id, gpusort.array_sort(a) FROM samples$$);
SELECT counted($$SELECT (SELECT count(s) FROM (SELECT gpusort.array_sort(a) s FROM samples OFFSET x - x) q) FROM generate_series(1, 3) x$$);
DO $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT json) SELECT id, gpusort.array_sort(a) FROM samples' INTO plan;
	RAISE WARNING 'workers sorted % of % keys',
		(SELECT sum(k::numeric) FROM jsonb_path_query(plan::jsonb, 'lax $[0].Plan.Plans[0]."Sort Workers"[*].Keys') k),
		plan #> '{0,Plan,Plans,0,Keys}';
END $$;
