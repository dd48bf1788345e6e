-- Aggregates that sort, for bench/costs: groups of many sizes, whose rows come one after the
-- other or scattered, aggregates and types, in memory and spilled.
SET client_min_messages = warning;
CREATE TABLE shapes AS SELECT groups, size, scattered
FROM (VALUES (1, 200000), (10, 20000), (200, 1000), (5000, 40), (50000, 4)) g (groups, size), unnest(ARRAY[false, true]) scattered
WHERE groups > 1 OR NOT scattered;
SELECT format('CREATE UNLOGGED TABLE %I AS SELECT %s AS g, (2e9 * random())::int4 AS x, (10 * random())::int4 AS few, i AS rising, (1e15 * random())::int8 AS b, '
			  '1e6 * random() AS f, random()::float4 AS r, date ''2020-01-01'' + (3000 * random())::int AS d, md5((1e5 * random())::int::text) AS t, (1e6 * random())::numeric(12, 2) AS n '
			  'FROM generate_series(1, %s) i', format('g%sx%s%s', groups, size, CASE WHEN scattered THEN 's' END),
			  CASE WHEN scattered THEN format('i %% %s', groups) ELSE format('(i - 1) / %s', size) END, groups * greatest(1, size / :scale))
FROM shapes \gexec
VACUUM (FREEZE, ANALYZE);

CREATE TABLE aggregates AS SELECT row_number() OVER () AS ord, call FROM (
	SELECT format('percentile_%s(%s) WITHIN GROUP (ORDER BY %s)', kind, fraction, x)
	FROM (VALUES ('cont', 'f'), ('cont', 'r'), ('disc', 'x'), ('disc', 'b'), ('disc', 'd DESC'), ('disc', 'rising'), ('disc', 'few'), ('disc', 'n')) p (kind, x),
		unnest(ARRAY['0.5', '''{0.1,0.5,0.9}''::float8[]']) fraction
	UNION ALL SELECT format('mode() WITHIN GROUP (ORDER BY %s)', x) FROM unnest('{x,few,f,d,n,few::numeric}'::text[]) x
	UNION ALL SELECT format('count(DISTINCT %s)', x) FROM unnest('{x,few,rising,b,f,t,n,few::numeric}'::text[]) x
	UNION ALL SELECT format('array_agg(%s ORDER BY %s)', x, y) FROM (VALUES ('x', 'x'), ('x', 'f'), ('rising', 'rising'), ('x', 'few'), ('d', 'b DESC'), ('t', 't'), ('n', 'n'), ('x', 'few, f')) a (x, y)
	UNION ALL SELECT 'string_agg(t, '','' ORDER BY x)'
	UNION ALL SELECT format('%s FILTER (WHERE %s)', call, condition)
	FROM unnest('{"string_agg(t, '','' ORDER BY t)","string_agg(t, '','' ORDER BY x)","array_agg(x ORDER BY f)","array_agg(x ORDER BY x)","count(DISTINCT x)"}'::text[]) call,
		unnest('{rising % 1000 = 0,few = 3,few < 6}'::text[]) condition
	UNION ALL SELECT 'string_agg(t, '','' ORDER BY x) FILTER (WHERE few = 3) || count(*)'
	UNION ALL SELECT '(array_agg(x ORDER BY f DESC))[1]'
	UNION ALL SELECT 'percentile_cont(0.5) WITHIN GROUP (ORDER BY f) + count(DISTINCT x) + sum(x)'
) q (call);

CREATE TABLE queries AS
SELECT 'work_mem = ' || memory AS settings, format('SELECT count(a) FROM (SELECT %s AS a FROM g%sx%s%s GROUP BY g OFFSET 0) q', call, groups, size, CASE WHEN scattered THEN 's' END) AS query,
	row_number() OVER (ORDER BY groups, size, scattered, memory, ord) AS id
FROM aggregates, shapes, unnest(ARRAY['4MB', '64MB']) memory
WHERE memory = '4MB' OR size >= 20000;
