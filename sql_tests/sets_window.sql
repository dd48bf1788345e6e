-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- median, percentile_cont_agg, percentile_disc_agg, mode_agg and count_distinct over window frames that move.
SET search_path = gpusort, pg_catalog, public;
SET extra_float_digits = 0;
SET jit = off;

SELECT i, median(i) OVER w, percentile_cont_agg(i, 0.25) OVER w AS cont, percentile_disc_agg(i, '{0,1}'::float8[]) OVER w AS disc, mode_agg(i % 2) OVER w AS mode, count_distinct(i % 3) OVER w AS distinct
FROM generate_series(1, 6) i WINDOW w AS (ORDER BY i ROWS 2 PRECEDING);
-- Empty frames, NULLs alone, one row; rows that FILTER leaves out.
SELECT i, median(x) OVER e AS empty, count_distinct(x) OVER e AS none, mode_agg(x) OVER w AS mode, count_distinct(x) OVER w AS distinct, percentile_disc_agg(x, 0.5) FILTER (WHERE i <> 4) OVER w AS filtered
FROM (VALUES (1, NULL), (2, NULL), (3, 7), (4, 7), (5, NULL), (6, NULL), (7, 5), (8, 3)) v(i, x)
WINDOW e AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND 4 PRECEDING), w AS (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING);
-- Of values that are equal but not the same, only those of the frame are found.
SELECT i, x, mode_agg(x) OVER w, percentile_disc_agg(x, 0) OVER w FROM (VALUES (1, 1.0), (2, 1.00), (3, 1.000), (4, 2), (5, 2.0)) v(i, x) WINDOW w AS (ORDER BY i ROWS 1 PRECEDING);
-- The fraction is that of the frame's first row.
SELECT i, f, percentile_disc_agg(i, f) OVER w FROM (VALUES (1, 0.0), (2, 0.0), (3, 1.0), (4, 0.0), (5, NULL), (6, 1.0), (7, 1.0)) v(i, f) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING);
SELECT i, percentile_cont_agg(i, f) OVER w FROM (VALUES (1, '{0}'::float8[]), (2, '{0}'), (3, '{0,1}'), (4, '{0,1}')) v(i, f) WINDOW w AS (ORDER BY i ROWS 1 PRECEDING);
SELECT percentile_cont_agg(i, 1.5) OVER (ORDER BY i ROWS 1 PRECEDING) FROM generate_series(1, 3) i;
SELECT count(*) FROM (SELECT count_distinct(random()) OVER (ORDER BY i ROWS 3 PRECEDING) AS n FROM generate_series(1, 100) i) q WHERE n <= 4;
SELECT percentile_disc_agg(x, 0.5) OVER (ORDER BY i ROWS 1 PRECEDING) FROM (VALUES (1, point '(1,2)'), (2, point '(1,2)'), (3, point '(1,2)')) v(i, x);
SELECT median(x), median(-x), pg_typeof(median(x)), median(x) FILTER (WHERE x > 100) AS none, median(x) FILTER (WHERE x < 2) AS one FROM (VALUES (54.26::numeric), (54.28), (1.1), (99999999999999999999.5), (NULL)) v(x);
SELECT median(x), median('NaN'::numeric), median(x::int4), median(x::int8), median(x::float4) FROM (VALUES (0.1), (0.2)) v(x);

-- Random frames beside the aggregates of the frame's values.
SELECT setseed(0.4);
CREATE TABLE window_rows AS
SELECT i, i % 3 AS g, (random() * 150)::int AS o, CASE WHEN random() < 0.9 THEN (random() * 12)::int END AS w,
	   CASE WHEN random() < 0.05 THEN 'NaN' WHEN random() < 0.05 THEN '-inf' WHEN random() < 0.1 THEN '-0' WHEN random() < 0.1 THEN NULL ELSE ((random() * 40)::int / 4.0)::text END::float8 AS f,
	   ((random() * 20)::int / 2.0)::numeric(5, 1)::text::numeric AS n, CASE WHEN random() < 0.9 THEN substr(md5((random() * 20)::int::text), 1, 3) END AS t,
	   make_interval(days => (random() * 9)::int) AS v, date '2026-01-01' + (random() * 5)::int AS d
FROM generate_series(1, 150) i;
DO $$
DECLARE
	frame text;
	extra text;
	wrong bigint;
	frames int := 0;
