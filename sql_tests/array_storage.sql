-- Arrays in every form of storage: short and long headers, compressed, out of
-- line, both, expanded; the argument itself is never changed.
SET search_path = gpusort, pg_catalog, public;
CREATE TABLE stored (n int, plain int4[], compressed int4[], external int4[], extended int4[], words text[], keys float8[]);
ALTER TABLE stored ALTER plain SET STORAGE MAIN, ALTER compressed SET STORAGE MAIN, ALTER external SET STORAGE EXTERNAL, ALTER extended SET STORAGE EXTENDED,
	ALTER words SET STORAGE EXTERNAL, ALTER keys SET STORAGE EXTERNAL;
-- A server may have been built without lz4.
DO $$ BEGIN ALTER TABLE stored ALTER extended SET COMPRESSION lz4; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
-- Short headers end at 126 bytes: 25 elements of int4.
INSERT INTO stored SELECT n, a, ARRAY(SELECT 7 - i % 3 FROM generate_series(1, n) i), a, ARRAY(SELECT i % 100 FROM generate_series(1, n) i), a::text[], a::float8[]
	FROM unnest('{0,1,2,24,25,26,27,100,499,500,501,1000,5000}'::int4[]) n, LATERAL (SELECT ARRAY(SELECT i * 7919 % 10007 FROM generate_series(1, n) i) AS a) r;
SELECT count(*) FILTER (WHERE pg_column_compression(compressed) IS NOT NULL) > 0 AS compressed, count(*) FILTER (WHERE pg_column_compression(extended) IS NOT NULL) > 0 AS extended,
       count(*) FILTER (WHERE pg_column_compression(external) IS NULL AND pg_column_size(external) > 2000) > 0 AS external FROM stored;
SELECT c AS column, count(*) FILTER (WHERE array_sort(a) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x)) AS sort,
       count(*) FILTER (WHERE array_argsort(a, true) IS DISTINCT FROM ARRAY(SELECT o::int FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY x DESC, o)) AS argsort,
       count(*) FILTER (WHERE array_sort_by(a, keys) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a, keys) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by,
       count(*) FILTER (WHERE array_sort_by(keys, a) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(keys, a) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by_key,
       count(*) FILTER (WHERE array_sort_distinct(a) IS DISTINCT FROM ARRAY(SELECT DISTINCT x FROM unnest(a) x ORDER BY x)) AS "distinct",
       count(*) FILTER (WHERE array_top_n(a, 5) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x DESC LIMIT 5)) AS top_n,
       count(*) FILTER (WHERE array_is_sorted(a) IS DISTINCT FROM (a = array_sort(a))) AS is_sorted
FROM stored, LATERAL (VALUES ('plain', plain), ('compressed', compressed), ('external', external), ('extended', extended)) v(c, a) GROUP BY c ORDER BY c;
SET gpusort.engine = 'auto';
SELECT count(*) FILTER (WHERE array_sort(words) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(words) x ORDER BY x)) AS words,
       count(*) FILTER (WHERE array_sort_by(words, external) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(words, external) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by FROM stored;
RESET gpusort.engine;
-- Nothing was written where it was read.
SELECT count(*) AS changed FROM stored WHERE plain <> ARRAY(SELECT i * 7919 % 10007 FROM generate_series(1, n) i) OR external <> plain OR keys <> plain::float8[];

-- Elements of 8 bytes that are aligned to 4, in rows where they lie so: read in place, gathered, with NULLs between, and batched.
CREATE TABLE stations (n int4, name macaddr8[], signal int4[]);
ALTER TABLE stations ALTER name SET STORAGE MAIN, ALTER signal SET STORAGE MAIN;
INSERT INTO stations SELECT n, ARRAY(SELECT ('08002b0102' || lpad(to_hex(i * 7919 % 10007), 6, '0'))::macaddr8 FROM generate_series(1, 20 + n) i),
       ARRAY(SELECT i * 104729 % 1009 FROM generate_series(1, 20 + n) i) FROM generate_series(1, 40) n;
SET gpusort.engine = 'auto';
SELECT count(*) FILTER (WHERE array_sort(name) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(name) x ORDER BY x)) AS sort,
       count(*) FILTER (WHERE array_sort_by(name, signal) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(name, signal) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by,
       count(*) FILTER (WHERE array_sort_by(signal, name) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(signal, name) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by_name,
       count(*) FILTER (WHERE array_top_n(name, 5) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(name) x ORDER BY x DESC LIMIT 5)) AS top_n,
       count(*) FILTER (WHERE array_take(name, array_argsort(name, true)) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(name) x ORDER BY x DESC)) AS take,
       count(*) FILTER (WHERE array_sort(name || NULL) IS DISTINCT FROM array_sort(name) || NULL) AS nulls FROM stations;
