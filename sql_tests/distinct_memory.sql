-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- count_distinct beyond work_mem: values go to parts by a hash, parts that exceed memory to parts of
-- their own, and what cannot be hashed to a sort.  Results are those of PostgreSQL's count(DISTINCT).
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE SCHEMA distinct_memory;
SET search_path = distinct_memory;
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
SET gpusort.enable_aggregates = off;

CREATE FUNCTION check_values(relation text, value text) RETURNS TABLE (spilled bool, same bool, same_in_groups bool) LANGUAGE sql AS $$
	SELECT pg_temp.temporary_files(own, '64kB'), pg_temp.outcome_within(own, '64kB') = pg_temp.outcome_within(servers, '64MB'),
		pg_temp.outcome_within(own || ' GROUP BY g', '64kB') = pg_temp.outcome_within(servers || ' GROUP BY g', '64MB')
	FROM (SELECT format('SELECT gpusort.count_distinct(%s) FROM %s', value, relation) AS own, format('SELECT count(DISTINCT %s) FROM %s', value, relation) AS servers) q $$;

-- Types, collations, values that come again, and NULLs.
CREATE TABLE texts AS SELECT i % 3 AS g, md5(i::text) COLLATE "C" AS t, md5((i % 7001)::text) AS again, CASE WHEN i % 5 > 0 THEN i END AS n FROM generate_series(1, 30000) i;
SELECT value, c.*
FROM (VALUES ('t'), ('t::varchar'), ('t COLLATE "default"'), ('again'), ('left(t, 1)'), ('left(t, n % 20)'), ('t::uuid'), ('t::bytea'), ('decode(t, ''hex'')'), ('nullif(again, md5(''7''))'), ('CASE WHEN n > 0 THEN t END'),
		('t || repeat(''x'', n % 90)'), ('n'), ('n::int2'), ('n::bigint << 40'), ('n::float8 / 7'), ('n::numeric / 7'), ('n * interval ''1 s'''),
		('CASE n % 7 WHEN 0 THEN ''-0'' WHEN 1 THEN ''0'' WHEN 2 THEN ''NaN'' ELSE n::text END::float8')) v(value), LATERAL check_values('texts', value) c;
-- A collation in which texts of different bytes are equal.
DO $$
BEGIN
	CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN OTHERS THEN	-- built without ICU, or an encoding that ICU does not know
	CREATE COLLATION any_case FROM "C";
END $$;
SELECT * FROM check_values('(SELECT g, t FROM texts UNION ALL SELECT g, upper(t) FROM texts) q', 't COLLATE any_case');

-- One value, many times; after others, and before them.
CREATE TABLE equal AS SELECT i % 2 AS g, CASE WHEN i BETWEEN 10000 AND 90000 THEN 'one' ELSE md5(i::text) END AS t FROM generate_series(1, 100000) i;
SELECT * FROM check_values('equal', 't');
SELECT * FROM check_values('(SELECT 1 AS g, ''one'' AS t FROM equal) q', 't');
-- Values longer than a block of the file, alike but for their ends; where all are long they are sorted.
CREATE TABLE long AS SELECT i % 2 AS g, CASE WHEN i > 5000 AND i % 97 = 0 THEN repeat('long ', i % 3 * 9000 + 1000) || i % 500 ELSE 'short ' || i END AS t FROM generate_series(1, 20000) i;
ALTER TABLE long ALTER t SET STORAGE external;
SELECT * FROM check_values('long', 't');
SELECT * FROM check_values('long', 't::bytea');
SELECT * FROM check_values('(SELECT * FROM long WHERE length(t) < 9000) q', 'repeat(t, 30)') WHERE spilled;
-- One value that exceeds memory by itself, many times, and others like it, among short ones.
SELECT * FROM check_values('(SELECT g, t FROM long UNION ALL SELECT g, repeat(md5((i % 2 * i)::text), 5000) FROM long, generate_series(1, 60) i WHERE t = ''short 1'') q', 't');
-- As many as are divided again and again.
CREATE TABLE many AS SELECT 1 AS g, i::text || '.' AS t FROM generate_series(1, 1000000) i;
SELECT * FROM check_values('many', 't');
-- Large sets, whose values are hashed as they come: all different, and such as come again when many were hashed.
SELECT value, memory, pg_temp.temporary_files(query, memory) AS spilled, pg_temp.outcome_within(query, memory)
FROM unnest('{t,"t::float8::int % 200000 || $$.$$","t::float8::int % 60000 || $$.$$","CASE WHEN length(t) > 6 THEN $$one$$ ELSE t END"}'::text[]) WITH ORDINALITY v(value, n),
	unnest('{8MB,64MB}'::text[]) memory, format('SELECT gpusort.count_distinct(%s) FROM many', value) query ORDER BY n, memory;
-- More than one in a query, and none.
SELECT pg_temp.outcome_within('SELECT gpusort.count_distinct(t), gpusort.count_distinct(again), gpusort.count_distinct(n) FROM texts', '64kB') =
	pg_temp.outcome_within('SELECT count(DISTINCT t), count(DISTINCT again), count(DISTINCT n) FROM texts', '64MB') AS same;
SELECT gpusort.count_distinct(NULL::text) AS of_nulls, gpusort.count_distinct(t) FILTER (WHERE g > 2) AS of_nothing FROM texts;

-- What is written counts, also where parts are divided.
SET work_mem = '64kB';
\set VERBOSITY sqlstate
SET temp_file_limit = '1MB';
SELECT gpusort.count_distinct(t) FROM texts;
SET temp_file_limit = '13500kB';
SELECT gpusort.count_distinct(t) FROM many;
SET temp_file_limit = '20MB';
SELECT gpusort.count_distinct(t) FROM many;
\set VERBOSITY default
RESET temp_file_limit;
SELECT gpusort.count_distinct(t) FROM texts;

SET client_min_messages = warning;
DROP SCHEMA distinct_memory CASCADE;
