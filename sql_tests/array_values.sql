-- Arrays of types without a key form, in each way that their values are sorted: in
-- order already, by abbreviated keys, by classes of equal values, by merging.
SET search_path = gpusort, pg_catalog, public;
SET client_min_messages = warning;
-- No GPU sorts these.
SET gpusort.engine = 'auto';
SELECT setseed(0.5);

CREATE SCHEMA array_values;
CREATE COLLATION array_values.bytes (provider = libc, locale = 'C.UTF-8');
DO $$
BEGIN
	-- Not every server is built with ICU.
	CREATE COLLATION array_values.any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN feature_not_supported THEN
	CREATE COLLATION array_values.any_case (provider = libc, locale = 'C');
END $$;

-- How many arrays, of some lengths, have positions other than ORDER BY's.
CREATE FUNCTION array_values.mismatches(type text, expression text, collation_name text DEFAULT NULL)
RETURNS TABLE (values_of text, ordered_by text, arrays bigint, mismatches bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		WITH drawn AS MATERIALIZED (
			SELECT descending, ARRAY(SELECT %2$s FROM generate_series(1, n) i,
				LATERAL (SELECT CASE shape WHEN 0 THEN i WHEN 1 THEN -i ELSE floor(random() * shape) * 1.5 END AS x) v) AS a
			FROM unnest(ARRAY[2, 7, 31, 32, 33, 100, 1000, 5000]) n,
				 unnest(ARRAY[0, 1, 2, 10, 300, 1000000]) shape, unnest(ARRAY[false, true]) descending)
		SELECT '%1$s', '%3$s', count(*), count(*) FILTER (WHERE array_argsort(a %3$s, descending) IS DISTINCT FROM
			CASE WHEN descending THEN ARRAY(SELECT o FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY x %3$s DESC, o)::int[]
			ELSE ARRAY(SELECT o FROM unnest(a) WITH ORDINALITY u(x, o) ORDER BY x %3$s, o)::int[] END)
		FROM drawn$q$, type, expression, coalesce('COLLATE ' || collation_name, ''));
END $$;

