-- ORDER BY with the rows node beside the query unsorted and PostgreSQL's Sort; with a GPU the
-- node on the CPU, too. "counted" is SELECT count(*) over the sorted rows, for which the
-- planner drops the columns that are not keys; "used" reads them all. Sections:
--
--   memory      one backend, everything in memory
--   parallel    the same query where eight workers are allowed
--   spill       work_mem of 16 MB; two and seven columns at work_mem from 4 MB to 1 GB, without and with two workers
--   held        rows with values of variable length beyond work_mem, which a GPU holds, by a number, md5, numeric, and two keys
--   keys        keys that are not numbers
--   text        texts of several kinds in byte order, at work_mem from 1 GB to 4 MB
--   compared    200,000 rows by jsonb, arrays and ranges, which stay with Sort unless the node is forced
--   limit       the first rows only
--   index       all rows by columns that have an index, in whose order the table is not, at the default work_mem
--   sequences   input that is in order already, or in the reverse order, at work_mem of 4 MB and 1 GB
--   intervals   ORDER BY gpusort.bucket(x, 10000) OVER () beside ORDER BY x, at work_mem of 4 MB and 1 GB
--   groups      the first rows of each group, and row_number() of all rows, at work_mem of 4 MB and 1 GB
\i bench/session.sql
\set section rows
SET work_mem = '4GB';
SELECT (10000000 / :scale)::bigint AS many, (5000000 / :scale)::bigint AS fewer \gset

CREATE UNLOGGED TABLE narrow WITH (parallel_workers = 8) AS
	SELECT (2147483647 * random())::int4 AS x, i::int4 AS id FROM generate_series(1, :many) i;
CREATE UNLOGGED TABLE wide WITH (parallel_workers = 8) AS
	SELECT 1e6 * random() AS a, (1e15 * random())::int8 AS b, (2e9 * random())::int4 AS c, random() AS d, md5(i::text) || '12345678' AS t
	FROM generate_series(1, :fewer) i;
VACUUM (FREEZE, ANALYZE) narrow, wide;

-- How a query is sorted: by default where there is a GPU, by the CPU engine, and PostgreSQL's way.
CREATE VIEW ways AS SELECT * FROM (VALUES
	(1, 'gpusort, engine auto', 'gpusort.engine', 'auto'),
	(2, 'gpusort, CPU engine', 'gpusort.engine', 'cpu'),
	(3, 'Sort', 'gpusort.enable_sort', 'off')) w (ord, name, setting, value)
	WHERE value <> 'auto' OR EXISTS (SELECT FROM gpusort.devices WHERE state = 'ready');

-- Contenders for a query, beside what it is measured by.
CREATE FUNCTION contenders(unsorted text, sorted text) RETURNS text[] LANGUAGE sql AS $$
	SELECT ARRAY[['floor: unsorted', unsorted, '', '']] || array_agg(ARRAY[name, sorted, setting, value] ORDER BY ord) FROM gpusort_bench.ways
$$;

-- Contenders for one query of a table: its columns, keys, and what is computed from the rows.
CREATE FUNCTION rows_contenders(columns text, from_table text, keys text, aggregates text, bound text DEFAULT '') RETURNS text[] LANGUAGE sql AS $$
	SELECT gpusort_bench.contenders(format(query, ''), format(query, 'ORDER BY ' || keys || bound))
	FROM format('SELECT %s FROM (SELECT %s FROM gpusort_bench.%s %%s OFFSET 0) q', aggregates, columns, from_table) query
$$;

