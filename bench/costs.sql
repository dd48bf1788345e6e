-- Sorts of every kind, for bench/costs: tables of 10 to 3,000,000 rows, and queries with
-- the settings that they run with.
SET client_min_messages = warning;
CREATE TABLE counts AS SELECT DISTINCT greatest(10, n / :scale) AS n
FROM unnest(ARRAY[10, 30, 100, 300, 500, 700, 1000, 1500, 3000, 10000, 50000, 300000, 3000000]) n;

-- s: keys of many types, random, rising, falling and few; w: twenty columns, as many but
-- mostly NULL, and long text.
SELECT format('CREATE UNLOGGED TABLE s%s AS SELECT i AS id, (2e9 * random())::int4 AS x, (10 * random())::int4 AS few, i AS rising, -i AS falling, '
			  '1e6 * random() AS f, (1e15 * random())::int8 AS b, md5(i::text) AS t, md5(i::text)::uuid AS u, (1e6 * random())::numeric(12, 2) AS n '
			  'FROM generate_series(1, %1$s) i', n) FROM counts \gexec
SELECT format('CREATE UNLOGGED TABLE w%s AS SELECT (2e9 * random())::int4 AS x, %s, %s, repeat(md5(i::text), 16) AS long FROM generate_series(1, %1$s) i',
			  n, (SELECT string_agg('i::int8 + ' || c || ' AS c' || c, ', ') FROM generate_series(1, 20) c),
			  (SELECT string_agg(format('CASE WHEN i %% 20 = %s THEN i::int8 END AS s%s', c - 1, c), ', ') FROM generate_series(1, 20) c))
FROM counts WHERE n <= 300000 \gexec

-- l: texts of several kinds.
SELECT format('CREATE UNLOGGED TABLE l%s AS SELECT i AS id, md5(i::text) AS md5, ''the same'' AS same, ''https://www.example.com/shop/'' || md5(i::text) AS url, '
			  '(ARRAY[''Anna'', ''Maria'', ''John'', ''Olga''])[1 + (hashint8(i) & 3)] || '' '' || (ARRAY[''Smith'', ''Garcia'', ''Wang''])[1 + i %% 3] || '' '' || hashint8(i) %% 20000 AS name '
			  'FROM generate_series(1, %1$s::int8) i', n) FROM counts WHERE n <= 300000 \gexec
VACUUM (FREEZE, ANALYZE);

-- A linguistic collation of the C library, where there is one.
DO $$ BEGIN CREATE COLLATION linguistic (locale = 'en_US.UTF-8'); EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN NULL; END $$;

-- What is sorted: columns that are used, keys, of which table.
CREATE TABLE sorted AS SELECT * FROM (VALUES
	(1, 's', 'x', 'x'), (2, 's', 'x, id', 'x'), (3, 's', 'x, id', 'x DESC'), (4, 's', 'few, id', 'few'), (5, 's', 'rising, x', 'rising'),
	(6, 's', 'falling, x', 'falling'), (7, 's', 'few, x, id', 'few, x'), (8, 's', 'f, id', 'f'), (9, 's', 'b, id', 'b'),
	(10, 's', 'x, id, f, b, t', 'x'), (11, 's', 't, id', 't COLLATE "C"'), (12, 's', 'few, t', 'few, t COLLATE "en-x-icu"'),
	(13, 's', 'few, t', 'few, t'), (14, 's', 'u, id', 'u'), (15, 's', 'n, id', 'n'), (16, 's', 'few, n, id', 'few, n, id'), (17, 's', 'x, t', 'x, t'),
	(18, 'w', (SELECT string_agg('c' || c, ', ') FROM generate_series(1, 20) c) || ', x', 'x'), (19, 'w', 'x, long', 'x'),
	(20, 'w', (SELECT string_agg('s' || c, ', ') FROM generate_series(1, 20) c) || ', x', 'x'), (21, 'w', 'long', 'long COLLATE "C"')
) q (ord, source, columns, keys)
UNION ALL
SELECT 100 + row_number() OVER (ORDER BY collname, key), 'l', format('%s COLLATE %I AS k, id', key, collname), 'k'
FROM unnest(ARRAY['md5', 'name', 'same', 'url']) key, pg_collation WHERE collname IN ('C', 'en-x-icu', 'linguistic');

