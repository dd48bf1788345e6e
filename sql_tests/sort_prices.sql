-- The planner knows what the rows node costs where the final ORDER BY is planned.
SET max_parallel_workers_per_gather = 0;
SET parallel_setup_cost = 1000;
SET parallel_tuple_cost = 0.1;
SET min_parallel_table_scan_size = '8MB';
SET parallel_tuple_cost = 0.1;
SET random_page_cost = 4;
SET effective_cache_size = '4GB';
SET work_mem = '4MB';
CREATE TABLE priced AS SELECT i AS id, hashint4(i) AS x, (i * 7919 % 20011)::text COLLATE "C" AS t, i / 3 AS few FROM generate_series(1, 20000) i;
CREATE INDEX ON priced (x);
CREATE INDEX ON priced (few, x);
CREATE INDEX ON priced (t);
CREATE INDEX ON priced (id);
VACUUM ANALYZE priced;
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	nodes text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ '->|^ ?[A-Z]' AND line !~ '^ *[A-Z][A-Za-z ]*:' THEN
			nodes := nodes || regexp_replace(line, '^ *(->  )?([A-Z][^(]*( \(Gpusort[a-zA-Z]*\))?)( using .*| on .*|$)', '\2');
		END IF;
	END LOOP;
	RETURN array_to_string(nodes, ' > ');
END $$;

-- An index in whose order the table is not costs more than reading and sorting all of it; for the first rows it is cheap.
SELECT query, nodes(query) FROM unnest(ARRAY[
	'SELECT x, id FROM priced ORDER BY x',
	'SELECT x, id FROM priced ORDER BY x DESC',
	'SELECT x + 1, id FROM priced ORDER BY x',
	'SELECT few, x FROM priced ORDER BY few, x, id',
	'SELECT t, id FROM priced ORDER BY t',
	'SELECT x FROM priced ORDER BY x',
	'SELECT id, x FROM priced ORDER BY id',
	'SELECT x, id FROM priced ORDER BY x LIMIT 10',
	'SELECT x FROM priced WHERE x BETWEEN 0 AND 1000000 ORDER BY x',
	'SELECT x, count(*) OVER () FROM (SELECT x, id FROM priced ORDER BY x OFFSET 0) q',
	'SELECT DISTINCT x FROM priced ORDER BY x']) query;
SET gpusort.enable_sort = off;
SELECT nodes('SELECT x, id FROM priced ORDER BY x');
RESET gpusort.enable_sort;

-- With cheap pages the planner would take the index although that takes longer.  Not where the table has its order.
SET random_page_cost = 1.1;
SELECT query, nodes(query) FROM unnest(ARRAY[
	'SELECT x, id FROM priced ORDER BY x',
	'SELECT t, id FROM priced ORDER BY t',
	'SELECT random() AS after, x, id FROM priced ORDER BY x',
	'SELECT id, x FROM priced ORDER BY id',
	'SELECT x, id FROM priced WHERE x > 2000000000 ORDER BY x']) query;
SET random_page_cost = 4;
-- Not where the rows would need more temporary files than are allowed.
SET work_mem = '64kB';
SET temp_file_limit = '100kB';
SELECT nodes('SELECT x, id FROM priced ORDER BY x');
RESET temp_file_limit;
SET work_mem = '4MB';
SET enable_sort = off;
SELECT nodes('SELECT x, id FROM priced ORDER BY x');
RESET enable_sort;
SET gpusort.method = 'network';
SELECT nodes('SELECT x, id FROM priced ORDER BY x');
RESET gpusort.method;

