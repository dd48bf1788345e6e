-- Input in order, in the reverse order, or made of a few sequences: rows are written once, and
-- ties keep the input's order, as PostgreSQL's Sort gives with ctid as the last key.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64kB';
-- A GPU would hold the rows.
SET gpusort.engine = 'cpu';
CREATE TABLE sequences WITH (autovacuum_enabled = off) AS
SELECT i AS id, i AS up, -i AS down, i / 700 AS up_ties, -(i / 700) AS down_ties, 0 AS same, i % 4000 AS three, CASE WHEN i < 6000 THEN i ELSE 12000 - i END AS up_down,
	CASE WHEN i > 3000 THEN i END AS nulls_first, ('text ' || lpad(i::text, 9, '0')) COLLATE "C" AS text_up, ('text ' || (99999 - i)) COLLATE "C" AS text_down,
	(ARRAY['-Infinity', '-0', '0', 'Infinity', 'NaN'])[i / 2500 + 1]::float8 AS float_up, i + (hashint4(i) & 1023) AS nearly, hashint4(i) AS random
FROM generate_series(1, 12000) i;
ANALYZE sequences;
CREATE FUNCTION sorted(keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	with_node text;
	without text;
	plan json;
BEGIN
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT * FROM sequences ORDER BY %s) q', keys) INTO with_node;
	EXECUTE format('EXPLAIN (ANALYZE, FORMAT json) SELECT * FROM sequences ORDER BY %s', keys) INTO plan;
	SET LOCAL gpusort.enable_sort = off;
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT * FROM sequences ORDER BY %s, ctid) q', keys) INTO without;
	SET LOCAL gpusort.enable_sort = on;
	RETURN CASE WHEN with_node = without THEN 'same' ELSE 'DIFFERENT' END || CASE WHEN (plan -> 0 -> 'Plan' ->> 'Disk')::int < 1300 THEN ', written once' ELSE '' END;
END $$;
SELECT keys, sorted(keys)
FROM unnest(ARRAY['up', 'down', 'up DESC', 'down DESC', 'up_ties', 'down_ties', 'up_ties DESC', 'same', 'same, up', 'same, down', 'three', 'three DESC', 'up_down', 'up_down DESC', 'nulls_first NULLS FIRST',
	'nulls_first', 'nulls_first DESC', 'text_up', 'text_down', 'text_up DESC', 'float_up', 'float_up DESC', 'float_up, down', 'nearly', 'nearly DESC', 'random', 'up_ties, random', 'id / 3000 % 2, id']) keys;

-- Back and forth over parts.
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT up, down FROM sequences ORDER BY down;
FETCH 2 FROM back;
FETCH LAST FROM back;
FETCH BACKWARD 2 FROM back;
FETCH ABSOLUTE 6000 FROM back;
FETCH FIRST FROM back;
COMMIT;
SELECT count(*), sum(l.id) FROM generate_series(1, 3) g, LATERAL (SELECT id FROM sequences WHERE id > g ORDER BY down LIMIT 5000) l;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_material = off;
SELECT count(*), sum(a.id + b.id) FROM sequences a JOIN sequences b ON a.up_ties = -b.down_ties AND a.id % 100 = b.id % 100;
DROP TABLE sequences;
DROP FUNCTION sorted;

-- Rows of which nothing is kept but that all is NULL: parts and the sample are made of them, too.
CREATE TABLE sequences AS SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'text ' || i END AS t, hashint4(i) AS random FROM generate_series(1, 12000) i;
SELECT (SELECT md5(string_agg(q::text, ',')) FROM (SELECT t, id FROM sequences ORDER BY random, id) q) AS with_node \gset
SET gpusort.enable_sort = off;
SELECT :'with_node' = (SELECT md5(string_agg(q::text, ',')) FROM (SELECT t, id FROM sequences ORDER BY random, id) q) AS same;
RESET gpusort.enable_sort;
DROP TABLE sequences;
