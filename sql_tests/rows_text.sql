-- Text keys of the rows node: which collations compare bytes, and keys of any length.
CREATE SCHEMA rows_text;
SET search_path = rows_text, public;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;

-- Texts that collations order differently, and that codes may confuse: blanks, signs, cases, accents,
-- prefixes of one another, planes beyond 16 bits, no characters at all; many times, and long.
CREATE TABLE hostile (t text, c char(12), v varchar, id int);
INSERT INTO hostile
SELECT w, left(w, 12), w, row_number() OVER ()
FROM (SELECT a || b AS w FROM unnest(ARRAY['', ' ', '!', '-', '-a', '0', '10', '9', 'A', 'B', 'Z', '_', 'a', 'a b', 'ab', 'Ab', 'aB', 'z', '~', E'\x01', E'\x7f', E'\t', E'a\u0301', E'\u00e9',
		E'\u00df', E'\u0131', E'\u0430', E'\u4e00', E'\ud7ff', E'\ue000', E'\uffff', E'\U00010000', E'\U0010ffff', repeat('a', 31), repeat('a', 32), repeat('a', 40), repeat(E'\u00e9', 30), repeat('xyz', 3000)]) a,
	unnest(ARRAY['', ' ', 'a', 'A', '0', E'\u00e9', E'\U0001f600', '-', 'b ', 'https://www.example.com/']) b,
	generate_series(1, 4)) q;
INSERT INTO hostile VALUES (NULL, NULL, NULL, -1), (NULL, NULL, NULL, -2);
ANALYZE hostile;

-- Whether the node is used, and whether the rows come as PostgreSQL's Sort gives them.
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE FUNCTION sorted(keys text, from_table text DEFAULT 'hostile', bound text DEFAULT 'ALL', OUT node bool, OUT same bool) LANGUAGE sql AS $$
	SELECT c.nodes > 0, c.same FROM pg_temp.compare_node('rows', format('SELECT id FROM rows_text.%s ORDER BY %s, id OFFSET 0 LIMIT %s', from_table, keys, bound)) c
$$;

-- Collations by name: those of the C library without rules.
CREATE COLLATION c_utf8 (provider = libc, locale = 'C.UTF-8');
SELECT keys, (sorted(keys)).* FROM unnest(ARRAY['t COLLATE "C"', 't COLLATE "POSIX"', 't COLLATE c_utf8', 't COLLATE c_utf8 DESC', 'c COLLATE c_utf8', 'v COLLATE c_utf8 DESC NULLS LAST', 't::name COLLATE c_utf8']) keys;

-- Collations of ICU, where there is ICU: with contractions, numbers by value, punctuation ignored, capitals first, accents
-- from behind, and equal texts of different bytes.
DO $$
BEGIN
	CREATE COLLATION linguistic (provider = icu, locale = 'en');
	CREATE COLLATION hungarian (provider = icu, locale = 'hu');
	CREATE COLLATION numbers (provider = icu, locale = 'en-u-kn');
	CREATE COLLATION shifted (provider = icu, locale = 'und-u-ka-shifted');
	CREATE COLLATION capitals (provider = icu, locale = 'cs-u-kf-upper');
	CREATE COLLATION backwards (provider = icu, locale = 'fr-CA-u-kb');
	CREATE COLLATION scripts (provider = icu, locale = 'en-u-kr-grek-latn');
	CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN feature_not_supported THEN
	NULL;
END $$;
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same, count(*) FILTER (WHERE NOT same) AS wrong
FROM pg_collation, unnest(ARRAY['t COLLATE %s', 't COLLATE %s DESC', 'c COLLATE %s NULLS FIRST', 'left(t, 1) COLLATE %s, v COLLATE %1$s DESC']) keys, sorted(format(keys, collname))
WHERE collprovider = 'i' AND collnamespace = 'rows_text'::regnamespace;
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same
FROM (SELECT collname FROM pg_collation WHERE collprovider = 'i' AND collnamespace = 'pg_catalog'::regnamespace AND to_regcollation('linguistic') IS NOT NULL ORDER BY md5(collname) LIMIT 12) c, sorted('t COLLATE ' || quote_ident(collname));

-- So many plain texts, of ASCII's printable characters, that ICU's weights of these are learned: pairs that some collations have
-- as one letter, numbers, punctuation, ends of lines, long prefixes; alone, beyond memory, and among texts that are not plain.
CREATE TABLE plain AS
SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'https://www.example.com/' END || a || b || CASE i % 5 WHEN 0 THEN '' WHEN 1 THEN a WHEN 2 THEN chr(32 + i * 31 % 95) WHEN 3 THEN ' ' || i % 7 ELSE upper(b) END AS t,
	coalesce(a || b || chr(32 + i * 7 % 95), '')::char(12) AS c, CASE WHEN i % 1000 = 0 THEN 'é' ELSE '' END || b || a || i % 11 AS v
