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
