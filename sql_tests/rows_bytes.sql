-- Needs gpusort.engine = 'auto': sorts numeric, which no GPU sorts alone.
-- Rows by numeric and inet: their bytes order as PostgreSQL compares, and are equal only for equal values.
CREATE SCHEMA rows_bytes;
SET search_path = rows_bytes, gpusort;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers

-- Values of all signs, weights and numbers of digits.
CREATE TABLE edges AS
SELECT row_number() OVER () AS id, sign * v AS v
FROM unnest(ARRAY[-1, 1]) sign, (
	SELECT factor * power::numeric AS v FROM unnest(ARRAY[1, 1.00010001, 9999, 9999.9999, 10000, 0.0001, 0.00019999, 99, 100, 101, 1234567890123456789012345678901234567890]) factor,
		(SELECT '1e' || e AS power FROM unnest(ARRAY[-400, -165, -164, -163, -162, -161, -160, -156, -8, -4, -3, -1, 0, 1, 3, 4, 7, 8, 300, 331, 332, 335, 336, 337, 340, 400, 4000]) e) p
	UNION ALL SELECT v FROM unnest(ARRAY[0, 0.0, 0.000, 1.0, 1.10, 1.1, 'NaN', 'NaN', 'Infinity']::numeric[]) v
	UNION ALL SELECT repeat('7', n)::numeric / 10::numeric ^ p FROM generate_series(1, 1300, 37) n, unnest(ARRAY[0, 600]) p) q;
SELECT count(*) AS values, count(DISTINCT v) AS different FROM edges;
SELECT direction, (pg_temp.compare_node('rows', format('SELECT id, v, pg_column_size(v) FROM edges ORDER BY v %s, id', direction))).*
FROM unnest(ARRAY['', 'DESC']) direction;
-- Many rows, so that characters are packed: with values of all these sizes among short ones, in memory and beyond.
CREATE TABLE prices AS
SELECT id, CASE WHEN id % 13 > 0 THEN (hashint4(id) % 100000 / 100.0)::numeric(10, 2) END AS price, (hashint4(id) / 7.0)::numeric(20, 5) AS signed,
	CASE WHEN id % 499 = 0 THEN (SELECT v FROM edges e WHERE e.id = b.id % 700 + 1) ELSE (id % 1000)::numeric END AS mixed, (id % 7)::numeric AS few, id % 3 = 0 AS flag, (id % 100 * 1e30)::numeric AS round
FROM generate_series(1, 20000) b(id);
ANALYZE prices;
CREATE FUNCTION compared(keys text, memory text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result record;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	result := pg_temp.compare_node('rows', format('SELECT id, price, signed, mixed, few FROM prices ORDER BY %s, id', keys));
	RETURN CASE WHEN result.nodes = 1 AND result.same THEN 'same' ELSE 'DIFFERENT' END;
END $$;
SELECT memory COLLATE "C" AS memory, compared(keys, memory) AS result, count(*)
FROM unnest(ARRAY['price', 'price DESC', 'price NULLS FIRST', 'signed', 'mixed', 'mixed DESC NULLS LAST', 'few DESC, price', 'flag, price', 'price, signed', '-round, mixed']) keys,
	unnest(ARRAY['64kB', '192kB', '64MB']) memory
GROUP BY 1, 2 ORDER BY 1, 2;
-- Addresses of both families, with networks of all sizes that contain one another.
CREATE TABLE addresses AS
SELECT id, set_masklen(CASE WHEN id % 3 = 0 THEN '2001:db8::'::inet ELSE '10.0.0.0'::inet END + abs(hashint4(id) % CASE WHEN id % 2 = 0 THEN 700 ELSE 10000000 END), CASE WHEN id % 5 > 1 THEN 32 ELSE abs(hashint4(-id)) % 33 END) AS ip
FROM generate_series(1, 20000) id;
INSERT INTO addresses SELECT 30000 + n, v FROM unnest(ARRAY['0.0.0.0/0', '0.0.0.0', '255.255.255.255/31', '::/0', '::', '::1', 'ffff::/128', '10.0.0.0/8', '10.0.0.0/9', '10.1.2.3/8']::inet[]) WITH ORDINALITY v(v, n);
ANALYZE addresses;
SELECT memory COLLATE "C" AS memory, (pg_temp.compare_node('rows', format('SELECT id, ip FROM addresses ORDER BY %s, id', keys))).same, count(*)
FROM unnest(ARRAY['ip', 'ip DESC', 'network(ip), ip']) keys, unnest(ARRAY['192kB', '64MB']) memory, set_config('work_mem', memory, true)
GROUP BY 1, 2 ORDER BY 1, 2;

-- DISTINCT and GROUP BY above sorted rows, and arrays.
SET enable_hashagg = off;
SELECT (pg_temp.compare_node('rows', 'SELECT trim_scale(v) FROM (SELECT DISTINCT mixed AS v FROM prices) q', false)).same, (pg_temp.compare_node('rows', 'SELECT price, count(*), sum(id) FROM prices GROUP BY price', false)).same;
SELECT array_sort(a) = servers AS sorted, array_sort(a, true) = backwards AS backwards
FROM (SELECT array_agg(v) AS a, array_agg(v ORDER BY v) AS servers, array_agg(v ORDER BY v DESC) AS backwards FROM edges) q;
SELECT count_distinct(v) AS counted, count_distinct(v) = count(DISTINCT v) AS same FROM edges;
SET client_min_messages = warning;
DROP SCHEMA rows_bytes CASCADE;
