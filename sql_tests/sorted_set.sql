-- Needs gpusort.engine = 'auto': sorts types without a key form.
-- The type sorted_set: made, merged, asked, stored, read and written.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
SET extra_float_digits = 1;
SET datestyle = 'ISO';
SET timezone = 'UTC';
CREATE TYPE pg_temp.mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN pg_temp.small AS int CHECK (VALUE < 1000);
SELECT gpusort.sorted_set_agg(x) AS asc, gpusort.sorted_set_agg(x, true) AS desc,
	gpusort.sorted_set_agg(x, true, false) AS last, gpusort.sorted_set_agg(x, false, true) AS first
FROM (VALUES (3), (1), (NULL), (2)) v(x);
SELECT gpusort.sorted_set_agg(x COLLATE "C") AS text, gpusort.sorted_set_agg(length(x)::numeric / 3, true) AS numeric,
	gpusort.sorted_set_agg(x = 'b') AS bool, gpusort.sorted_set_agg(NULL::float8) AS nothing
FROM (VALUES ('b'), ('a,"x'), (NULL), ('{ä')) v(x);
SELECT gpusort.sorted_set_agg(x::pg_temp.mood)::text LIKE '%mood {sad,ok,happy,NULL}' AS enum FROM (VALUES ('ok'), ('happy'), (NULL), ('sad')) v(x);
SELECT gpusort.sorted_set_agg(x::pg_temp.small) AS domain FROM (VALUES (3), (1)) v(x);
SELECT gpusort.sorted_set_agg(x) IS NULL AS nothing FROM (VALUES (3)) v(x) WHERE x > 5;
-- Over a window frame the state stays.
SELECT x, gpusort.sorted_set_agg(x) OVER (ORDER BY o ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES (1, 3), (2, 1), (3, 2)) v(o, x);

-- What a set does not hold.
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_agg((i, 1)) FROM generate_series(1, 3) i');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_agg(ARRAY[i]) FROM generate_series(1, 3) i');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_agg(int4range(i, 9)) FROM generate_series(1, 3) i');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_agg(point(i, i)) FROM generate_series(1, 1) i');

-- Text: elements in any order, words in any case.
SELECT s::gpusort.sorted_set FROM (VALUES ('int {3,1,NULL,2}'), ('int4 desc{3,1,2}'), ('text collate "C" Desc  nulls  Last {a,NULL,c}'),
	('timestamp with time zone nulls first {2020-01-01 00:00:00+00,NULL}'), ('float8 ASC {}'), ('"char" {"{",b}'), ('double precision {NaN,1e300,-0,0.1}')) v(s);
SELECT s, pg_temp.error_of(format('SELECT %L::gpusort.sorted_set', s)) FROM (VALUES ('int'), (''), ('int NULLS {1}'), ('int {1'), ('none {1}'), ('{1}'), ('- {1}'),
	('int {{1,2},{3,4}}'), ('int COLLATE "C" {1}'), ('text COLLATE none {a}'), ('internal {1}'), ('int[] {"{1}"}'), ('point {"(1,1)"}'), ('int {a}'),
	('int DESC ASC {1}'), ('int FIRST {1}'), ('DESC {1}'), ('int "{1}'), ('1{1}')) v(s);

-- Merged.
SELECT gpusort.merge('int {3,1}', 'int {4,2,NULL}'), gpusort.merge('text DESC {3,1,NULL}', 'text DESC {4,2}'), gpusort.merge('int {}', 'int {}'), gpusort.merge('int {1}', NULL);
SELECT gpusort.merge_agg(s::gpusort.sorted_set) FROM (VALUES ('int {3,4}'), ('int {1}'), (NULL), ('int {}'), ('int {2,NULL}')) v(s);
SELECT pg_temp.error_of('SELECT gpusort.merge(''int {1}'', ''int DESC {1}'')');
SELECT pg_temp.error_of('SELECT gpusort.merge(''int {1}'', ''int NULLS FIRST {1}'')');
SELECT pg_temp.error_of('SELECT gpusort.merge(''text {1}'', ''text COLLATE "C" {1}'')');
SELECT pg_temp.error_of('SELECT gpusort.merge(''int {1}'', ''int8 {1}'')');
SELECT pg_temp.error_of('SELECT gpusort.merge_agg(s::gpusort.sorted_set) FROM (VALUES (''int {1}''), (''int8 {1}'')) v(s)');

