-- The schema of a measurement: its results and the procedure that takes them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS gpusort;
DROP SCHEMA IF EXISTS gpusort_bench CASCADE;
CREATE SCHEMA gpusort_bench;
SET search_path = gpusort_bench;

CREATE TABLE host AS SELECT :'commit'::text AS commit, :'device'::text AS device, :'runs'::int AS runs;
CREATE TABLE spectra (accession text, license text, authors text, mz float8[], intensity float4[]);
CREATE TABLE results (
	id int GENERATED ALWAYS AS IDENTITY,
	date date DEFAULT current_date,
	commit text,
	device text,
	postgresql text DEFAULT current_setting('server_version'),
	section text,
	data text,				-- what was sorted
	type text,
	n bigint,				-- values per array; NULL: of all lengths
	arrays bigint,
	contender text,
	median_ms float8,
	least_ms float8,
	runs int,
	times_floor float8		-- median over the floor's median
);

-- contrib's intarray, where the server has it, and PostgreSQL 18's array_sort.
DO $$
BEGIN
	CREATE EXTENSION intarray SCHEMA gpusort_bench;
EXCEPTION WHEN OTHERS THEN
	NULL;
END $$;
CREATE FUNCTION intarray_sort() RETURNS text LANGUAGE sql AS $$
	SELECT p.pronamespace::regnamespace || '.sort' FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension e ON e.oid = d.refobjid WHERE extname = 'intarray' AND proname = 'sort' AND pronargs = 1
$$;
CREATE FUNCTION builtin_sort() RETURNS text LANGUAGE sql AS $$
	SELECT 'pg_catalog.array_sort' WHERE to_regprocedure('pg_catalog.array_sort(anyarray)') IS NOT NULL
$$;

-- The settings that are off where PostgreSQL alone is measured.
CREATE FUNCTION alone() RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'gpusort.enable_sort,gpusort.enable_array_sort,gpusort.enable_aggregates,gpusort.enable_index_build'
$$;

-- Runs each contender's query once to warm up and then `runs` times, in turn, and
-- records medians; if the first two take more than five seconds each, the second is all.
-- A contender is {name, query} or {name, query, settings, value}, where settings are names
-- separated by commas; the first is the floor that the others are divided by; a NULL query
-- is left out.
-- Each run has a transaction of its own, so that files that it drops go before the next.
-- The contenders named like slow do not warm up, take slow_runs at most, and come when
-- the others have ended: the host of a virtual machine takes back memory left idle.
CREATE PROCEDURE measure(section text, data text, type text, n bigint, arrays bigint, contenders text[],
						 slow text DEFAULT '', slow_runs int DEFAULT 0)
LANGUAGE plpgsql AS $$
DECLARE
	wanted int := (SELECT runs FROM host);
	counted int[] := ARRAY(SELECT CASE WHEN contenders[c][1] LIKE slow THEN least(slow_runs, wanted) ELSE wanted END
						   FROM generate_series(1, array_length(contenders, 1)) c ORDER BY c);
	-- Row run + 1 holds the times of that run; the first is the warming up.
	taken float8[][] := array_fill(0::float8, ARRAY[wanted + 1, array_length(contenders, 1)]);
	started timestamptz;
	floor_ms float8;
	ms float8[];
	median float8;
	slow_now bool;
	setting text;
BEGIN
	FOREACH slow_now IN ARRAY ARRAY[false, true]
	LOOP
		FOR run IN slow_now::int .. wanted
		LOOP
			FOR c IN 1 .. array_length(contenders, 1)
			LOOP
				CONTINUE WHEN contenders[c][2] IS NULL OR (contenders[c][1] LIKE slow) <> slow_now OR run > counted[c];
				FOREACH setting IN ARRAY string_to_array(contenders[c][3], ',')
				LOOP
					PERFORM set_config(setting, contenders[c][4], false);
				END LOOP;
				COMMIT;
				started := clock_timestamp();
				EXECUTE contenders[c][2];
				taken[run + 1][c] := 1000 * extract(epoch FROM clock_timestamp() - started);
				IF run = 1 AND least(taken[1][c], taken[2][c]) > 5000 THEN
					counted[c] := 1;
				END IF;
				FOREACH setting IN ARRAY string_to_array(contenders[c][3], ',')
				LOOP
					EXECUTE 'RESET ' || setting;
				END LOOP;
			END LOOP;
		END LOOP;
	END LOOP;
	FOR c IN 1 .. array_length(contenders, 1)
	LOOP
		CONTINUE WHEN contenders[c][2] IS NULL;
		ms := ARRAY(SELECT taken[run + 1][c] FROM generate_series(1, counted[c]) run ORDER BY 1);
		median := ms[(counted[c] + 1) / 2];
		floor_ms := coalesce(floor_ms, median);
		INSERT INTO gpusort_bench.results (commit, device, section, data, type, n, arrays, contender, median_ms, least_ms, runs, times_floor)
		SELECT commit, device, measure.section, measure.data, measure.type, measure.n, measure.arrays,
			contenders[c][1], round(median::numeric, 3), round(ms[1]::numeric, 3), counted[c], round((median / floor_ms)::numeric, 2)
		FROM gpusort_bench.host;
	END LOOP;
	COMMIT;
END $$;

-- What the contenders are for one way of sorting a column of arrays.
CREATE FUNCTION sort_contenders(from_table text, type text, aggregate text, with_sql bool DEFAULT true) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(ARRAY[name, format('SELECT %s((%s)[1]) FROM %s', aggregate, expression, from_table), setting, value] ORDER BY ord)
	FROM (VALUES
		(1, 'floor: read', 'a || ''{}''', '', ''),
		(2, 'gpusort', 'gpusort.array_sort(a)', '', ''),
		(3, 'gpusort, row by row', 'gpusort.array_sort(a)', 'gpusort.enable_array_sort', 'off'),
		(4, 'built-in array_sort', gpusort_bench.builtin_sort() || '(a)', '', ''),
		(5, 'intarray sort', CASE WHEN type = 'int4' THEN gpusort_bench.intarray_sort() || '(a)' END, '', ''),
		(6, 'ARRAY(SELECT ... ORDER BY ...)', CASE WHEN with_sql THEN 'ARRAY(SELECT x FROM unnest(a) x ORDER BY x)' END, '', '')
	) c (ord, name, expression, setting, value)
	WHERE expression IS NOT NULL
$$;