SET gpusort.force_nodes = on;
SELECT count(*) FILTER (WHERE sorted IS DISTINCT FROM ARRAY(SELECT x FROM unnest(name, signal) WITH ORDINALITY u(x, k, o) ORDER BY k, o)) AS sort_by
FROM (SELECT name, signal, array_sort_by(name, signal) AS sorted FROM stations OFFSET 0) q;
RESET gpusort.force_nodes;
RESET gpusort.engine;

-- Values that no table holds: expanded arrays, constants, parameters, slices, results of each other.
DO $$
DECLARE
	a int4[] := ARRAY(SELECT i * 7919 % 101 FROM generate_series(1, 100) i);
	k float4[] := '{}';
	before int4[] := a || '{}';
BEGIN
	FOR i IN 1..100 LOOP k[i] := -i; END LOOP;
	a[50] := NULL;
	ASSERT array_sort(a) = ARRAY(SELECT x FROM unnest(a) x ORDER BY x);
	ASSERT array_sort_by(a, k) = ARRAY(SELECT a[i] FROM generate_series(100, 1, -1) i);
	ASSERT array_sort_by(k, a) = ARRAY(SELECT x FROM unnest(k, a) WITH ORDINALITY u(x, y, o) ORDER BY y, o);
	ASSERT (array_sort_pair(a, k)).sorted_keys = array_sort(k);
	ASSERT array_take(a, array_argsort(a)) = array_sort(a);
	ASSERT array_remove(a, NULL) = before[1:49] || before[51:100], 'the variable was changed';
	ASSERT array_sort(array_sort(array_top_n(a, 10)), true) = array_top_n(a, 10);
	ASSERT array_sort(a[10:20]) = ARRAY(SELECT x FROM unnest(a[10:20]) x ORDER BY x);
	a := array_sort(a);
	a[1] := 1000;
	ASSERT NOT array_is_sorted(a);
END $$;
PREPARE sorted(int4[]) AS SELECT array_sort($1), array_sort($1, true), $1;
EXECUTE sorted('{3,1,2}');
EXECUTE sorted('{3,NULL,2}');
-- One call site, arrays of many forms and shapes.
SET gpusort.engine = 'auto';
SELECT array_sort(a) FROM (VALUES ('{3,1,2}'::int4[]), ('{}'), ('{{2,1},{1,2}}'), ('{3,NULL}'), ('[0:1]={2,1}'), (NULL)) t(a);

-- Values that are fetched and copied in pieces: some MB, of odd length, stored in every way, and in variables.
SET gpusort.enable_array_sort = off;
TRUNCATE stored;
INSERT INTO stored (n, plain, compressed, external, extended, words)
	SELECT n, a, ARRAY(SELECT 7 - i % 3 FROM generate_series(1, n) i), a, ARRAY(SELECT i % 100 FROM generate_series(1, n) i), a::text[]
	FROM (VALUES (262143), (400001)) v(n), LATERAL (SELECT ARRAY(SELECT (i::int8 * 7919 % 1000003)::int FROM generate_series(1, n) i) AS a) r;
SELECT c AS column, count(*) AS rows, count(*) FILTER (WHERE array_sort(a) IS DISTINCT FROM ARRAY(SELECT x FROM unnest(a) x ORDER BY x)) AS sort,
       count(*) FILTER (WHERE array_is_sorted(a) OR NOT array_is_sorted(array_sort(a))) AS is_sorted,
       count(*) FILTER (WHERE array_take(a, array_argsort(a)) IS DISTINCT FROM array_sort(a)) AS take,
       count(*) FILTER (WHERE array_sort(array_append(a, NULL)) IS DISTINCT FROM array_append(array_sort(a), NULL)) AS nulls,
       count(*) FILTER (WHERE array_sort_distinct(array_append(array_append(a, NULL), NULL)) IS DISTINCT FROM array_append(array_sort_distinct(a), NULL)) AS "distinct"
FROM stored, LATERAL (VALUES ('plain', plain), ('compressed', compressed), ('external', external), ('extended', extended)) v(c, a) GROUP BY c ORDER BY c;
SELECT n, array_sort(words) = ARRAY(SELECT x FROM unnest(words) x ORDER BY x) AS words FROM stored ORDER BY n;
DO $$
DECLARE
	a int4[] := ARRAY(SELECT (i::int8 * 7919 % 1000003)::int FROM generate_series(1, 300000) i);
	before int4[] := array_sort(a);
BEGIN
	ASSERT array_is_sorted(before) AND NOT array_is_sorted(a);
	a[7] := 1000004;
	ASSERT (array_sort(a))[300000] = 1000004;
	ASSERT a[7] = 1000004 AND array_sort(a) <> before;
	ASSERT before = array_sort(before);
END $$;
RESET gpusort.enable_array_sort;
DROP TABLE stored;