-- Asked.
SELECT gpusort.sorted_array('int {3,1,NULL}', NULL::int), gpusort.sorted_array('text {3,1}', NULL::text), gpusort.sorted_array('int {}', NULL::int), gpusort.sorted_array(NULL, NULL::int);
SELECT pg_temp.error_of('SELECT gpusort.sorted_array(''int {1}'', NULL::int8)');
SELECT gpusort.sorted_set_count(s), gpusort.sorted_set_count_distinct(s), gpusort.sorted_set_median(s), gpusort.sorted_set_percentile_cont(s, 0.25),
	gpusort.sorted_set_percentile_cont(s, ARRAY[0, 1, NULL]::float8[]), gpusort.sorted_set_percentile_disc(s, 0.25, NULL::int),
	gpusort.sorted_set_percentile_disc(s, ARRAY[0.25, 1]::float8[], NULL::int)
FROM (VALUES ('int {3,1,2,3,NULL}'::gpusort.sorted_set), ('int DESC {3,1,2,3,NULL}'), ('int {}'), ('int {NULL}')) v(s);
SELECT gpusort.sorted_set_count_distinct('text {b,a,b}'), gpusort.sorted_set_percentile_disc('text {b,a,c}', 0.5, NULL::text);
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_median(''text {a}'')');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_median(''date {}'')');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_percentile_cont(''int {1}'', 2)');
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_percentile_disc(''int {1}'', 0.5, NULL::text)');

-- Stored, also out of line, and put together again: what one aggregate makes of all rows.
CREATE TEMP TABLE v AS SELECT i, CASE WHEN i % 1000 = 0 THEN NULL ELSE hashint4(i) % 5000 END AS x, md5((i % 7000)::text) AS t, sqrt(i % 1234) AS f FROM generate_series(1, 30000) i;
CREATE TEMP TABLE kept AS SELECT i % 10 AS g, gpusort.sorted_set_agg(x) AS x, gpusort.sorted_set_agg(t) AS t, gpusort.sorted_set_agg(f, true) AS f,
	gpusort.sorted_set_agg(x::numeric) AS n, gpusort.sorted_set_agg(date '2000-01-01' + x) AS d FROM v GROUP BY 1;
SELECT gpusort.sorted_array(gpusort.merge_agg(k.x), NULL::int) = (SELECT array_agg(x ORDER BY x) FROM v) AS x,
	gpusort.sorted_array(gpusort.merge_agg(k.t), NULL::text) = (SELECT array_agg(t ORDER BY t) FROM v) AS t,
	gpusort.sorted_array(gpusort.merge_agg(k.f), NULL::float8) = (SELECT array_agg(f ORDER BY f DESC) FROM v) AS f,
	gpusort.sorted_array(gpusort.merge_agg(k.n), NULL::numeric) = (SELECT array_agg(x::numeric ORDER BY x) FROM v) AS n,
	gpusort.sorted_array(gpusort.merge_agg(k.d), NULL::date) = (SELECT array_agg(date '2000-01-01' + x ORDER BY x) FROM v) AS d,
	gpusort.sorted_set_median(gpusort.merge_agg(k.x)) = (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM v) AS median,
	gpusort.sorted_set_count_distinct(gpusort.merge_agg(k.t)) = (SELECT count(DISTINCT t) FROM v) AS distinct
FROM kept k;
SELECT count(*) AS wrong FROM kept a, kept b WHERE a.g < b.g AND gpusort.sorted_array(gpusort.merge(a.x, b.x), NULL::int) <>
	(SELECT array_agg(x ORDER BY x) FROM v WHERE i % 10 IN (a.g, b.g));
-- As text and back.
SELECT count(*) AS wrong FROM kept k WHERE k.x::text::gpusort.sorted_set::text <> k.x::text OR k.t::text::gpusort.sorted_set::text <> k.t::text OR k.f::text::gpusort.sorted_set::text <> k.f::text;
SELECT bool_and(substr(k.x::text, strpos(k.x::text, '{')) = gpusort.sorted_array(k.x, NULL::int)::text) AS x, bool_and(substr(k.t::text, strpos(k.t::text, '{')) = gpusort.sorted_array(k.t, NULL::text)::text) AS t FROM kept k;