-- The rows are right, whatever the target list computes before and after sorting.
SELECT count(*), bool_and(x >= before) FROM (SELECT x, lag(x, 1, x) OVER () AS before FROM (SELECT x, id FROM priced ORDER BY x OFFSET 0) s) q;
CREATE FUNCTION same_rows(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	ours text;
	theirs text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (%s OFFSET 0) q', query) INTO ours;
	PERFORM set_config('gpusort.enable_sort', 'off', true);
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (%s OFFSET 0) q', query) INTO theirs;
	PERFORM set_config('gpusort.enable_sort', 'on', true);
	RETURN ours = theirs;
END $$;
SELECT query, same_rows(query) FROM unnest(ARRAY[
	'SELECT id % 7 AS a, x * 2::int8 AS b FROM priced ORDER BY x, id',
	'SELECT id, (SELECT count(*) FROM priced q WHERE q.id < p.id % 5) FROM priced p ORDER BY x, id',
	'SELECT generate_series(1, id % 3) AS n, id FROM priced ORDER BY t, id',
	'SELECT few, count(*) FROM priced GROUP BY few ORDER BY count(*) DESC, few',
	'SELECT x FROM priced UNION ALL SELECT id FROM priced ORDER BY 1',
	'SELECT p.id, q.t FROM priced p JOIN priced q ON p.id = q.few ORDER BY q.x, p.id, q.id']) query;

-- Columns of a set operation that is more than an append of tables refer to no ORDER BY.
SELECT query, same_rows(query), starts_with(nodes(query), 'Custom Scan (GpusortRows)') AS node FROM unnest(ARRAY[
	'SELECT x, x::int8 AS y FROM priced UNION ALL SELECT id::int8, few FROM priced ORDER BY 2, 1',
	'SELECT few, id FROM priced INTERSECT SELECT few, id FROM priced ORDER BY 2, 1']) query;

-- A sort that costs little beside its input is the node's all the same.
SELECT query, nodes(query) FROM unnest(ARRAY[
	'SELECT id, (SELECT count(*) FROM priced q WHERE q.few = p.few) FROM priced p ORDER BY p.x + 1',
	'SELECT * FROM (SELECT id, (SELECT count(*) FROM priced q WHERE q.few = p.few) FROM priced p ORDER BY p.x + 1) q LIMIT 1000',
	'SELECT p.few, p.id, count(*) FROM priced p JOIN priced q ON p.x < q.x GROUP BY p.few, p.id ORDER BY p.id, p.few']) query;

-- Comparing texts by the rules of a language takes long: sorting all rows is the node's where it would not be else. Of rows as
-- they are stored, which the node has to take apart, the first few are Sort's.
DO $$
BEGIN
	CREATE COLLATION priced_linguistic (provider = icu, locale = 'en');
EXCEPTION WHEN feature_not_supported THEN
	NULL;
END $$;
SELECT coalesce('COLLATE ' || to_regcollation('priced_linguistic'), '') AS linguistic \gset
CREATE TABLE priced_texts AS SELECT id, t :linguistic AS t, t AS a, t AS b, t AS c, t AS d FROM priced;
ANALYZE priced_texts;
SELECT query, nodes(query) ~ 'GpusortRows' = rows_node OR :'linguistic' = '' AS expected FROM (VALUES
	('SELECT d, t, a, b, c, id FROM priced_texts ORDER BY t', true),
	('SELECT d, t, a, b, c, id FROM priced_texts ORDER BY a', false),
	('SELECT * FROM priced_texts ORDER BY t LIMIT 10', false),
	('SELECT * FROM priced_texts ORDER BY a LIMIT 10', true),
	('SELECT t FROM priced_texts ORDER BY t LIMIT 10', true)) q (query, rows_node);
DROP TABLE priced_texts;
SET client_min_messages = warning;
DROP COLLATION IF EXISTS priced_linguistic;
RESET client_min_messages;

-- Parallel workers compete at that cost, too.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT nodes('SELECT x, id FROM priced ORDER BY t'), nodes('SELECT x, id FROM priced WHERE md5(md5(md5(md5(t)))) > ''0'' ORDER BY t');
-- Also for DISTINCT and GROUP BY, where each worker would find most rows distinct.
SELECT starts_with(nodes('SELECT DISTINCT -x AS y, id FROM priced ORDER BY y, id'), 'Unique > Custom Scan (GpusortRows) > Gather > Parallel Custom Scan (GpusortRows)') AS shared,
	same_rows('SELECT DISTINCT -x AS y, id FROM priced ORDER BY y, id'), same_rows('SELECT DISTINCT few, t FROM priced ORDER BY t DESC'),
	same_rows('SELECT DISTINCT ON (few) few, id FROM priced ORDER BY few, id DESC');
SELECT starts_with(nodes('SELECT -x AS y, few, count(*) FROM priced GROUP BY y, few ORDER BY y, few'), 'GroupAggregate > Custom Scan (GpusortRows) > Gather > Parallel Custom Scan (GpusortRows)') AS shared,
	same_rows('SELECT -x AS y, few, count(*), sum(id) FROM priced GROUP BY y, few ORDER BY y, few'),
	same_rows('SELECT few % 100 AS m, t, sum(x), max(id) FROM priced GROUP BY m, t HAVING count(*) < 3 ORDER BY m DESC, t'),
	same_rows('SELECT few, id FROM priced GROUP BY id, few ORDER BY id, few');
-- Expressions may have far fewer values than the planner expects, for which a hash table is faster.
SELECT query, nodes(query) ~ 'Gather > Parallel Custom Scan .GpusortRows. > Parallel Seq Scan' AS shared FROM unnest(ARRAY['SELECT DISTINCT x % 7 FROM priced ORDER BY x % 7',
	'SELECT x % 7, count(*) FROM priced GROUP BY x % 7 ORDER BY x % 7']) query;
-- Where a LIMIT above a window reads few rows, handing these over costs less than sharing the sort.
SELECT rows, starts_with(nodes(format('SELECT -x AS y, row_number() OVER (ORDER BY -x) FROM priced LIMIT %s', rows)), 'Limit > WindowAgg > Gather Merge > Parallel Custom Scan (GpusortRows)') AS handed_over,
	same_rows(format('SELECT y, n FROM (SELECT -x AS y, row_number() OVER (ORDER BY -x) AS n FROM priced LIMIT %s) q', rows))
FROM unnest(ARRAY['10', '5 OFFSET 500', '18000', '10 OFFSET 18000']) rows;
-- A hash table that costs less than partial ones in workers is replaced, not they.
CREATE TABLE priced_groups AS SELECT id % 1000 AS a, id % 1000 AS b, x, repeat(t, 20) AS t FROM priced, generate_series(1, 5);
ANALYZE priced_groups;
SET parallel_setup_cost = 1000;
SET parallel_tuple_cost = 0.1;
SET min_parallel_table_scan_size = '8MB';
SET work_mem = '64MB';
SELECT nodes('SELECT count(m) FROM (SELECT gpusort.sorted_agg(x) AS m FROM priced_groups GROUP BY a, b) q') ~ 'Partial' AS by_parts;
-- Where only a sort needs files, a hash table of rows without aggregates is faster from 18 on.
CREATE TABLE priced_texts AS SELECT md5((hashint4(id) % 4000)::text) AS t FROM priced;
ANALYZE priced_texts;
SET work_mem = '900kB';
SELECT (nodes('SELECT count(*) FROM (SELECT DISTINCT t FROM priced_texts) q') ~ 'HashAggregate') = (current_setting('server_version_num')::int >= 180000) AS right_plan;
DROP TABLE priced_texts;
DROP TABLE priced_groups;
RESET work_mem;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_tuple_cost = 0;
SELECT nodes('SELECT x, id FROM priced WHERE md5(md5(md5(md5(t)))) > ''0'' ORDER BY t');
DROP FUNCTION nodes, same_rows;
DROP TABLE priced;