FROM (SELECT (row_number() OVER ())::int AS i, a, b FROM unnest(string_to_array('a A b c ch CH cs d dz dzs e g gy h i I j k l ll lj ly n nj ny o p r s sh ss sz t ty u v w x xh y z Z zs aa AA AaB 0 1 9 10 007 - _ . / # '' " ~', ' ') || ARRAY[' ', '', E'\n', E'\r', E'\t', 'a b', repeat('ab', 150)]) a,
	unnest(string_to_array('a c h s z Z dz zs ss ch 0 1 09 10 - _ ~', ' ') || ARRAY['', ' ', E'\t', repeat('x', 30)]) b, generate_series(1, 16)) q;
INSERT INTO plain (id) VALUES (0), (-1);
ANALYZE plain;
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same, count(*) FILTER (WHERE NOT same) AS wrong
FROM (SELECT collname FROM pg_collation WHERE collprovider = 'i' AND collnamespace = 'rows_text'::regnamespace) c, unnest(ARRAY['t COLLATE %s', 'c COLLATE %s DESC', 'id %% 5, v COLLATE %s']) keys, sorted(format(keys, collname), 'plain');
SET work_mem = '256kB';
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same, count(*) FILTER (WHERE NOT same) AS wrong
FROM (SELECT collname FROM pg_collation WHERE collprovider = 'i' AND collnamespace = 'rows_text'::regnamespace) c, unnest(ARRAY['t COLLATE %s DESC', 'v COLLATE %s']) keys, sorted(format(keys, collname), 'plain');
RESET work_mem;

-- The server's own collations, from PostgreSQL 17 on, all compare bytes.
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same
FROM pg_collation, sorted('t COLLATE ' || quote_ident(collname)) WHERE collprovider = 'b' AND collencoding IN (-1, pg_char_to_encoding('UTF8'));

-- Whatever locales the server found when it was made: rows come as Sort gives them.
SELECT bool_and(same) AS same
FROM (SELECT collname FROM pg_collation WHERE collnamespace = 'pg_catalog'::regnamespace AND collprovider = 'c' AND collencoding IN (-1, pg_char_to_encoding('UTF8')) ORDER BY oid LIMIT 20) c, sorted('t COLLATE ' || quote_ident(collname));

-- What is known of a collation is forgotten when it changes.
UPDATE pg_collation SET collisdeterministic = false WHERE collname = 'c_utf8';
EXPLAIN (COSTS OFF) SELECT id FROM hostile ORDER BY t COLLATE c_utf8;
UPDATE pg_collation SET collisdeterministic = true WHERE collname = 'c_utf8';
EXPLAIN (COSTS OFF) SELECT id FROM hostile ORDER BY t COLLATE c_utf8;

-- Equal texts of different bytes are one value, below a merge join too.
SELECT bool_and(same) IS NOT FALSE AS same
FROM pg_collation, unnest(ARRAY['SELECT DISTINCT upper(t COLLATE %I) FROM rows_text.hostile ORDER BY 1', 'SELECT count(*) FROM (SELECT t COLLATE %1$I FROM rows_text.hostile GROUP BY 1) q',
	'SELECT count(*), sum(a.id * b.id) FROM rows_text.hostile a JOIN rows_text.hostile b ON a.t COLLATE %1$I = b.v COLLATE %1$I']) query, pg_temp.compare_node('rows', format(query, collname))
WHERE collprovider = 'i' AND collnamespace = 'rows_text'::regnamespace;

-- The pattern orders compare bytes in any collation.
SELECT keys, (sorted(keys)).* FROM unnest(ARRAY['t USING ~<~', 't USING ~>~', 'c USING ~<~ NULLS FIRST', 'c USING ~>~', 'v USING ~<~']) keys;
SELECT bool_and(node) IS NOT FALSE AS used, bool_and(same) IS NOT FALSE AS same
FROM pg_collation, sorted('t COLLATE ' || collname || ' USING ~>~') WHERE collname = 'linguistic' AND collnamespace = 'rows_text'::regnamespace;