-- Where a Sort stands otherwise; %s is the table.
CREATE TABLE places AS SELECT * FROM (VALUES
	(1, 'SELECT count(*) FROM (SELECT DISTINCT x FROM %1$s) q', 'enable_hashagg = off'),
	(2, 'SELECT count(*) FROM (SELECT DISTINCT ON (few) few, x, t FROM %1$s ORDER BY few, x) q', ''),
	(3, 'SELECT sum(c) FROM (SELECT x, count(*) AS c FROM %1$s GROUP BY x) q', 'enable_hashagg = off'),
	(4, 'SELECT sum(c) FROM (SELECT few, count(*) AS c, sum(f) FROM %1$s GROUP BY few) q', 'enable_hashagg = off'),
	(5, 'SELECT count(r) FROM (SELECT row_number() OVER (ORDER BY x) AS r FROM %1$s) q', ''),
	(6, 'SELECT count(r), count(t) FROM (SELECT t, sum(f) OVER (PARTITION BY few ORDER BY x) AS r FROM %1$s) q', ''),
	(7, 'SELECT count(*) FROM %1$s a JOIN %1$s b USING (x)', 'enable_hashjoin = off, enable_nestloop = off'),
	(8, 'SELECT count(a.t), count(b.f) FROM %1$s a JOIN %1$s b ON a.rising = b.id', 'enable_hashjoin = off, enable_nestloop = off'),
	(9, 'SELECT count(*) FROM %1$s a LEFT JOIN %1$s b ON a.x = b.id', 'enable_hashjoin = off, enable_nestloop = off'),
	(10, 'SELECT count(*) FROM (SELECT x FROM %1$s UNION SELECT id FROM %1$s) q', 'enable_hashagg = off'),
	(11, 'SELECT count(*) FROM (SELECT few, x FROM %1$s GROUP BY ROLLUP (few, x)) q', 'enable_hashagg = off'),
	(12, 'SELECT count(x), count(id) FROM (SELECT x, id FROM %1$s WHERE id %% 2 = 0 ORDER BY x OFFSET 0) q', ''),
	(13, 'SELECT count(k), count(t) FROM (SELECT x + id::int8 AS k, t FROM %1$s ORDER BY x + id::int8 OFFSET 0) q', ''),
	(14, 'SELECT count(x) FROM (SELECT a.x, b.f FROM %1$s a JOIN %1$s b USING (id) ORDER BY x OFFSET 0) q', ''),
	(15, 'SELECT count(q) FROM (SELECT * FROM %1$s ORDER BY x OFFSET 0) q', ''),
	(16, 'WITH c AS MATERIALIZED (SELECT x, t FROM %1$s ORDER BY x) SELECT count(t) FROM c', ''),
	(17, 'SELECT count(x) FROM (SELECT x FROM %1$s UNION ALL SELECT id FROM %1$s ORDER BY x OFFSET 0) q', ''),
	(18, 'SELECT array_agg(x) = ''{}'' FROM (SELECT x FROM %1$s ORDER BY x) q', ''),
	(19, 'SELECT count(v) FROM (SELECT gpusort.array_sort(ARRAY[x, id, few]) AS v FROM %1$s ORDER BY x OFFSET 0) q', ''),
	-- the planner expects ten thousand and a million times as many rows
	(20, 'SELECT count(x) FROM (SELECT x, t FROM %1$s, jsonb_array_elements(''[1]'') j, jsonb_array_elements(''[1]'') k ORDER BY x OFFSET 0) q', ''),
	(21, 'SELECT count(x) FROM (SELECT x, f FROM %1$s, jsonb_array_elements(''[1]'') j, jsonb_array_elements(''[1]'') k, jsonb_array_elements(''[1]'') l ORDER BY x OFFSET 0) q', ''),
	-- aggregates that sort, of all rows, of few groups, of groups of about 50 and of 4
	(22, 'SELECT percentile_cont(''{0.1,0.5}''::float8[]) WITHIN GROUP (ORDER BY f), count(DISTINCT x), mode() WITHIN GROUP (ORDER BY few) FROM %1$s', ''),
	(23, 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM %1$s GROUP BY few', ''),
	(24, 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM %1$s GROUP BY id / 50', ''),
	(25, 'SELECT count(DISTINCT x) FROM %1$s', ''), (26, 'SELECT count(DISTINCT x), count(DISTINCT few) FROM %1$s GROUP BY few', ''),
	(27, 'SELECT count(DISTINCT x) FROM %1$s GROUP BY id / 50', ''), (28, 'SELECT count(DISTINCT few) FROM %1$s GROUP BY id / 4', ''),
	(29, 'SELECT cardinality(array_agg(id ORDER BY x)) FROM %1$s', ''), (30, 'SELECT length(string_agg(t, '','' ORDER BY t COLLATE "C")) FROM %1$s', ''),
	(31, 'SELECT cardinality(array_agg(id ORDER BY x, f)) FROM %1$s GROUP BY few', ''), (32, 'SELECT length(string_agg(t, '','' ORDER BY n)) FROM %1$s GROUP BY id / 50', ''),
	(33, 'SELECT cardinality(array_agg(x ORDER BY f)) FROM %1$s GROUP BY id / 4', '')
) q (ord, query, settings);

CREATE TABLE queries (id int GENERATED ALWAYS AS IDENTITY, settings text, query text);
CREATE VIEW tables AS
	SELECT 's' AS source, 's' || n AS name, n FROM counts UNION ALL SELECT source, source || n, n FROM counts, unnest(ARRAY['w', 'l']) source WHERE n <= 300000;

-- In memory and beyond work_mem, where that is less than the rows.
INSERT INTO queries (settings, query)
SELECT 'work_mem = ' || memory, format('SELECT %s FROM (SELECT %s FROM %s ORDER BY %s OFFSET 0) q', used, columns, name, keys)
FROM sorted JOIN tables USING (source), unnest(ARRAY['4MB', '64kB', '1GB']) memory,
	LATERAL (SELECT string_agg('count(' || regexp_replace(c, '.* AS ', '') || ')', ', ') AS used FROM string_to_table(columns, ', ') c) u
WHERE memory = '4MB' OR (memory = '64kB' AND n BETWEEN 1000 AND 50000) OR (memory = '1GB' AND n >= 50000)
ORDER BY n, memory, ord;

-- The first rows only.
INSERT INTO queries (settings, query)
SELECT 'work_mem = 64MB', format('SELECT count(q) FROM (SELECT %s FROM %s ORDER BY %s LIMIT %s) q', columns, name, keys, bound)
FROM sorted JOIN tables USING (source), LATERAL (VALUES ('1'), ('10'), ('1000'), ((n / 10)::text), ('10 OFFSET ' || n / 2)) b (bound)
WHERE n >= 100 AND ord NOT IN (3, 9)
ORDER BY n, ord, bound;

INSERT INTO queries (settings, query)
SELECT concat_ws(', ', 'work_mem = 64MB', NULLIF(settings, '')), format(query, name)
FROM places, tables WHERE source = 's'
ORDER BY n, ord;

-- Many small sorts in one query.
INSERT INTO queries (settings, query)
SELECT 'work_mem = 4MB', format('SELECT count(x) FROM generate_series(1, 20) g, LATERAL (SELECT x, id FROM %s WHERE id %% 20 <> g ORDER BY %s %s) q', name, keys, bound)
FROM tables, unnest(ARRAY['x', 'few, x', 't COLLATE "C"']) keys, unnest(ARRAY['LIMIT 5', 'OFFSET 1']) bound
WHERE source = 's' AND n <= 10000
ORDER BY n, keys, bound;
