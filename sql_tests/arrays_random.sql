-- Every array function against ORDER BY, and array_sort against PostgreSQL 18's
-- where there is one, over random arrays of every type. Prints counts of
-- mismatches: a row of the result is a failure.
SET search_path = gpusort, pg_catalog, public;
\set seed 0.20251121
\echo seed: :seed
SELECT setseed(:seed);

CREATE SCHEMA arrays_random;
CREATE TYPE arrays_random.mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE arrays_random.pair AS (x int, y text);
CREATE DOMAIN arrays_random.small AS int4 CHECK (value < 1000000);

-- A random value of each type as an expression of r, an integer that is often the same.
CREATE TABLE arrays_random.types (type text, expression text);
INSERT INTO arrays_random.types VALUES
	('int2', 'r::int2'), ('int4', 'r * 400009'), ('int8', 'r * 1000000000007'),
	('float4', $$(CASE r % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity' WHEN 4 THEN '-Infinity'
		ELSE (r * 0.37)::text END)::float4$$),
	('float8', $$(CASE r % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity' WHEN 4 THEN '-Infinity'
		WHEN 5 THEN '1e-310' ELSE (r * 1e100)::text END)::float8$$),
	('date', $$CASE r % 13 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE date '2000-01-01' + r END$$),
	('timestamp', $$CASE r % 13 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE timestamp '2000-01-01' + r * interval '1 hour' END$$),
	('timestamptz', $$timestamptz '2000-01-01 00:00+00' + r * interval '1 hour'$$),
	('time', $$time '12:00' + r * interval '1 minute'$$), ('oid', '(r + 1000000)::oid'), ('money', 'r::money'),
	('text', 'md5(r::text)'), ('varchar', $$repeat('x', abs(r) % 40) || r$$), ('bpchar', $$(r % 10)::text::char(3)$$),
	('name', 'md5(r::text)::name'), ('"char"', $$chr(97 + abs(r) % 26)::"char"$$), ('bytea', $$decode(md5(r::text), 'hex')$$),
	('numeric', $$CASE r % 13 WHEN 0 THEN 'NaN' ELSE r / 7.0 END::numeric$$), ('uuid', 'md5(r::text)::uuid'), ('bool', 'r % 2 = 0'),
	('interval', $$r * interval '1 day 3 hours'$$), ('timetz', $$timetz '12:00+00' + r * interval '1 minute'$$),
	('inet', $$'10.0.0.0'::inet + abs(r)$$), ('macaddr', $$substr(md5(r::text), 1, 12)::macaddr$$), ('bit varying', 'abs(r)::bit(12)::varbit'),
	('int4range', 'int4range(least(r, 5), 10)'), ('jsonb', $$jsonb_build_object('a', r)$$), ('tsvector', $$to_tsvector('simple', r::text)$$),
	('arrays_random.mood', $$(enum_range(NULL::arrays_random.mood))[abs(r) % 3 + 1]$$),
	('arrays_random.pair', $$ROW(r % 5, md5(r::text))::arrays_random.pair$$), ('arrays_random.small', 'r::arrays_random.small');

-- The positions of array's elements in order, by ORDER BY.
CREATE FUNCTION arrays_random.positions("array" text, nulls_first text) RETURNS text LANGUAGE sql AS $$
	SELECT format('CASE WHEN descending
		THEN ARRAY(SELECT o FROM (SELECT (%1$s)[o] AS x, o FROM generate_subscripts(%1$s, 1) o) u ORDER BY (x IS NULL) <> %2$s, x DESC, o)
		ELSE ARRAY(SELECT o FROM (SELECT (%1$s)[o] AS x, o FROM generate_subscripts(%1$s, 1) o) u ORDER BY (x IS NULL) <> %2$s, x, o) END',
		"array", nulls_first)
$$;
-- The elements at some positions, in that order.
CREATE FUNCTION arrays_random.elements("array" text, positions text) RETURNS text LANGUAGE sql AS $$
	SELECT format('ARRAY(SELECT (%1$s)[p] FROM unnest(%2$s) WITH ORDINALITY u(p, o) ORDER BY o)', "array", positions)
$$;