-- A set goes on when its type, the schema of that or a label is renamed.
CREATE SCHEMA moods;
CREATE TYPE moods.mood AS ENUM ('sad', 'ok');
CREATE TABLE felt AS SELECT gpusort.sorted_set_agg(m) AS s FROM unnest('{ok,sad,NULL}'::moods.mood[]) m;
ALTER TYPE moods.mood RENAME VALUE 'sad' TO 'blue';
ALTER SCHEMA moods RENAME TO feelings;
ALTER TYPE feelings.mood RENAME TO feeling;
ALTER TYPE feelings.feeling ADD VALUE 'low' BEFORE 'blue';
SELECT s, gpusort.merge(s, 'feelings.feeling {low}'), gpusort.sorted_array(s, NULL::feelings.feeling), s::text::gpusort.sorted_set::text = s::text AS text FROM felt;
DROP SCHEMA feelings CASCADE;
SELECT pg_temp.error_of('SELECT s FROM felt') ~ '^42704: type with OID [0-9]+ does not exist' AS dropped;
DROP TABLE felt;

-- The text takes no more memory than that of an array, and writing it heeds a cancel.
CREATE FUNCTION pg_temp.text_of(call text, OUT bytes int8, OUT peak_kb int8) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT length((%s)::text) FROM (SELECT repeat(md5(i::text), 300) AS x FROM generate_series(1, 6000) i) v', call) INTO bytes;
	peak_kb := (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1];
END $$;
-- The array's comes first, for a peak never falls.
SELECT bytes, peak_kb FROM pg_temp.text_of('array_agg(x ORDER BY x COLLATE "C")') \gset array_
SELECT bytes - :array_bytes AS words, peak_kb <= 1.1 * :array_peak_kb AS no_more_memory FROM pg_temp.text_of('gpusort.sorted_set_agg(x)');
CREATE FUNCTION pg_temp.heeds_cancel() RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	set gpusort.sorted_set := (SELECT gpusort.sorted_set_agg(sqrt(i)) FROM generate_series(1, 1500000) i);
	start timestamptz := clock_timestamp();
	whole interval;
	canceled interval;
BEGIN
	PERFORM length(set::text);
	whole := clock_timestamp() - start;
	FOR i IN 1 .. 5 LOOP
		start := clock_timestamp();
		BEGIN
			PERFORM CASE WHEN pg_cancel_backend(pg_backend_pid()) THEN length(set::text) END;
		EXCEPTION WHEN query_canceled THEN
			canceled := least(canceled, clock_timestamp() - start);
		END;
	END LOOP;
	RETURN canceled < whole / 2;
END $$;
SELECT pg_temp.heeds_cancel();

-- In parallel workers.
CREATE TABLE sorted_set_rows AS SELECT * FROM v;
ANALYZE sorted_set_rows;
CREATE TABLE sorted_set_kept AS SELECT * FROM kept;
ANALYZE sorted_set_kept;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
CREATE TEMP TABLE together AS SELECT gpusort.sorted_set_agg(x) AS x, gpusort.sorted_set_agg(t, true) AS t FROM sorted_set_rows;
CREATE TEMP TABLE merged AS SELECT gpusort.merge_agg(x) AS x, gpusort.merge_agg(t) AS t FROM sorted_set_kept;
SELECT count(*) > 0 AS parallel FROM pg_temp.explain_lines('SELECT gpusort.sorted_set_agg(x) FROM sorted_set_rows') l WHERE l LIKE '%Partial Aggregate%';
SET max_parallel_workers_per_gather = 0;
SELECT gpusort.sorted_array(a.x, NULL::int) = (SELECT array_agg(x ORDER BY x) FROM v) AS x, gpusort.sorted_array(a.t, NULL::text) = (SELECT array_agg(t ORDER BY t DESC) FROM v) AS t,
	m.x::text = a.x::text AS merged_x, gpusort.sorted_array(m.t, NULL::text) = (SELECT array_agg(t ORDER BY t) FROM v) AS merged_t
FROM together a, merged m;
DROP TABLE sorted_set_rows, sorted_set_kept;