\if :{?memory}
CALL measure('rows', 'two columns, counted', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(*)'), 'Sort', :slow_runs);
CALL measure('rows', 'two columns, used', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'), 'Sort', :slow_runs);
CALL measure('rows', 'five columns with text, counted', 'float8', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(*)'), 'Sort', :slow_runs);
CALL measure('rows', 'five columns with text, used', 'float8', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(a), count(b), count(c), count(d), count(t)'), 'Sort', :slow_runs);
CALL measure('rows', 'two keys', 'int4, float8 DESC', NULL, :fewer, rows_contenders('c, a', 'wide', 'c, a DESC', 'count(*)'), 'Sort', :slow_runs);
\endif

\if :{?parallel}
SET max_parallel_workers_per_gather = 8;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
CALL measure('rows', 'two columns, used, 8 workers', 'int4', NULL, :many,
			 rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'), 'Sort', :slow_runs);
SET max_parallel_workers_per_gather = 0;
\endif

\if :{?spill}
SET work_mem = '16MB';
CALL measure('rows', 'two columns, used, work_mem 16 MB', 'int4', NULL, :many,
			 rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'), 'Sort', :slow_runs);
CALL measure('rows', 'five columns with text, used, work_mem 16 MB', 'float8', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'a', 'count(a), count(b), count(c), count(d), count(t)'), 'Sort', :slow_runs);
-- Seven columns, texts and numbers of variable length among them, beside two; at the default work_mem and more, serial and with PostgreSQL's default of two workers.
CREATE UNLOGGED TABLE seven WITH (parallel_workers = 2) AS
	SELECT (2e9 * random())::int4 AS a, i AS b, random() AS c, md5(i::text) AS t, (1e6 * random())::numeric(12, 2) AS n,
		timestamptz '2020-01-01' + i * interval '1 s' AS ts, i::int4 AS e
	FROM generate_series(1::int8, :fewer) i;
VACUUM (FREEZE, ANALYZE) seven;
SELECT format('SET work_mem = %L', memory), format('SET max_parallel_workers_per_gather = %s', workers),
	format('CALL measure(''rows'', %L, ''int4'', NULL, %s, rows_contenders(%L, %L, %L, %L), ''Sort'', %s)', format('%s, work_mem %s, %s workers', what, memory, workers),
		rows, columns, tab, key, aggregates, :slow_runs)
FROM unnest(ARRAY['4MB', '64MB', '1GB']) WITH ORDINALITY m(memory, i), unnest(ARRAY[0, 2]) workers,
	(VALUES (1, 'two columns, used', 'narrow', :many, 'x, id', 'x', 'count(x), count(id)'),
		(2, 'seven columns, used', 'seven', :fewer, 'a, b, c, t, n, ts, e', 'a', 'count(a), count(b), count(c), count(t), count(n), count(ts), count(e)')) t(j, what, tab, rows, columns, key, aggregates)
ORDER BY i, workers, j \gexec
SET max_parallel_workers_per_gather = 0;
DROP TABLE seven;
SET work_mem = '4GB';
\endif

\if :{?held}
CREATE UNLOGGED TABLE held AS
	SELECT (2e9 * random())::int4 AS a, i AS b, random() AS c, md5(i::text) COLLATE "C" AS t, (1e6 * random())::numeric(12, 2) AS n,
		now() + i * interval '1 s' AS ts, i % 10 AS e
	FROM generate_series(1, :fewer) i;
VACUUM (FREEZE, ANALYZE) held;
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, %L, NULL, %s, rows_contenders(%L, ''held'', %L, %L), ''Sort'', %s)', what || ', used, beyond work_mem ' || memory, type, :fewer, columns, keys,
		   (SELECT string_agg('count(' || c || ')', ', ') FROM regexp_split_to_table(columns, ', ') c), :slow_runs)
FROM unnest(ARRAY['4MB', '64MB']) WITH ORDINALITY m(memory, i), (VALUES
	(1, 'seven columns, by one', 'int4', 'a, b, c, t, n, ts, e', 'a'), (2, 'two columns', 'int4', 'a, b', 'a'), (3, 'md5 and a number', 'text COLLATE "C"', 't, b', 't'),
	(4, 'numeric and a number', 'numeric', 'n, b', 'n'), (5, 'a number and md5, by both', 'int4, text COLLATE "C"', 'e, t, b', 'e, t')) t(j, what, type, columns, keys)
ORDER BY j, i \gexec
DROP TABLE held;
SET work_mem = '4GB';
\endif

\if :{?keys}
CREATE UNLOGGED TABLE keyed AS
	SELECT 'https://www.example.com/' || (ARRAY['news', 'shop', 'blog/archive'])[i % 3 + 1] || '/' || md5(i::text) AS url, gen_random_uuid() AS uuid,
		(1e6 * random())::numeric(12, 2) AS amount, i AS id
	FROM generate_series(1, :fewer) i;
VACUUM (FREEZE, ANALYZE) keyed;
CALL measure('rows', 'by text', 'text COLLATE "C"', NULL, :fewer, rows_contenders('url, id', 'keyed', 'url COLLATE "C"', 'count(*)'), 'Sort', :slow_runs);
CALL measure('rows', 'by uuid', 'uuid', NULL, :fewer, rows_contenders('uuid, id', 'keyed', 'uuid', 'count(*)'), 'Sort', :slow_runs);
CALL measure('rows', 'by numeric', 'numeric', NULL, :fewer, rows_contenders('amount, id', 'keyed', 'amount', 'count(*)'), 'Sort', :slow_runs);
DROP TABLE keyed;
\endif

\if :{?text}
-- Each text with an int8, by the text, at every work_mem; Sort takes its turns with the others.
CREATE UNLOGGED TABLE md5s AS SELECT md5(i::text) AS t, i FROM generate_series(1::int8, :fewer) i;
CREATE UNLOGGED TABLE urls AS
	SELECT 'https://www.example.com/' || (ARRAY['news', 'shop', 'blog/archive'])[i % 3 + 1] || '/' || md5(i::text) AS t, i FROM generate_series(1::int8, :fewer) i;
CREATE UNLOGGED TABLE names AS
	SELECT (ARRAY['Anna', 'Maria', 'John', 'Peter', 'Olga', 'James', 'Li', 'Wei', 'Fatima', 'Sven'])[1 + i * 7 % 10] || ' ' ||
		(ARRAY['Smith', 'Johnson', 'Mueller', 'Garcia', 'Wang', 'Ivanov', 'Silva', 'Brown', 'Nguyen', 'Kim', 'Peters'])[1 + i * 31 % 11] || ' ' || hashint8(i) % 20000 AS t, i
	FROM generate_series(1::int8, :fewer) i;
CREATE UNLOGGED TABLE lengths AS
	SELECT left(md5(i::text) || md5((i + 1)::text), 1 + (hashint8(i) & 63)) AS t, i FROM generate_series(1::int8, :fewer) i;
VACUUM (FREEZE, ANALYZE) md5s, urls, names, lengths;
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, ''text COLLATE "C"'', NULL, %s, rows_contenders(''t, i'', %L, ''t COLLATE "C"'', ''count(t), count(i)''))', what || ', work_mem ' || memory, :fewer, tab)
FROM unnest(ARRAY['1GB', '64MB', '4MB']) WITH ORDINALITY m(memory, i),
	(VALUES (1, 'md5s', 'md5'), (2, 'urls', 'URLs'), (3, 'names', 'names'), (4, 'lengths', 'hexadecimal of 1 to 64 digits')) t(j, tab, what)
ORDER BY i, j \gexec
SET work_mem = '4MB';
SET max_parallel_workers_per_gather = 2;
CALL measure('rows', 'md5, work_mem 4MB, 2 workers', 'text COLLATE "C"', NULL, :fewer, rows_contenders('t, i', 'md5s', 't COLLATE "C"', 'count(t), count(i)'));
SET max_parallel_workers_per_gather = 0;
SET work_mem = '4GB';
DROP TABLE md5s, urls, names, lengths;
\endif

\if :{?compared}
-- Types whose values only their own function compares: Sort by one, beside the node by a key that is the same in all rows and by that one.
CREATE UNLOGGED TABLE compared AS
	SELECT 1 AS same, jsonb_build_object('name', hashint8(i) % 50000, 'n', i % 7) AS "jsonb", ARRAY[hashint8(i) % 50000, i] AS "int4[]",
		ARRAY[md5((i % 50000)::text), i::text] AS "text[]", int4range(abs(hashint8(i) % 50000), abs(hashint8(i) % 50000) + i::int4 % 9 + 1) AS "int4range"
	FROM generate_series(1::int8, 200000) i;
VACUUM (FREEZE, ANALYZE) compared;
SET gpusort.force_nodes = on;
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, %L, NULL, 200000, %L, ''Sort'', %s)', format('by %s, work_mem %s', type, memory), type,
		ARRAY[['floor: unsorted', format(query, type, ''), '', ''], ['gpusort, CPU engine', format(query, type, 'ORDER BY same, ' || quote_ident(type)), 'gpusort.engine', 'cpu'],
			['Sort', format(query, type, 'ORDER BY ' || quote_ident(type)), 'gpusort.enable_sort', 'off']], :slow_runs)