BEGIN
	FOR frame IN
		SELECT format('%s BETWEEN %s AND %s', mode, from_where, to_where)
		FROM unnest('{ROWS,RANGE,GROUPS}'::text[]) mode,
			unnest('{UNBOUNDED PRECEDING,30 PRECEDING,3 PRECEDING,CURRENT ROW,2 FOLLOWING}'::text[]) WITH ORDINALITY s(from_where, a),
			unnest('{5 PRECEDING,CURRENT ROW,4 FOLLOWING,UNBOUNDED FOLLOWING}'::text[]) WITH ORDINALITY e(to_where, b)
		WHERE (a, b) NOT IN ((3, 1), (4, 1), (5, 1), (5, 2))
	LOOP
		FOREACH extra IN ARRAY '{"",EXCLUDE CURRENT ROW,EXCLUDE TIES}'::text[] LOOP
			CONTINUE WHEN extra <> '' AND frames % 4 <> 0;
			EXECUTE format($q$
				SELECT count(*) FROM (
					SELECT median(f) OVER w AS f1, percentile_cont_agg(w, '{0,0.3,1}'::float8[]) OVER w AS w1, percentile_disc_agg(f, 0.7) OVER w AS f2, percentile_disc_agg(t, '{0.2,0.8}'::float8[]) OVER w AS t1,
						   mode_agg(w) OVER w AS w2, mode_agg(t) OVER w AS t2, count_distinct(f) OVER w AS f3, count_distinct(t) OVER w AS t3, count_distinct(n) FILTER (WHERE i %% 3 > 0) OVER w AS n1, mode_agg(n) OVER w AS n2,
						   median(v) OVER w AS v1, median(n) OVER w AS n3, percentile_disc_agg(d, 0.5) OVER w AS d1,
						   array_agg(f) OVER w AS fs, array_agg(w) OVER w AS ws, array_agg(t) OVER w AS ts, array_agg(n) OVER w AS ns, array_agg(n) FILTER (WHERE i %% 3 > 0) OVER w AS nf, array_agg(v) OVER w AS vs, array_agg(d) OVER w AS ds
					FROM window_rows WINDOW w AS (PARTITION BY g ORDER BY o %s %s)) q
				WHERE ROW(f1, f2, f3) IS DISTINCT FROM (SELECT ROW(pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x), pg_catalog.percentile_disc(0.7) WITHIN GROUP (ORDER BY x), count(DISTINCT x)) FROM unnest(fs) x)
				OR ROW(w1, w2) IS DISTINCT FROM (SELECT ROW(pg_catalog.percentile_cont('{0,0.3,1}'::float8[]) WITHIN GROUP (ORDER BY x), pg_catalog.mode() WITHIN GROUP (ORDER BY x)) FROM unnest(ws) x)
				OR ROW(t1, t2, t3) IS DISTINCT FROM (SELECT ROW(pg_catalog.percentile_disc('{0.2,0.8}'::float8[]) WITHIN GROUP (ORDER BY x), pg_catalog.mode() WITHIN GROUP (ORDER BY x), count(DISTINCT x)) FROM unnest(ts) x)
				OR n1 IS DISTINCT FROM (SELECT count(DISTINCT x) FROM unnest(nf) x) OR n2 IS DISTINCT FROM (SELECT pg_catalog.mode() WITHIN GROUP (ORDER BY x) FROM unnest(ns) x)
				OR n3 IS DISTINCT FROM (SELECT avg(x) FROM (SELECT x, row_number() OVER (ORDER BY x) AS r, count(*) OVER () AS c FROM unnest(ns) x) q WHERE abs(2 * r - c - 1) < 2)
				OR v1 IS DISTINCT FROM (SELECT pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(vs) x) OR d1 IS DISTINCT FROM (SELECT pg_catalog.percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(ds) x)
				$q$, frame, extra) INTO wrong;
			IF wrong > 0 THEN
				RAISE '% % differs in % rows', frame, extra, wrong;
			END IF;
		END LOOP;
		frames := frames + 1;
	END LOOP;
	RAISE NOTICE '% frames', frames;
END $$;
-- Many values: the set is made, grows and shrinks.
SELECT count(*), count(*) FILTER (WHERE m <> i - 500 OR d <> least(i, 1001)) AS differ
FROM (SELECT i, median(i) OVER w AS m, count_distinct(i * 7919 % 100003) OVER w AS d FROM generate_series(1, 20000) i WINDOW w AS (ORDER BY i ROWS 1000 PRECEDING)) q WHERE i > 1000;
SELECT sum(m) = sum((i + 1) / 2.0) AS grows FROM (SELECT i, median(i) OVER (ORDER BY i) AS m FROM generate_series(1, 20000) i) q;
-- Text and numeric, of which many are equal, in trees of several levels: values that come and go at random, in order and by the thousand.
CREATE TABLE window_long AS SELECT i, (i * 7919 % 6007)::numeric / 4 AS n, md5((i * 31 % 4001)::text) AS t, i / 700 AS r FROM generate_series(1, 6500) i;
DO $$
DECLARE
	frame text;
	wrong bigint;
BEGIN
	FOREACH frame IN ARRAY '{ROWS 4000 PRECEDING,ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING,ROWS BETWEEN UNBOUNDED PRECEDING AND 50 FOLLOWING,GROUPS BETWEEN 3 PRECEDING AND 1 FOLLOWING,RANGE 2 PRECEDING}'::text[] LOOP
		EXECUTE format($q$
			SELECT count(*) FROM (
				SELECT i, percentile_disc_agg(n, '{0,0.3,0.9}'::float8[]) OVER w AS n1, mode_agg(n) OVER w AS n2, count_distinct(n) OVER w AS n3, median(i) OVER w AS i1, percentile_disc_agg(t, 0.5) OVER w AS t1, mode_agg(t) OVER w AS t2, count_distinct(t) OVER w AS t3,
					   first_value(i) OVER w AS low, last_value(i) OVER w AS high
				FROM (SELECT * FROM window_long ORDER BY r, i) l WINDOW w AS (ORDER BY r %s)) q
			WHERE i %% 401 = 0 AND ROW(n1, n2, n3, i1, t1, t2, t3) IS DISTINCT FROM
				(SELECT ROW(pg_catalog.percentile_disc('{0,0.3,0.9}'::float8[]) WITHIN GROUP (ORDER BY n), pg_catalog.mode() WITHIN GROUP (ORDER BY n), count(DISTINCT n), pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY i),
							pg_catalog.percentile_disc(0.5) WITHIN GROUP (ORDER BY t), pg_catalog.mode() WITHIN GROUP (ORDER BY t), count(DISTINCT t)) FROM window_long l WHERE l.i BETWEEN low AND high)
			$q$, frame) INTO wrong;
		IF wrong > 0 THEN
			RAISE '% differs in % rows', frame, wrong;
		END IF;
	END LOOP;
END $$;
DROP TABLE window_rows, window_long;