-- One query that makes random arrays of a type (short and long, empty, with few
-- or many distinct values and NULLs, sorted) and counts what each function gets wrong.
CREATE FUNCTION arrays_random.mismatches(type text, expression text, how_many int)
RETURNS TABLE (type_name text, function text, mismatches bigint) LANGUAGE plpgsql AS $$
DECLARE
	make text := format($q$
		WITH shapes AS MATERIALIZED (
			SELECT i, i %% 2 = 0 AS descending, i / 2 %% 2 = 0 AS nulls_first, 10 ^ (1 + i %% 4) AS spread,
				   CASE i %% 7 WHEN 0 THEN 0.5 WHEN 1 THEN 0.05 ELSE 0 END AS nulls,
				   ((CASE WHEN i %% 11 = 0 THEN 1 WHEN i %% 29 = 0 THEN 1000 ELSE 40 END) * random())::int AS n
			FROM generate_series(1, %3$s) i),
		drawn AS MATERIALIZED (
			SELECT *, coalesce((SELECT array_agg(CASE WHEN random() < nulls THEN NULL ELSE %2$s END)
								FROM (SELECT (random() * spread - spread / 2)::int AS r FROM generate_series(1, n)) draws),
							   '{}'::%1$s[]) AS a,
				   ARRAY(SELECT CASE WHEN random() < nulls THEN NULL ELSE (random() * 20 - 10)::int / 2.0::float4 END
						 FROM generate_series(1, n)) AS k
			FROM shapes),
		ordered AS MATERIALIZED (
			SELECT *, n / 2 AS half, %4$s AS p, %5$s AS q, %6$s AS l,
				   CASE WHEN n > 0 AND i %% 3 = 0 THEN ('[3:' || n + 2 || ']=' || a::text)::%1$s[] ELSE a END AS shifted
			FROM drawn),
		expected AS MATERIALIZED (
			SELECT *, %7$s AS sorted, %8$s AS by_k, %9$s AS k_by_a, %10$s AS k_sorted FROM ordered)
		$q$, type, expression, how_many,
		arrays_random.positions('a', 'nulls_first'), arrays_random.positions('k', 'nulls_first'), arrays_random.positions('a', 'false'),
		arrays_random.elements('a', 'p'), arrays_random.elements('a', 'q'), arrays_random.elements('k', 'p'), arrays_random.elements('k', 'q'));
	engine text := current_setting('gpusort.engine');
