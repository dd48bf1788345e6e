-- Stores of more than 16 MB are scattered into parts before they are sorted. Keys of all distributions, with NULLs,
-- beside PostgreSQL's Sort: the node keeps the input's order among equal rows, and rows stay whole.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '256MB';
SET jit = off;
SELECT setseed(0.7);
-- Random and even; uneven: small ones are frequent, few are large; few values, with another key behind them; most are NULL; in order but for some; one value.
CREATE TABLE parted AS
SELECT i AS id, (random() * 4e9 - 2e9)::int8::int4 AS even, exp(12 * random())::int8 AS uneven, CASE WHEN i % 9999 = 0 THEN 1e15 ELSE random() END::float8 AS far,
	(random() * 5)::int2 AS few, CASE WHEN random() < 0.3 THEN (random() * 1e6)::int4 END AS missing, CASE WHEN random() < 0.01 THEN 0 ELSE i END AS late, 7 AS same,
	CASE trunc(random() * 9) WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN '-0' WHEN 3 THEN '0' ELSE (random() - 0.5)::text END::float4 AS hostile,
	timestamptz '2024-01-01 UTC' + random() * interval '300 days' AS at, CASE WHEN random() < 0.5 THEN random() < 0.5 END AS flag,
	i * 3::int8 AS a, i * 5::int8 AS b, i * 7::int8 AS c, i * 11::int8 AS d, i * 13::int8 AS e, i * 17::int8 AS f, i * 19::int8 AS g, i * 23::int8 AS h, i * 29::int8 AS j, i * 31::int8 AS k
FROM generate_series(1, 140000) i;
CREATE TABLE titled AS SELECT *, 'row ' || id AS title FROM parted;
ANALYZE parted, titled;

-- The rows in order, and a checksum of what belongs together.
CREATE FUNCTION in_order(source text, keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(id::text, '','')) || bool_and(ROW(a, b, c, d, e, f, g, h, j, k) = ROW(id * 3, id * 5, id * 7, id * 11, id * 13, id * 17, id * 19, id * 23, id * 29, id * 31) AND same = 7%s) FROM (SELECT * FROM %s ORDER BY %s OFFSET 0) q', CASE source WHEN 'titled' THEN ' AND title = ''row '' || id' END, source, keys) INTO result;
	RETURN result;
END $$;
CREATE FUNCTION same_as_sort(source text, keys text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	with_node text := in_order(source, keys);
	without text;
BEGIN
	SET LOCAL gpusort.enable_sort = off;
	without := in_order(source, keys || ', id');
	SET LOCAL gpusort.enable_sort = on;
	RETURN with_node = without AND without LIKE '%true';
END $$;
SELECT keys, same_as_sort('parted', keys)
FROM unnest(ARRAY['even', 'even DESC', 'uneven', 'uneven DESC', 'far', 'far DESC', 'few', 'few DESC, even', 'few, flag, missing NULLS FIRST, hostile', 'missing', 'missing DESC', 'late', 'late DESC', 'same', 'hostile DESC', 'at', 'flag', 'even::numeric']) keys;
SELECT keys, same_as_sort('titled', keys) FROM unnest(ARRAY['even', 'few, missing', 'few, title DESC', 'at DESC NULLS LAST']) keys;

-- More rows than memory holds, with records of several lengths, and a cursor that goes back.
SET work_mem = '14MB';
SELECT same_as_sort('parted', 'even'), same_as_sort('titled', 'few, at');
SET work_mem = '42MB';
SELECT count(*), bool_and(title = repeat('x', id % 3) || id AND hashint4extended(id, 0) = key) AS whole, bool_and(key >= before) AS in_order
FROM (SELECT *, lag(key, 1, key) OVER () AS before FROM (SELECT hashint4extended(i, 0) AS key, i AS id, repeat('x', i % 3) || i AS title FROM generate_series(1, 1100000) i ORDER BY key OFFSET 0) q) r;
SET work_mem = '256MB';
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, even, a, b, c, d, e, f, g, h, j, k FROM parted ORDER BY even;
MOVE ABSOLUTE 100000 FROM back;
CREATE TEMP TABLE seen (way text, id int, even int, a int8) ON COMMIT DROP;
DO $$
DECLARE
	back refcursor := 'back';
	r record;
BEGIN
	FOR i IN 1 .. 300 LOOP FETCH NEXT FROM back INTO r; INSERT INTO seen VALUES ('on', r.id, r.even, r.a); END LOOP;
	FETCH NEXT FROM back INTO r;
	FOR i IN 1 .. 300 LOOP FETCH PRIOR FROM back INTO r; INSERT INTO seen VALUES ('back', r.id, r.even, r.a); END LOOP;
END $$;
SELECT count(*), count(DISTINCT id), bool_and(a = id * 3) FROM seen;
COMMIT;

DROP TABLE parted, titled;
DROP FUNCTION in_order, same_as_sort;