FROM unnest(ARRAY['1GB', '4MB', '64kB']) WITH ORDINALITY m(memory, i), unnest(ARRAY['jsonb', 'int4[]', 'text[]', 'int4range']) type,
	(VALUES ('SELECT count(%1$I) FROM (SELECT same, %1$I FROM gpusort_bench.compared %2$s OFFSET 0) q')) q(query)
ORDER BY i, type \gexec
RESET gpusort.force_nodes;
SET work_mem = '4GB';
DROP TABLE compared;
\endif

\if :{?limit}
CALL measure('rows', 'first 10', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(*)', ' LIMIT 10'), 'Sort', :slow_runs);
CALL measure('rows', 'first 100,000', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(*)', ' LIMIT 100000'), 'Sort', :slow_runs);
\endif

\if :{?index}
SET work_mem = '4MB';
CREATE INDEX ON narrow (x);
CREATE INDEX ON wide (c);
CREATE INDEX ON wide (t COLLATE "C");
VACUUM (ANALYZE) narrow, wide;
CALL measure('rows', 'with an index, two columns', 'int4', NULL, :many, rows_contenders('x, id', 'narrow', 'x', 'count(x), count(id)'), 'Sort', :slow_runs);
CALL measure('rows', 'with an index, five columns', 'int4', NULL, :fewer,
			 rows_contenders('a, b, c, d, t', 'wide', 'c', 'count(a), count(b), count(c), count(d), count(t)'), 'Sort', :slow_runs);
CALL measure('rows', 'with an index, two columns', 'text COLLATE "C"', NULL, :fewer, rows_contenders('t, a', 'wide', 't COLLATE "C"', 'count(t), count(a)'), 'Sort', :slow_runs);
DROP INDEX narrow_x_idx, wide_c_idx, wide_t_idx;
SET work_mem = '4GB';
\endif

\if :{?sequences}
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, ''int4'', NULL, %s, rows_contenders(''x, id'', ''narrow'', %L, ''count(x), count(id)''), ''Sort'', %s)', what || ', work_mem ' || memory, :many, key, :slow_runs)
FROM unnest(ARRAY['4MB', '1GB']) WITH ORDINALITY m(memory, i), (VALUES (1, 'in order', 'id'), (2, 'in the reverse order', 'id DESC'), (3, 'two sequences that alternate', 'x % 2, id')) t(j, what, key)
ORDER BY i, j \gexec
SET work_mem = '4GB';
\endif

\if :{?intervals}
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, ''int4'', NULL, %s, rows_contenders(''x, id'', ''narrow'', %L, ''count(x), count(id)''), ''Sort'', %s)', what || ', work_mem ' || memory, :many, key, :slow_runs)
FROM unnest(ARRAY['4MB', '1GB']) WITH ORDINALITY m(memory, i), (VALUES (1, 'by x', 'x'), (2, 'by bucket(x, 10000)', 'gpusort.bucket(x, 10000) OVER ()')) t(j, what, key)
ORDER BY i, j \gexec
SET work_mem = '4GB';
\endif

