-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- order_by: any query in the order of one or more of its columns.
SET search_path = gpusort, public;
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
CREATE TABLE ordered AS
SELECT i, CASE WHEN i % 5 > 0 THEN i % 3 END AS g, CASE WHEN i % 7 > 0 THEN (i * 7919) % 101 END AS x, md5((i % 50)::text) AS t FROM generate_series(1, 3000) i;
ALTER TABLE ordered ADD "Mixed, ""case"" DESC" int, ADD "Upper" int;
UPDATE ordered SET "Mixed, ""case"" DESC" = -i, "Upper" = i % 4;

-- Lists of keys against ORDER BY. i makes every order unique.
CREATE FUNCTION pg_temp.compared(keys text, arguments text, order_by text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE same bool;
BEGIN
	EXECUTE format('SELECT (SELECT array_agg(q) FROM (SELECT i FROM gpusort.order_by(%L, %L%s) AS q(i int, g int, x int, t text, m int, u int)) q)
		= (SELECT array_agg(q) FROM (SELECT i FROM ordered ORDER BY %s) q)', 'SELECT * FROM ordered', keys, arguments, order_by) INTO same;
	RETURN same;
END $$;
SELECT keys, arguments, pg_temp.compared(keys, arguments, order_by) AS same FROM (VALUES
	('g, x, i', '', 'g, x, i'), ('g DESC, i', '', 'g DESC, i'), ('g NULLS FIRST, x DESC NULLS LAST, i', '', 'g NULLS FIRST, x DESC NULLS LAST, i'),
	('g asc nulls first, i desc', '', 'g NULLS FIRST, i DESC'), ('G, "x" DESC, I', '', 'g, x DESC, i'), (' t -- a comment
		, i /* another */ ', '', 't, i'), ('"Mixed, ""case"" DESC"', '', 'i DESC'), ('Mixed, "case" DESC', '', 'i DESC'), ('"Upper", i', '', '"Upper", i'), ('x, x DESC, i', '', 'x, i'),
	('i', ', true', 'i DESC'), ('Mixed, "case" DESC', ', true', 'i'), ('i DESC', ', false', 'i DESC'), ('i;', '', 'i')) v(keys, arguments, order_by);
SELECT * FROM order_by('VALUES (1, NULL), (1, 2), (0, 5)', 'column1 DESC, column2') AS q(a int, b int);

-- What is no list of columns is refused; nothing in it runs.
SELECT keys, pg_temp.error_of(format('SELECT count(*) FROM order_by(%L, %L) AS q(i int, x int)', 'SELECT i, x FROM ordered', keys)) FROM unnest(ARRAY[
	'missing', 'i, missing', 'X.i', 'i + 1', '1', 'i COLLATE "C"', 'abs(i)', 'q', 'i, q', 'q.i', 'i USING <', '*', '$1', '(SELECT 1)', 'i LIMIT 1', 'i OFFSET 1', 'i FOR UPDATE', 'i FETCH FIRST ROW ONLY',
	'', ' ', ',', 'i,', 'i DESCENDING', 'i; DROP TABLE ordered', 'i) q; DROP TABLE ordered --', 'i UNION SELECT 1', 'i") q; DROP TABLE ordered --', '"i', '""', '''i''']) keys;
SELECT arguments, pg_temp.error_of(format('SELECT count(*) FROM order_by(%L, %L, %s) AS q(i int, x int)', 'SELECT i, x FROM ordered', 'i, x', arguments)) FROM unnest(ARRAY[
	'true', 'nulls_first => true', 'nulls_first => false', 'buckets => 2']) arguments;
SELECT (array_agg(x))[1] IS NULL AS nulls_first FROM order_by('SELECT x FROM ordered', 'x', nulls_first => true) AS q(x int);
SELECT pg_temp.error_of($q$SELECT count(*) FROM order_by('SELECT 1 AS a, 2 AS a, 3 AS b', 'b, a') AS q(a int, c int, b int)$q$);
\set VERBOSITY default
SELECT * FROM order_by('SELECT i, x FROM ordered', 'i, x DESCENDING') AS q(i int, x int);
SELECT count(*) FROM ordered;

-- A query that changes something, or is none.
SELECT query, pg_temp.error_of(format('SELECT count(*) FROM order_by(%L, %L) AS q(i int)', query, 'i')) FROM unnest(ARRAY[
	'INSERT INTO ordered (i) VALUES (0) RETURNING i', 'UPDATE ordered SET i = 0 RETURNING i', 'DELETE FROM ordered RETURNING i',
	'WITH gone AS (DELETE FROM ordered RETURNING i) SELECT i FROM gone', 'SELECT i INTO stolen FROM ordered', 'EXPLAIN SELECT 1', 'SHOW work_mem', 'FETCH c', 'SELECT i FROM ordered FOR UPDATE',
	'SELECT i FROM (SELECT i FROM ordered FOR KEY SHARE) q', 'WITH q AS (SELECT i FROM ordered FOR SHARE) SELECT i FROM q',
	'', 'SELECT 1 AS i; SELECT 2 AS i', 'DROP TABLE ordered', 'CREATE TABLE stolen AS SELECT 1 AS i']) query;
SELECT count(*) FROM ordered;

-- By intervals: one key, in either direction.
SELECT count(*), min(x) FROM order_by('SELECT x FROM ordered', 'x', true, buckets => 5::bigint) AS q(x int);
SELECT direction, bool_and(b >= before) AS in_order, count(*) FROM unnest('{ASC,DESC}'::text[]) direction, LATERAL (
	SELECT b, lag(b) OVER () AS before FROM (SELECT bucket(x, 5, direction = 'DESC') OVER () AS b
		FROM order_by('SELECT x FROM ordered WHERE x IS NOT NULL', 'x', direction = 'DESC', buckets => 5) AS q(x int)) r) s GROUP BY direction ORDER BY 1;
SELECT (array_agg(x))[1] IS NULL AS first, (array_agg(x))[3000] IS NULL AS last FROM order_by('SELECT x FROM ordered', 'x', true, buckets => 5) AS q(x int);
SELECT pg_temp.error_of(format('SELECT count(*) FROM order_by(%L, %L, buckets => %s) AS q(i int, x int)', 'SELECT i, x FROM ordered', keys, buckets))
FROM (VALUES ('i, x', '2'), ('x', '0'), ('x', '5000000000')) v(keys, buckets);
DROP TABLE ordered;

-- A declared modifier must be the query's own; a type without one takes any.
SELECT declared, pg_temp.error_of(format('SELECT q::text FROM order_by(%L, %L) AS q(%s)',
	'SELECT 1.23456::numeric AS a, 1.25::numeric(3,2) AS b, ''abcdef''::varchar AS c, ''ab''::char(3) AS d, ''{1.5}''::numeric(2,1)[] AS e, ''1.5 s''::interval(1) AS f', 'a', declared))
FROM (VALUES (1, 'a numeric, b numeric, c varchar, d bpchar, e numeric[], f interval'), (2, 'a numeric, b numeric(3,2), c varchar, d char(3), e numeric(2,1)[], f interval(1)'),
	(3, 'a numeric(3,1), b numeric, c varchar, d bpchar, e numeric[], f interval'), (4, 'a numeric, b numeric(3,1), c varchar, d bpchar, e numeric[], f interval'),
	(5, 'a numeric, b numeric, c varchar(3), d bpchar, e numeric[], f interval'), (6, 'a numeric, b numeric, c varchar, d char(2), e numeric[], f interval'),
	(7, 'a numeric, b numeric, c varchar, d bpchar, e numeric(3,1)[], f interval'), (8, 'a numeric, b numeric, c varchar, d bpchar, e numeric[], f interval(0)')) v(n, declared) ORDER BY n;
