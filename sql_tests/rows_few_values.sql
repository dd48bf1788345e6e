-- Keys of few distinct values that only the comparator orders: each is compared with the others once, and ranks order the rows.
CREATE SCHEMA rows_few_values;
SET search_path = rows_few_values, public;
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers

-- Words that differ in case, accents, punctuation, or not at all but in their bytes; few of them (w), fewer than rows by 4 to 40 (several),
-- few at first and many later (turning), and all but a few the same (nearly). NULLs, long texts, and types without a code of their own.
CREATE TABLE items AS
SELECT i AS id, words[1 + i * 7919 % cardinality(words)] AS w, words[1 + i % 5] || ' ' || i * 31 % 700 AS several,
	CASE WHEN i < 9000 THEN words[1 + i % 3] ELSE words[1 + i % 3] || md5(i::text) END AS turning, CASE WHEN i % 997 = 0 THEN md5(i::text) ELSE 'open' END AS nearly,
	(i * 7 % 1000)::numeric / 100 AS price, (i * 13 % 400)::float8 AS f, timestamp '2024-01-01' + i * 37 % 3000 * interval '1 hour' AS at,
	to_jsonb(i * 17 % 20) AS doc, ARRAY[i * 11 % 6, 1] AS list, int4range(0, i * 3 % 9) AS range, (i * 29 % 8)::text::char(6) AS c
FROM generate_series(1, 12000) i,
	(SELECT ARRAY['open', 'Open', 'OPEN', 'paid', 'pa-id', 'pa id', 'shipped', 'returned', '', NULL, E'gr\u00f6\u00dfe', 'grosse', E'\u00e9t', E'e\u0301t', E'\u4e2d', '10', '9', repeat('x', 300) || 'a', repeat('x', 300) || 'b', repeat('y', 3000)]) q(words);
ANALYZE items;

DO $$
BEGIN
	CREATE COLLATION german (provider = icu, locale = 'de');
	CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN feature_not_supported THEN
	NULL;
END $$;

-- Which queries have no node, or rows in another order than Sort's: in some collations, those of ICU where there is ICU.
CREATE FUNCTION wrong(memory text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	tail text; keys text; query text; nodes bigint; same bool;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	FOR keys, tail IN
		SELECT format(k, c.name), t
		FROM (SELECT quote_ident(collname) FROM pg_collation WHERE collnamespace = 'rows_few_values'::regnamespace
			UNION ALL (SELECT quote_ident(collname) FROM pg_collation WHERE collprovider = 'c' AND collname ~ '^(en|de)_.*utf8$' ORDER BY 1 LIMIT 2)
			UNION ALL SELECT '"C"') c(name),
			unnest(ARRAY['w COLLATE %1$s, price', 'w COLLATE %1$s DESC NULLS LAST, f DESC', 'w COLLATE %1$s NULLS FIRST, at, several COLLATE %1$s', 'several COLLATE %1$s, price DESC', 'turning COLLATE %1$s, f',
				'nearly COLLATE %1$s DESC, at', 'c COLLATE %1$s, w COLLATE %1$s DESC, turning COLLATE %1$s', 'w COLLATE %1$s, doc, list DESC, range, price', 'f, w COLLATE %1$s, doc']) k,
			unnest(ARRAY['', ' LIMIT 20', ' LIMIT 4000 OFFSET 40']) t LOOP
		PERFORM set_config('jit', (tail = '' AND keys ~ '"C"')::text, true);	-- a server may compile all queries, of all collations in the same way
		query := format('SELECT id, price FROM rows_few_values.items ORDER BY %s, id%s', keys, tail);
		SELECT c.nodes, c.same INTO nodes, same FROM pg_temp.compare_node('rows', query) c;
		IF nodes = 0 OR same IS NOT TRUE THEN
			RETURN NEXT query;
		END IF;
	END LOOP;
END $$;
SELECT wrong('64MB');
SELECT wrong('256kB');

-- A set whose type has no code, beyond work_mem: what was ranked in one store is not used for the next.
SET work_mem = '64kB';
SELECT gpusort.mode() WITHIN GROUP (ORDER BY list) = pg_catalog.mode() WITHIN GROUP (ORDER BY list) AS lists,
	   gpusort.mode() WITHIN GROUP (ORDER BY list DESC) = pg_catalog.mode() WITHIN GROUP (ORDER BY list DESC) AS lists_desc,
	   gpusort.mode() WITHIN GROUP (ORDER BY doc DESC) = pg_catalog.mode() WITHIN GROUP (ORDER BY doc DESC) AS docs,
	   gpusort.mode() WITHIN GROUP (ORDER BY range) = pg_catalog.mode() WITHIN GROUP (ORDER BY range) AS ranges FROM items;
RESET work_mem;

-- How often values are compared: the distinct ones by one another, however many rows they are in.
CREATE SEQUENCE comparisons;
CREATE FUNCTION counted(text, text) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT bttextcmp($1, $2) + 0 * nextval('rows_few_values.comparisons')::int $$;
CREATE FUNCTION less(text, text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$ SELECT $1 < $2 $$;
CREATE OPERATOR <<< (FUNCTION = less, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR CLASS counted_ops FOR TYPE text USING btree AS OPERATOR 1 <<<, OPERATOR 3 =, FUNCTION 1 counted(text, text);
CREATE FUNCTION compared(query text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setval('rows_few_values.comparisons', 1, false);
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' || query;
	RETURN nextval('rows_few_values.comparisons') - 1;
END $$;
SET work_mem = '64MB';
SELECT compared('SELECT id FROM items ORDER BY id % 4, w USING <<<, f, id') < 2000 AS few, compared('SELECT id FROM items ORDER BY f, nearly USING <<<, price, id') < 5000 AS by_ties;
SET work_mem = '256kB';
SELECT compared('SELECT id FROM items ORDER BY id % 4, w USING <<<, f, id') < 25000 AS few;
RESET work_mem;

-- Where the first look shows one value alone, numbers still tell the other ones apart, and an engine sorts these.
CREATE TABLE skewed AS SELECT CASE WHEN i % 157 = 1 OR i % 4 > 0 THEN 'open' ELSE chr(20000 + i % 5000) || i END AS w FROM generate_series(1, 10000) i;
SELECT coalesce(min(quote_ident(collname)), '"C"') AS collation FROM pg_collation WHERE collname = 'german' AND collnamespace = 'rows_few_values'::regnamespace \gset
SET work_mem = '64MB';
SELECT bool_or(line ~ '"Engine": "[cg]pu') AS by_engine FROM pg_temp.explain_lines('SELECT w FROM skewed ORDER BY w COLLATE ' || :'collation', 'ANALYZE, FORMAT JSON') line;
RESET work_mem;

-- So the node wins though a key is compared.
RESET gpusort.force_nodes;
SELECT * FROM pg_temp.explain_lines('SELECT i FROM generate_series(1, 20000) i ORDER BY i % 10, ARRAY[i]', 'COSTS OFF', 'Gpusort|Sort$');

DROP SCHEMA rows_few_values CASCADE;