SELECT * FROM array_values.mismatches('numeric', 'x::numeric');
SELECT * FROM array_values.mismatches('numeric of many scales', '(x::numeric(20, 2)::text || repeat(''0'', i % 3))::numeric');
SELECT * FROM array_values.mismatches('uuid', 'md5(x::text)::uuid');
SELECT * FROM array_values.mismatches('uuid, alike in front', '(''00112233445566770000'' || substr(md5(x::text), 1, 12))::uuid');
SELECT * FROM array_values.mismatches('text', 'md5(x::text)');
SELECT * FROM array_values.mismatches('text', 'md5(x::text)', '"C"');
SELECT * FROM array_values.mismatches('text', 'chr(((x * 7919)::int8 % 20000)::int + 20001) || x', 'array_values.bytes');
SELECT * FROM array_values.mismatches('text, alike in front', '''https://example.org/'' || x', '"C"');
SELECT * FROM array_values.mismatches('text in any case', 'CASE i % 3 WHEN 0 THEN upper(md5(x::text)) ELSE md5(x::text) END', 'array_values.any_case');
SELECT * FROM array_values.mismatches('bpchar', '(x::text || repeat('' '', i % 3))::bpchar');
SELECT * FROM array_values.mismatches('interval', 'CASE i % 2 WHEN 0 THEN x * interval ''1 day'' ELSE x * interval ''24 hours'' END');
SELECT * FROM array_values.mismatches('bool', 'x::int8 % 2 = 0');
SELECT * FROM array_values.mismatches('bytea', 'decode(md5(x::text), ''hex'')');
SELECT * FROM array_values.mismatches('inet', '''10.0.0.0''::inet + x::int8 % 1000');

-- A locale that compares bytes orders as C does.
SELECT count(*) AS arrays, count(*) FILTER (WHERE array_argsort(a COLLATE array_values.bytes) <> array_argsort(a COLLATE "C")) AS different
FROM (SELECT ARRAY(SELECT chr(1 + (random() * 50000)::int) || chr(1 + (random() * 200)::int) FROM generate_series(1, g)) AS a
	  FROM generate_series(1, 100) g) s;

-- Equal values that look different keep their order.
SELECT array_sort(ARRAY[2.0, 1.0, 1.00, 2.00, 1.000]);
SELECT array_sort(array_agg((1 + i % 2)::text::numeric ORDER BY i) || ARRAY[1.0, 1.00, 2.0]) FROM generate_series(1, 40) i;

DROP SCHEMA array_values CASCADE;

-- Values of which many bytes are alike: prefixes of one another, longer than the bytes that are compared as numbers, zeros at the end; in both directions.
CREATE TABLE alike AS SELECT i, CASE i % 7 WHEN 0 THEN repeat('a', i % 600) WHEN 1 THEN repeat('a', 255) || i % 50 WHEN 2 THEN repeat('a', 8 * (i % 40)) || chr(98 + i % 3) WHEN 3 THEN ''
		WHEN 4 THEN 'https://www.example.com/' || md5((i % 500)::text) WHEN 5 THEN repeat('a', i % 17) || ' ' ELSE repeat('é', i % 200) || i % 3 END AS text,
	substring(decode(repeat('00', 300) || 'ff', 'hex') FROM 1 + i % 5 FOR i * 7 % 310) AS bytea, md5((i % 700)::text)::uuid AS uuid, make_interval(months => i % 3, days => i % 91, secs => i % 5) AS interval,
	('12:00+00'::timetz + i % 77 * interval '1 minute') AT TIME ZONE make_interval(hours => i % 9) AS timetz, (i % 300 - 150) * 10::numeric ^ (i % 41 - 20) AS numeric,
	('10.0.' || i % 4 || '.0/' || 8 + i % 24)::inet AS inet, ('08002b01' || lpad(to_hex(i % 900), 4, '0'))::macaddr AS macaddr
FROM generate_series(1, 3000) i;
DO $$
DECLARE
	expression text;
	descending text;
	same bool;
BEGIN
	PERFORM set_config('gpusort.enable_aggregates', 'off', true), set_config('gpusort.enable_sort', 'off', true);
	FOREACH expression IN ARRAY ARRAY['text COLLATE "C"', 'text', 'text::varchar COLLATE "C"', 'text::char(300) COLLATE "C"', 'text::name', 'bytea', 'uuid', 'interval', 'timetz', 'numeric', 'inet', 'inet::cidr', 'macaddr', 'macaddr::macaddr8'] LOOP
		FOREACH descending IN ARRAY ARRAY['false', 'true'] LOOP
			EXECUTE format('SELECT gpusort.array_argsort(array_agg(%1$s ORDER BY i), %2$s) = array_agg(i ORDER BY %1$s %3$s, i) FROM alike', replace(expression, 'inet::cidr', 'set_masklen(inet, 32)::cidr'), descending, CASE descending WHEN 'true' THEN 'DESC' ELSE '' END) INTO same;
			IF same IS NOT TRUE THEN
				RAISE 'arrays of % differ, descending %', expression, descending;
			END IF;
			EXECUTE format('SELECT bool_and(gpusort.array_argsort(a, %1$s) = b) FROM (SELECT array_agg(%2$s ORDER BY i) AS a, array_agg(n ORDER BY %2$s %3$s, i) AS b FROM (SELECT *, (row_number() OVER (PARTITION BY i %% 60 ORDER BY i))::int AS n FROM alike) q GROUP BY i %% 60) q',
						   descending, replace(expression, 'inet::cidr', 'set_masklen(inet, 32)::cidr'), CASE descending WHEN 'true' THEN 'DESC' ELSE '' END) INTO same;
			IF same IS NOT TRUE THEN
				RAISE 'short arrays of % differ, descending %', expression, descending;
			END IF;
		END LOOP;
	END LOOP;
END $$;
DROP TABLE alike;