BEGIN
	PERFORM set_config('jit', (type IN ('int4', 'text'))::text, true);	-- a server may compile all queries
	-- With "gpu" what no GPU sorts would be an error.
	IF type !~ '^(int.|float.|date|time(stamp(tz)?)?|oid|money|.*small)$' THEN
		PERFORM set_config('gpusort.engine', 'auto', false);
	END IF;
	RETURN QUERY EXECUTE make || format($q$
		SELECT '%1$s', name, count(*) FROM expected,
		LATERAL (VALUES
			('array_sort', array_sort(a, descending, nulls_first) IS DISTINCT FROM sorted),
			('array_sort, lower bound', array_dims(array_sort(shifted, descending)) IS DISTINCT FROM array_dims(shifted)),
			('array_sort, default', array_sort(a, descending) IS DISTINCT FROM array_sort(a, descending, descending)),
			('array_argsort', array_argsort(shifted, descending, nulls_first) IS DISTINCT FROM p),
			('array_take', array_take(shifted, p) IS DISTINCT FROM sorted),
			('array_sort_by', array_sort_by(a, k, descending, nulls_first) IS DISTINCT FROM by_k),
			('array_sort_by, as key', array_sort_by(k, shifted, descending, nulls_first) IS DISTINCT FROM k_by_a),
			('array_sort_pair', array_sort_pair(a, k, descending, nulls_first) IS DISTINCT FROM ROW(by_k, k_sorted)),
			('array_sort_pair, as key', array_sort_pair(k, a, descending, nulls_first) IS DISTINCT FROM ROW(k_by_a, sorted)),
			('array_top_n', array_top_n(shifted, half, descending) IS DISTINCT FROM %2$s),
			('array_top_n, all', array_top_n(a, n + 1, descending) IS DISTINCT FROM %3$s),
			('array_top_n, NULLs', array_top_n(shifted, half, descending, nulls_first) IS DISTINCT FROM sorted[1:half]),
			('array_bottom_n', NOT descending AND array_bottom_n(shifted, half, nulls_first) IS DISTINCT FROM sorted[1:half]),
			('array_bottom_n, default', array_bottom_n(a, half) IS DISTINCT FROM array_top_n(a, half, false)),
			('array_bottom_n_by', NOT descending AND array_bottom_n_by(a, k, half, nulls_first) IS DISTINCT FROM by_k[1:half]),
			('array_bottom_n_by, default', array_bottom_n_by(k, a, half) IS DISTINCT FROM array_top_n_by(k, a, half, false)),
			('array_top_n_by', array_top_n_by(a, k, half, descending, nulls_first) IS DISTINCT FROM %4$s),
			('array_top_n_by, as key', array_top_n_by(k, a, half, descending) IS DISTINCT FROM %5$s),
			('array_top_n, ties', array_top_n(shifted, half, descending, nulls_first, true) IS DISTINCT FROM
				sorted[1:(SELECT coalesce(max(o), 0) FROM generate_series(1, n) o WHERE half > 0 AND sorted[o] IS NOT DISTINCT FROM sorted[half])]),
			('array_bottom_n, ties', NOT descending AND array_bottom_n(a, half, nulls_first, true) IS DISTINCT FROM array_top_n(a, half, false, nulls_first, true)),
			('array_top_n_by, ties', array_top_n_by(a, k, half, descending, nulls_first, with_ties => true) IS DISTINCT FROM
				by_k[1:(SELECT coalesce(max(o), 0) FROM generate_series(1, n) o WHERE half > 0 AND k_sorted[o] IS NOT DISTINCT FROM k_sorted[half])]),
			('array_top_n_by, ties, as key', array_top_n_by(k, a, half, descending, nulls_first, with_ties => true) IS DISTINCT FROM
				k_by_a[1:(SELECT coalesce(max(o), 0) FROM generate_series(1, n) o WHERE half > 0 AND sorted[o] IS NOT DISTINCT FROM sorted[half])]),
			('array_bottom_n_by, ties', NOT descending AND array_bottom_n_by(a, k, half, nulls_first, true) IS DISTINCT FROM array_top_n_by(a, k, half, false, nulls_first, true)),
			('array_sort_distinct', array_sort_distinct(a, descending, nulls_first) IS DISTINCT FROM
				CASE WHEN descending THEN ARRAY(SELECT x FROM (SELECT a[o] AS x FROM generate_subscripts(a, 1) o) u GROUP BY x ORDER BY (x IS NULL) <> nulls_first, x DESC)
				ELSE ARRAY(SELECT x FROM (SELECT a[o] AS x FROM generate_subscripts(a, 1) o) u GROUP BY x ORDER BY (x IS NULL) <> nulls_first, x) END),
			('array_is_sorted', array_is_sorted(a, descending, nulls_first) <> (a = sorted)),
			('array_is_sorted, sorted', NOT array_is_sorted(sorted, descending, nulls_first))
		) checks(name, wrong)
		WHERE wrong GROUP BY name$q$,
		type, arrays_random.elements('a', 'l[1:half]'), arrays_random.elements('a', 'l'),
		arrays_random.elements('a', 'q[1:half]'), arrays_random.elements('k', 'l[1:half]'));
	-- Approximate order is that of the values, with the NULLs before or behind them.
	IF type ~ '^(int.|float.|date|time(stamp(tz)?)?|oid|money|.*small)$' THEN
		RETURN QUERY EXECUTE make || format($q$
			SELECT '%1$s', name, count(*) FROM (SELECT *, array_remove(a, NULL) AS present FROM expected) e,
			LATERAL (VALUES
				('array_sort_approx', array_sort_approx(a, 5, descending, nulls_first)::text IS DISTINCT FROM (CASE WHEN nulls_first
					THEN array_fill(NULL::%1$s, ARRAY[n - cardinality(present)]) || array_sort_approx(present, 5, descending)
					ELSE array_sort_approx(present, 5, descending) || array_fill(NULL::%1$s, ARRAY[n - cardinality(present)]) END)::text)
			) checks(name, wrong)
			WHERE wrong GROUP BY name$q$, type);
	END IF;
	-- Rows of two elements, sorted as arrays.
	PERFORM set_config('gpusort.engine', 'auto', false);
	RETURN QUERY EXECUTE make || format($q$
		SELECT '%1$s', 'array_sort, two dimensions', count(*) FROM ordered,
		LATERAL (SELECT array_agg(a[2 * j - 1:2 * j]) AS pairs, array_agg(a[2 * j - 1:2 * j] ORDER BY a[2 * j - 1:2 * j]) AS up,
						array_agg(a[2 * j - 1:2 * j] ORDER BY a[2 * j - 1:2 * j] DESC) AS down
				 FROM generate_series(1, n / 2) j) reshaped
		WHERE array_sort(pairs, descending, nulls_first) IS DISTINCT FROM CASE WHEN descending THEN down ELSE up END
			  OR NOT array_is_sorted(up)
		HAVING count(*) > 0$q$, type);
	IF current_setting('server_version_num')::int >= 180000 THEN
		RETURN QUERY EXECUTE make || format($q$
			SELECT '%1$s', 'array_sort, built-in', count(*) FROM ordered,
			LATERAL (SELECT array_agg(a[2 * j - 1:2 * j]) AS pairs, array_agg(ARRAY[a[2 * j - 1:2 * j], a[2 * j:2 * j + 1]]) AS squares
					 FROM generate_series(1, n / 2 - 1) j) reshaped
			WHERE array_sort(a) IS DISTINCT FROM pg_catalog.array_sort(a)
				  OR array_sort(shifted, descending) IS DISTINCT FROM pg_catalog.array_sort(shifted, descending)
				  OR array_sort(shifted, descending, nulls_first) IS DISTINCT FROM pg_catalog.array_sort(shifted, descending, nulls_first)
				  OR array_sort(pairs, descending, nulls_first) IS DISTINCT FROM pg_catalog.array_sort(pairs, descending, nulls_first)
				  OR array_sort(squares, descending) IS DISTINCT FROM pg_catalog.array_sort(squares, descending)
			HAVING count(*) > 0$q$, type);
	END IF;
	PERFORM set_config('gpusort.engine', engine, false);
END $$;

SELECT m.* FROM arrays_random.types t, arrays_random.mismatches(type, expression, 90) m;
SET client_min_messages = warning;
DROP SCHEMA arrays_random CASCADE;