-- Casts to arrays, of the types that a set can hold most often.
SELECT 'integer {1,2,NULL}'::gpusort.sorted_set::int4[], 'text COLLATE "C" DESC {a,b}'::gpusort.sorted_set::text[], 'numeric {}'::gpusort.sorted_set::numeric[], NULL::gpusort.sorted_set::float8[] IS NULL AS nothing,
	gpusort.array_median('numeric {1.5,2.5}'::gpusort.sorted_set::numeric[]), cardinality('uuid {}'::gpusort.sorted_set::uuid[]);
SELECT pg_temp.error_of($$SELECT 'integer {1}'::gpusort.sorted_set::int8[]$$);
SELECT pg_temp.error_of($$SELECT 'oid {1}'::gpusort.sorted_set::int4[]$$);

-- A set of one text has a collation, too.
CREATE TEMP TABLE two_collations AS SELECT 'a' COLLATE "C" AS a, 'b' COLLATE "POSIX" AS b;
SELECT pg_temp.error_of('SELECT gpusort.sorted_set_agg(a || b) FROM two_collations');
SELECT gpusort.sorted_set_agg((a || b) COLLATE "C") OPERATOR(gpusort.=) 'text COLLATE "C" {ab}' AS equal FROM two_collations;

-- Order: by type, collation and direction, then by the values as arrays.
CREATE TEMP TABLE ordered AS SELECT s::gpusort.sorted_set FROM unnest(ARRAY['integer {1,2}', 'integer {2,1}', 'integer {1}', 'integer {}', 'integer {1,NULL}', 'integer {NULL}', 'integer DESC {2,1}', 'integer NULLS FIRST {1,2}',
	'float8 {0,NaN}', 'float8 {-0,NaN}', 'numeric {1.0}', 'numeric {1.00}', 'text {b}', 'text {a,b}', 'text COLLATE "C" {a,b}', 'bigint {1}', NULL]) s;
SELECT string_agg(s::text, ', ' ORDER BY s::text COLLATE "C") AS equal, count(*) FROM ordered GROUP BY s ORDER BY s;
SELECT count(DISTINCT s), (SELECT count(*) FROM (SELECT s FROM ordered UNION SELECT s FROM ordered) u) AS in_union FROM ordered;
CREATE TEMP TABLE many AS SELECT gpusort.sorted_set_agg(nullif(x % 5, 4)) AS s, array_agg(nullif(x % 5, 4) ORDER BY nullif(x % 5, 4)) AS a
FROM (SELECT (random() * 100)::int AS x, (random() * 150)::int AS g FROM generate_series(1, 500)) r GROUP BY g;
SELECT count(*) > 10000 AS many, count(*) FILTER (WHERE x.s OPERATOR(gpusort.<) y.s IS DISTINCT FROM x.a < y.a OR x.s OPERATOR(gpusort.<=) y.s IS DISTINCT FROM x.a <= y.a OR x.s OPERATOR(gpusort.=) y.s IS DISTINCT FROM (x.a = y.a)
	OR x.s OPERATOR(gpusort.<>) y.s IS DISTINCT FROM x.a <> y.a OR x.s OPERATOR(gpusort.>=) y.s IS DISTINCT FROM x.a >= y.a OR x.s OPERATOR(gpusort.>) y.s IS DISTINCT FROM x.a > y.a) AS wrong FROM many x, many y;
SELECT string_agg(a::text, ' ' ORDER BY s) = string_agg(a::text, ' ' ORDER BY a) AS same_order, count(DISTINCT s) = count(DISTINCT a) AS same_groups FROM many;
SELECT (SELECT count(*) FROM many x FULL JOIN many y ON x.s OPERATOR(gpusort.=) y.s) = (SELECT count(*) FROM many x FULL JOIN many y ON x.a = y.a) AS same_join;
CREATE INDEX many_key ON many (s);
SET enable_seqscan = off;
SELECT count(*) > 0 AS index_scan FROM pg_temp.explain_lines($$SELECT * FROM many WHERE s OPERATOR(gpusort.>=) 'integer {2}'$$) l WHERE l LIKE '%many_key%';
SELECT count(*) = (SELECT count(*) FROM many WHERE a >= '{2}') AS same FROM many WHERE s OPERATOR(gpusort.>=) 'integer {2}';
RESET enable_seqscan;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'sorted_set_ops';
