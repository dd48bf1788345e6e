-- array_sort: shapes, NULLs, special values, types, errors.
-- Before pg_catalog, gpusort's functions take the place of PostgreSQL 18's.
SET search_path = gpusort, pg_catalog;
-- With "gpu" the types that no GPU sorts would be errors.
SET gpusort.engine = 'auto';
SET timezone = 'UTC';

-- NULLs go last ascending, first descending, and where nulls_first says.
SELECT array_sort('{3,NULL,1,2,NULL}'::int4[]) AS ascending,
       array_sort('{3,NULL,1,2,NULL}'::int4[], true) AS descending,
       array_sort('{3,NULL,1,2,NULL}'::int4[], false, true) AS nulls_first,
       array_sort('{3,NULL,1,2,NULL}'::int4[], true, false) AS nulls_last;
SELECT array_sort('{b,NULL,a}'::text[]) AS ascending, array_sort('{b,NULL,a}'::text[], true) AS descending,
       array_sort('{b,NULL,a}'::text[], false, true) AS nulls_first, array_sort('{b,NULL,a}'::text[], true, false) AS nulls_last;
SELECT array_sort('{NULL,NULL}'::int4[]), array_sort('{NULL}'::float8[]), array_sort('{NULL,1}'::int2[], true);
-- A NULL argument means NULL.
SELECT array_sort(NULL::int4[]), array_sort('{1}'::int4[], NULL), array_sort('{1}'::int4[], true, NULL);

-- Empty, one element, lower bounds.
SELECT array_sort('{}'::int4[]), array_sort('{7}'::int4[]), array_sort('[5:5]={7}'::int4[]),
       array_sort('[5:7]={3,1,2}'::int4[]), array_sort('[-1:1]={c,NULL,b}'::text[], true), array_sort('[0:2]={3,NULL,2}'::float4[]);

-- Multidimensional arrays: slices of the first dimension, compared as arrays.
SELECT array_sort('{{2,1},{1,5},{1,NULL},{1,2}}'::int4[]) AS up, array_sort('{{2,1},{1,5},{1,NULL},{1,2}}'::int4[], true) AS down;
SELECT array_sort('[2:4][3:4]={{b,a},{a,z},{a,b}}'::text[]);
SELECT array_sort('{{{2,2},{1,1}},{{1,9},{9,1}}}'::float8[]), array_sort('{{3,1,2}}'::int4[]);

-- NaN is the greatest value; the two zeros are equal.
SELECT array_sort('{NaN,1,-Infinity,Infinity,-1,NaN}'::float4[]), array_sort('{NaN,1,-Infinity,Infinity,-1,NaN}'::float8[], true);
SELECT array_sort('{1,-0,0,-1}'::float8[]) = '{-1,0,0,1}'::float8[] AS zeros;
SELECT array_sort('{1e-45,-1e-45,0,3.4e38,-3.4e38}'::float4[]);

-- Each type that the engines sort, at its limits.
SELECT array_sort('{0,-32768,32767,-1,1}'::int2[]);
SELECT array_sort('{0,-2147483648,2147483647,-1,1}'::int4[]);
SELECT array_sort('{0,-9223372036854775808,9223372036854775807,-1,1}'::int8[]);
SELECT array_sort('{4294967295,0,2147483648}'::oid[]);
SELECT array_sort('{2024-02-29,infinity,-infinity,4713-01-01 BC}'::date[]);
SELECT array_sort('{2024-02-29 12:00,infinity,-infinity,1999-12-31}'::timestamp[], true);
SELECT array_sort('{2024-02-29 12:00+00,infinity,-infinity,2024-02-29 12:00+05}'::timestamptz[]);
SELECT array_sort('{12:00,00:00,24:00}'::time[]), array_sort('{3.50,-1.00}'::money[]);

-- Other types, through their comparators.
SELECT array_sort('{b,A,a,B}'::text[] COLLATE "C"), array_sort('{10.5,9,NaN,-Infinity,9.00}'::numeric[]), array_sort('{t,f,t}'::bool[]);
SELECT array_sort('{b0000000-0000-0000-0000-000000000000,a0000000-0000-0000-0000-000000000000}'::uuid[]);
SELECT array_sort('{1 day,24 hours,1 month,-1 sec}'::interval[]), array_sort('{"[3,4)","[1,9)","empty"}'::int4range[], true);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (x int, y text);
CREATE DOMAIN small AS int4 CHECK (value < 100);
CREATE DOMAIN small_list AS int4[] CHECK (cardinality(value) < 10);
SELECT array_sort('{happy,sad,ok}'::mood[]), array_sort(ARRAY[(2, 'a'), (1, 'b'), (1, 'a'), NULL]::pair[]);
SELECT array_sort('{3,1,2}'::small[]), pg_typeof(array_sort('{3,1,2}'::small[])), array_sort('{3,1,2}'::small_list), pg_typeof(array_sort('{3,1,2}'::small_list));
SELECT array_sort(ARRAY[ROW(2, 'x'), ROW(1, 'y')]);

-- Expanded arrays, as PL/pgSQL keeps them.
DO $$
DECLARE a int4[] := '{}';
BEGIN
	FOR i IN 1..6 LOOP a[i] := (i * 5) % 7; END LOOP;
	RAISE NOTICE '% % % %', array_sort(a), array_sort(a, true), array_argsort(a), a;
END $$;

-- Errors.
SELECT array_sort(ARRAY[point(1,2)]) AS nothing_to_order;
DO $$
DECLARE
	query text; state text; message text; hint text;
BEGIN
	FOREACH query IN ARRAY ARRAY[
		$q$ SELECT array_sort(ARRAY[point(1,2), point(3,4)]) $q$,
		$q$ SELECT array_sort(ARRAY[[point(1,2)], [point(3,4)]]) $q$,
		$q$ SELECT array_sort('{1,2}'::json[]) $q$,
		$q$ SELECT array_sort(1) $q$,
		$q$ SELECT array_sort(ARRAY['b' COLLATE "C", 'a' COLLATE "POSIX"]) $q$]
	LOOP
		BEGIN
			EXECUTE query;
			RAISE NOTICE '% : no error', query;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
			RAISE INFO '%: % [%]', state, message, CASE WHEN state = '0A000' THEN hint END;
		END;
	END LOOP;
END $$;

SELECT 'array_sort(anyarray)'::regprocedure::oid = 'gpusort.array_sort(anyarray)'::regprocedure::oid AS replaced;
DROP DOMAIN small, small_list;
DROP TYPE mood, pair;
