-- Needs gpusort.engine = 'auto': sorts texts, which no GPU sorts, beyond work_mem.
-- gpusort.enable_aggregates: count(DISTINCT ...) of texts, bytes and numeric is hashed, mode and
-- percentile_disc of numeric are computed, and every result is as without, in memory and in temporary files.
CREATE SCHEMA texts;
SET search_path = texts;
SET max_parallel_workers_per_gather = 0;
SET gpusort.force_nodes = on;
SET compute_query_id = off;

CREATE FUNCTION taken(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line ~ 'gpusort\.(count_distinct|mode|percentile_disc)' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
CREATE FUNCTION outcome(query text, memory text, replaced bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('gpusort.enable_aggregates', replaced::text, true);
	EXECUTE format('SELECT string_agg(q::text, chr(10) ORDER BY q::text) FROM (%s) q', query) INTO result;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION compare(query text, OUT taken bool, OUT same bool) LANGUAGE plpgsql AS $$
DECLARE expected text := texts.outcome(query, '64MB', false); memory text;
BEGIN
	PERFORM set_config('gpusort.enable_aggregates', 'on', true);
	taken := taken(query);
	same := true;
	FOREACH memory IN ARRAY '{64kB,4MB,64MB}'::text[] LOOP
		IF texts.outcome(query, memory, true) IS DISTINCT FROM expected THEN
			RAISE WARNING E'%: % instead of %', query, texts.outcome(query, memory, true), expected;
			same := false;
		END IF;
	END LOOP;
END $$;

-- Texts that differ in case, accents, length and trailing spaces; long ones, and NULLs.
CREATE TABLE words AS SELECT i AS id, i % 7 AS k, i / 4 AS pair, CASE WHEN i % 31 > 0 THEN (ARRAY['', ' ', 'a', 'A', 'a ', 'ä', 'á', 'ab', 'aB', 'abcdefgh', 'abcdefghi', 'abcdefghj'])[1 + i % 12] || coalesce(nullif(i * 7919 % 1500, 3)::text, '') END AS t,
	CASE WHEN i % 5 = 0 THEN repeat(md5((i % 50)::text), 300) END AS long, nullif('v' || i * 31 % 6000, 'v7')::varchar(20) AS v,
	decode(md5((i % 4000)::text), 'hex') AS b, md5((i % 3000)::text)::uuid AS u, (i % 100)::text::bpchar(5) AS padded, ('n' || i % 90)::name AS n
FROM generate_series(1, 9000) i;
CREATE TABLE none (LIKE words);
ANALYZE words;
SELECT groups, count(*), bool_and(taken) AS taken, bool_and(same) AS same
FROM unnest('{"t COLLATE \"C\"","t COLLATE \"POSIX\"",t,long,v,b,u,"t || v","lower(t)","repeat(md5((id % 3000)::text), 40)"}'::text[]) value,
	(VALUES (1, ''), (2, 'WHERE id < 0'), (3, 'WHERE id = 31'), (4, 'GROUP BY k'), (5, 'GROUP BY pair'), (6, 'GROUP BY k HAVING count(DISTINCT %1$s) > 300')) g(id, groups),
	LATERAL compare(format('SELECT count(DISTINCT %1$s), count(DISTINCT %1$s) FILTER (WHERE id %% 3 = 1), count(*), max(id) FROM words ' || groups, value))
GROUP BY g.id, groups ORDER BY g.id;
SELECT query, taken, same FROM (VALUES
	('SELECT count(DISTINCT t) FROM none'),
	('SELECT k, count(DISTINCT t), count(DISTINCT b), count(DISTINCT id) FROM words GROUP BY k ORDER BY count(DISTINCT t) DESC, k LIMIT 3'),
	('SELECT count(DISTINCT t), count(DISTINCT n), string_agg(DISTINCT v, '','') IS NULL FROM words'),
	('SELECT (SELECT count(DISTINCT w.t) FROM words w WHERE w.k = g) FROM generate_series(0, 6) g'),
	-- These stay as they are.
	('SELECT k, count(DISTINCT t) FROM words GROUP BY ROLLUP (k)'),
	('SELECT count(DISTINCT padded), count(DISTINCT n) FROM words'),
	('SELECT count(DISTINCT (t, v)) FROM words')) v(query), compare(query);
-- A collation in which texts that differ are equal is left alone, also beyond work_mem.  Where there is no ICU, another collation stands for it.
DO $$
BEGIN
	CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE COLLATION icu (provider = icu, locale = 'und');
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION any_case FROM "C";
	CREATE COLLATION icu FROM "C";
END $$;
SELECT taken = collisdeterministic AS right, same FROM pg_collation, compare('SELECT count(DISTINCT t COLLATE any_case), count(DISTINCT v COLLATE any_case) FROM words') WHERE collname = 'any_case' AND collnamespace = 'texts'::regnamespace;
SELECT * FROM compare('SELECT k, count(DISTINCT t COLLATE icu) FROM words GROUP BY k');
SELECT bool_and(taken) AS taken, bool_and(same) AS same
FROM (SELECT 'C' UNION ALL SELECT collname FROM pg_collation WHERE collname IN ('en_US.utf8', 'en-US-x-icu', 'de-x-icu') AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))) c(name),
	compare(format('SELECT count(DISTINCT t COLLATE %I) FROM words', name));