\if :{?groups}
CREATE UNLOGGED TABLE grouped AS
	SELECT (1000 * random())::int4 AS k, (1e5 * random())::int4 AS few, (2e9 * random())::int4 AS v, i AS id FROM generate_series(1::int8, :fewer) i;
VACUUM (FREEZE, ANALYZE) grouped;
-- The floor reads the same columns.
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, ''int4'', NULL, %s, %L, ''Sort'', %s)', format('first 3 of each of %s by %s(), work_mem %s', groups, function, memory), :fewer,
		contenders(format('SELECT count(k), count(v), count(id) FROM (SELECT %s AS k, v, id FROM gpusort_bench.grouped OFFSET 0) q', k),
			format('SELECT count(*) FROM (SELECT %1$s AS k, v, id, %2$s() OVER (PARTITION BY %1$s ORDER BY v) AS n FROM gpusort_bench.grouped) q WHERE n <= 3', k, function)), :slow_runs)
FROM unnest(ARRAY['4MB', '1GB']) WITH ORDINALITY m(memory, i), (VALUES ('k', '1,000 groups', 'row_number'), ('k', '1,000 groups', 'rank'), ('few', '100,000 groups', 'row_number'), ('id / 2', 'the groups of 2 rows', 'row_number')) t(k, groups, function)
ORDER BY i \gexec
SELECT format('SET work_mem = %L', memory),
	format('CALL measure(''rows'', %L, ''int4'', NULL, %s, %L, ''Sort'', %s)', 'row_number() in each of 1,000 groups, work_mem ' || memory, :fewer,
		contenders('SELECT count(k), count(v), count(id) FROM (SELECT k, v, id FROM gpusort_bench.grouped OFFSET 0) q',
			'SELECT count(k), count(v), count(n) FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM gpusort_bench.grouped OFFSET 0) q'), :slow_runs)
FROM unnest(ARRAY['4MB', '1GB']) WITH ORDINALITY m(memory, i) ORDER BY i \gexec
SET work_mem = '4GB';
DROP TABLE grouped;
\endif
DROP TABLE narrow, wide;
SELECT data, type, arrays AS "rows", contender, median_ms AS "median ms", times_floor AS "times unsorted"
FROM results WHERE section = :'section' ORDER BY id;