-- Characters that are packed: of few kinds at each place, of all kinds, of one kind up to lengths that differ, most of
-- them NULL, in few texts that come often; behind a prefix that nearly all share; and bytes that end in zeros.
CREATE TABLE packed AS
SELECT i AS id, md5(i::text) COLLATE "C" AS hex, (md5(i::text)::uuid)::text COLLATE "C" AS dashes, repeat('a', i % 199) COLLATE "C" AS stairs,
	(i * 7919 % 100003)::text COLLATE "C" AS digits, (CASE WHEN i % 50 = 0 THEN 'n' || i * 31 % 1000 END) COLLATE "C" AS seldom,
	((ARRAY['red', 'green', 'a colour with a very long name, and more', 'a colour with a very long name, and less'])[i * 31 % 4 + 1]) COLLATE "C" AS colour,
	(CASE WHEN i = 4000 THEN 'http' ELSE 'https://www.example.com/' || (ARRAY['', 'news/', 'blog/archive/'])[i % 3 + 1] || md5(i::text) END) COLLATE "C" AS url,
	decode(md5(i::text) || md5((i + 1)::text), 'hex') AS bytes, decode(repeat('00', i * 31 % 40), 'hex') AS zeros,
	(chr(200 + i * 31 % 3000) || chr(20000 + i * 7919 % 20000)) COLLATE "C" AS wide, ('x' || repeat(' ', i % 3) || chr(65 + i * 31 % 40))::char(20) COLLATE "C" AS blanks
FROM generate_series(1, 20000) i;
-- Ties within ties: each code leaves all but a few texts in one.
CREATE TABLE stairs AS SELECT i AS id, repeat('a', i % 1501) COLLATE "C" AS stairs FROM generate_series(1, 4000) i;
ANALYZE packed, stairs;
SET work_mem = '64MB';
SELECT keys, (all_rows).*, (first_rows).*
FROM (SELECT keys, sorted(keys, 'packed') AS all_rows, sorted(keys, 'packed', '700') AS first_rows
	FROM unnest(ARRAY['hex', 'hex DESC', 'dashes', 'stairs', 'stairs DESC', 'digits', 'seldom', 'seldom DESC NULLS LAST', 'colour', 'colour DESC, digits', 'url', 'url DESC', 'bytes', 'zeros', 'zeros DESC, hex',
		'wide', 'wide DESC', 'blanks', 'seldom NULLS FIRST, colour, hex', 'id % 3, colour, url', 'colour, id % 2 DESC, stairs, blanks']) keys OFFSET 0) q;
SELECT * FROM sorted('stairs', 'stairs');
SELECT * FROM sorted('stairs DESC', 'stairs', '3900');
-- Rows are divided by what a sample of the first ones shows: the last rows are unlike all others.
INSERT INTO packed (id, hex, digits, url) VALUES (30001, '', '~', ''), (30002, 'zz', E'\t', 'https'), (30003, '0', '0', 'https://www.example.com/~'), (30004, E'\u00e9', 'é', 'https://www.example.com/'), (30005, '00!', '10!', 'i');
SET work_mem = '64kB';
SELECT bool_and(node) AS used, bool_and(same) AS same
FROM unnest(ARRAY['hex', 'hex DESC', 'dashes DESC', 'stairs', 'digits', 'digits DESC', 'seldom DESC', 'colour, digits', 'url', 'url DESC', 'bytes', 'zeros', 'wide', 'blanks']) keys, sorted(keys, 'packed');
RESET work_mem;

-- Databases of a default collation of their own.
CREATE DATABASE rows_text_bytes TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C.UTF-8';
\set dbname :DBNAME
\c rows_text_bytes
CREATE EXTENSION gpusort;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE t AS SELECT md5(i::text) || CASE WHEN i % 2 = 0 THEN 'É' ELSE '' END AS x, i FROM generate_series(1, 500) i;
EXPLAIN (COSTS OFF) SELECT * FROM t ORDER BY x;
SELECT array_agg(x ORDER BY x COLLATE "C") = (SELECT array_agg(x) FROM (SELECT x FROM t ORDER BY x OFFSET 0) q) AS by_bytes FROM t;
\c :dbname
DROP DATABASE rows_text_bytes;

-- Keys of more bytes than 32 bits can count the bits of: the rows differ in the first one.
SET client_min_messages = warning;
SET search_path = rows_text;
SET gpusort.force_nodes = on;
CREATE TABLE long_text AS SELECT repeat('x', 1000000) COLLATE "C" AS x;
SELECT string_agg('c' || g || ' text COLLATE "C"', ',') AS columns, string_agg('x', ',') AS xs, string_agg('''''', ',') AS empty, string_agg('c' || g, ',' ORDER BY g) AS keys FROM generate_series(1, 270) g \gset
CREATE TABLE many_long (id int, :columns);
INSERT INTO many_long SELECT 2, :xs FROM long_text;
INSERT INTO many_long SELECT 1, :empty;
SELECT id FROM many_long ORDER BY :keys;
SELECT id FROM many_long ORDER BY :keys LIMIT 1;
DROP SCHEMA rows_text CASCADE;