-- Numeric: equal values of other scales, special ones, and many digits.
CREATE DOMAIN amount AS numeric;
CREATE TABLE amounts AS SELECT i AS id, i % 7 AS k, i / 4 AS pair, nullif(i * 7919 % 3001, 7)::numeric(12, 2) / 4 AS price, (i * 31 % 50)::numeric(15, 2) AS quantity,
	CASE i % 12 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN i % 5 * 0.0 WHEN 4 THEN (i % 40) * 1.000 WHEN 5 THEN -(i % 40) * 1.0 WHEN 6 THEN (i % 40) * 10000::numeric(12, 4)
		WHEN 7 THEN (i % 40) * 1e300 WHEN 8 THEN (i % 40) * 1e-300 WHEN 9 THEN round((i % 40) * 0.1, i % 9 + 1) WHEN 10 THEN (i % 900) * 1e-20 + 3e30 ELSE i % 40 END::numeric AS n,
	CASE WHEN i % 5 = 0 THEN repeat('12345678', 1 + i % 50 * 20)::numeric + i % 3 END AS long
FROM generate_series(1, 9000) i;
ANALYZE amounts;
SELECT groups, count(*), bool_and(taken) AS taken, bool_and(same) AS same
FROM unnest('{count(DISTINCT n),count(DISTINCT price),count(DISTINCT -price),count(DISTINCT long),count(DISTINCT quantity) FILTER (WHERE id % 3 = 1),mode() WITHIN GROUP (ORDER BY price),mode() WITHIN GROUP (ORDER BY quantity DESC),trim_scale(mode() WITHIN GROUP (ORDER BY n)),mode() WITHIN GROUP (ORDER BY long),percentile_disc(0.4) WITHIN GROUP (ORDER BY price),percentile_disc(0.4) WITHIN GROUP (ORDER BY -price DESC),"percentile_disc(ARRAY[0, 0.5, NULL, 0.9, 1]) WITHIN GROUP (ORDER BY quantity)",trim_scale(percentile_disc(0.7) WITHIN GROUP (ORDER BY n)),percentile_disc(0.9) WITHIN GROUP (ORDER BY long)}'::text[]) call,
	(VALUES (1, ''), (2, 'WHERE id < 0'), (3, 'WHERE id = 31'), (4, 'GROUP BY k'), (5, 'GROUP BY pair')) g(id, groups),
	LATERAL compare(format('SELECT %s, count(*) FROM amounts %s', call, groups))
GROUP BY g.id, groups ORDER BY g.id;
SELECT query, taken, same FROM (VALUES
	('SELECT count(DISTINCT v), mode() WITHIN GROUP (ORDER BY v)::text FROM (VALUES (1.0), (1.00), (1), (2), (0), (-0.0), (0.000), (10000), (1e4), (0.0001), (0.00010)) a(v)'),
	('SELECT count(DISTINCT price::amount), mode() WITHIN GROUP (ORDER BY price::amount) FROM amounts'),
	('SELECT array_agg(id ORDER BY price, id) FROM amounts')) v(query), compare(query);
-- A GPU sorts no numeric: where it is to do all, they are left to PostgreSQL.
SET gpusort.engine = 'gpu';
SELECT taken('SELECT mode() WITHIN GROUP (ORDER BY price), percentile_disc(0.5) WITHIN GROUP (ORDER BY price) FROM amounts'), taken('SELECT count(DISTINCT price) FROM amounts');
RESET gpusort.engine;
-- In a parallel plan, and over a window.
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT gpusort.count_distinct(n) = count(DISTINCT n) AS n, gpusort.count_distinct(price) = count(DISTINCT price) AS price FROM amounts;
SELECT gpusort.count_distinct(n), gpusort.count_distinct(price), gpusort.count_distinct(long) FROM amounts;
ROLLBACK;
SELECT count(DISTINCT n), count(DISTINCT price), count(DISTINCT long) FROM amounts;
SELECT max(c) FROM (SELECT gpusort.count_distinct(n) OVER (ORDER BY id ROWS 100 PRECEDING) AS c FROM amounts WHERE id < 400) q;

-- Many values are counted in parts: all different, each twice, most of them one, and with long equal beginnings.
SET work_mem = '256MB';
CREATE TABLE many AS SELECT md5(i::text) AS x, md5((i * 7919 % 65000)::text) AS twice, CASE WHEN i % 1000 = 0 OR i < 30000 THEN i::text ELSE 'one' END AS one, repeat('a', 30) || i / 3 AS alike FROM generate_series(1, 130000) i;
ANALYZE many;
SELECT value, taken, n, n = (SELECT count(*) FROM (SELECT DISTINCT to_jsonb(m) -> value FROM many m) q) AS same
FROM unnest('{x,twice,one,alike}'::text[]) value, taken(format('SELECT count(DISTINCT %s) FROM many', value)),
	LATERAL (SELECT CASE value WHEN 'x' THEN count(DISTINCT x) WHEN 'twice' THEN count(DISTINCT twice) WHEN 'one' THEN count(DISTINCT one) ELSE count(DISTINCT alike) END AS n FROM many) c;

PREPARE counted(int) AS SELECT count(DISTINCT t) FROM words WHERE id > $1;
SET plan_cache_mode = force_generic_plan;
SELECT taken('EXECUTE counted(10)');
EXECUTE counted(8990);

SET client_min_messages = warning;
DROP SCHEMA texts CASCADE;
