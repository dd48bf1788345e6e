-- Random tables sorted by random keys, row by row beside PostgreSQL's own Sort.
-- The node keeps the input's order among equal rows: with it, ORDER BY keys gives
-- what PostgreSQL's Sort gives for ORDER BY keys, ctid.  rows_test.seed changes the seed.
SET gpusort.force_nodes = on;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET extra_float_digits = 0;

-- The text of an expression for one random value of a column type.
CREATE FUNCTION value_expression(type text, shares int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE type
		WHEN 'int2' THEN format('(random() * %s)::int2', least(shares, 30000))
		WHEN 'int4' THEN format('(random() * %s - %s)::int4', shares, shares / 2)
		WHEN 'int8' THEN format('(random() * %s - %s)::int8 * 4000000000', shares, shares / 2)
		WHEN 'oid' THEN format('(random() * %s)::int8::oid', shares::int8 * 2)
		WHEN 'date' THEN format('date ''2000-01-01'' + (random() * %s)::int', least(shares, 100000))
		WHEN 'time' THEN format('time ''00:00'' + make_interval(secs => trunc(random() * %s))', least(shares, 86000))
		WHEN 'timestamptz' THEN format('timestamptz ''2000-01-01'' + make_interval(secs => trunc(random() * %s))', shares)
		WHEN 'money' THEN format('(random() * %s)::int::money', shares)
		WHEN 'float4' THEN format('(CASE trunc(random() * 8) WHEN 0 THEN ''NaN'' WHEN 1 THEN ''-0'' WHEN 2 THEN ''0'' '
								  'WHEN 3 THEN ''-Infinity'' ELSE (random() * %s - %s)::text END)::float4', shares, shares / 2)
		WHEN 'float8' THEN format('(CASE trunc(random() * 8) WHEN 0 THEN ''NaN'' WHEN 1 THEN ''-0'' WHEN 2 THEN ''0'' '
								  'WHEN 3 THEN ''Infinity'' ELSE (random() * %s - %s)::text END)::float8', shares, shares / 2)
		WHEN 'numeric' THEN format('(random() * %s)::numeric(20, 2)', shares)
		WHEN 'bool' THEN 'random() < 0.5'
		WHEN '"char"' THEN '(65 + trunc(random() * 20))::int::"char"'
		WHEN 'uuid' THEN format('md5(trunc(random() * %s)::text)::uuid', shares)
		WHEN 'interval' THEN format('make_interval(months => (random() * 3)::int - 1, days => (random() * 60)::int - 30, secs => random() * %s)', shares)
		WHEN 'timetz' THEN format('(time ''00:00'' + make_interval(secs => trunc(random() * %s)))::text::time AT TIME ZONE make_interval(hours => (random() * 4)::int)', least(shares, 80000))
		WHEN 'bytea' THEN format('decode(repeat(''00'', (random() * 3)::int) || lpad(to_hex(trunc(random() * %s)::int), 8, ''0'') || repeat(''00'', (random() * 9)::int), ''hex'')', shares)
		WHEN 'char(9)' THEN format('repeat('' '', (random() * 2)::int) || trunc(random() * %s)', least(shares, 1000))
		WHEN 'name' THEN format('(''n'' || trunc(random() * %s))::name', shares)
		WHEN 'text' THEN format('repeat(chr(97 + (random() * 25)::int), (random() * 20)::int) || trunc(random() * %s)', shares)
		WHEN 'varchar' THEN format('''https://www.example.com/'' || repeat(''path/'', (random() * 9)::int) || trunc(random() * %s)', shares)
		WHEN 'inet' THEN format('set_masklen((pick(array[''10.0.0.0'', ''2001:db8::'', ''2001:db8::ffff:0:0'']::inet[]) + trunc(random() * %s)::int8), 8 + (random() * 24)::int)', shares)
		WHEN 'cidr' THEN format('network(set_masklen((pick(array[''10.0.0.0'', ''2001:db8::'']::inet[]) + trunc(random() * %s)::int8), 8 + (random() * 24)::int))', shares)
		WHEN 'mood' THEN format('(enum_range(NULL::mood))[1 + trunc(random() * least(3, %s))::int]', shares)
		WHEN 'text[]' THEN format('array[trunc(random() * %s)::text, ''x'']', shares)
	END
$$;

CREATE FUNCTION pick(choices anyarray) RETURNS anyelement LANGUAGE sql AS $$
	SELECT choices[1 + trunc(random() * cardinality(choices))::int]
$$;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');

-- Makes table r: id and a few columns of random types, ranges and NULL shares.  Of a large one the planner is told that it has many rows.
CREATE FUNCTION make_table(nrows int, large bool) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	types text[] := array['int2', 'int4', 'int8', 'oid', 'date', 'time', 'timestamptz', 'money', 'float4', 'float8',
						  'numeric', 'bool', '"char"', 'uuid', 'interval', 'timetz', 'bytea', 'char(9)', 'name', 'text', 'varchar', 'inet', 'cidr', 'mood', 'text[]'];
	columns text[] := '{}';
	expressions text := 'i';
	definitions text := 'id int8';
	type text;
BEGIN
	FOR c IN 1 .. 2 + (random() * 5)::int LOOP
		type := CASE WHEN random() < 0.6 THEN pick(types[1:10]) ELSE pick(types) END;
		definitions := definitions || format(', c%s %s', c, type);
		expressions := expressions || format(', CASE WHEN random() >= %s THEN %s END', pick(array[0, 0, 0.1, 0.9]),
											 value_expression(type, pick(array[1, 5, 1000, 2000000000])));
		columns := columns || format('c%s:%s', c, type);
	END LOOP;
	DROP TABLE IF EXISTS r;
	EXECUTE format('CREATE TABLE r (%s) WITH (autovacuum_enabled = off)', definitions);
	EXECUTE format('INSERT INTO r SELECT %s FROM generate_series(1, %s) i', expressions, nrows);
	IF large THEN
		UPDATE pg_class SET reltuples = 1000000, relpages = 1 WHERE oid = 'r'::regclass;
	END IF;
	RETURN columns;
END $$;

-- Random keys over the columns, last those that are always compared.
CREATE FUNCTION random_keys(columns text[]) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(split_part(c, ':', 1)
		|| CASE WHEN split_part(c, ':', 2) IN ('text', 'varchar', 'char(9)', 'name') THEN pick(array['', ' COLLATE "C"', ' COLLATE "POSIX"']) ELSE '' END
		|| pick(array['', ' ASC', ' DESC']) || pick(array['', ' NULLS FIRST', ' NULLS LAST']), ', ' ORDER BY rank, place)
	FROM (SELECT c, random() place, split_part(c, ':', 2) = 'text[]' rank
		  FROM unnest(columns) c ORDER BY random() LIMIT 1 + trunc(random() * 4)) k
$$;

CREATE FUNCTION rows_of(query text, node bool) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	result text[];
BEGIN
	PERFORM set_config('gpusort.enable_sort', node::text, true);
	EXECUTE format('SELECT array_agg(q::text) FROM (%s) q', query) INTO result;
	RETURN result;
END $$;

CREATE FUNCTION try_random_sorts(tables int, queries int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seed float8 := coalesce(current_setting('rows_test.seed', true)::float8, 0.25);
	columns text[];
	keys text;
	source text;
	with_node text[];
	without text[];
	plan json;
	used int := 0;
BEGIN
	PERFORM setseed(seed);
	FOR t IN 1 .. tables LOOP
		columns := make_table(pick(array[0, 1, 2, 300, 3000, 6000]), t % 2 = 1);
		FOR q IN 1 .. queries LOOP
			keys := random_keys(columns);
			source := pick(array['r', 'r', 'r WHERE id % 7 <> 0', '(SELECT * FROM r UNION ALL SELECT * FROM r) u']);
			PERFORM set_config('work_mem', pick(array['64kB', '128kB', '1MB', '17MB']), true);
			keys := keys || CASE WHEN source LIKE '(%' THEN ', id' ELSE '' END;
			PERFORM set_config('gpusort.enable_sort', 'on', true);
			EXECUTE format('EXPLAIN (FORMAT json) SELECT * FROM %s ORDER BY %s', source, keys) INTO plan;
			CONTINUE WHEN plan::text NOT LIKE '%GpusortRows%';
			used := used + 1;
			FOR l IN 0 .. 1 LOOP
				with_node := rows_of(format('SELECT * FROM %s ORDER BY %s%s', source, keys,
											CASE l WHEN 1 THEN ' LIMIT 100 OFFSET 17' ELSE '' END), true);
				without := rows_of(format('SELECT * FROM %s ORDER BY %s%s%s', source, keys,
										  CASE WHEN source LIKE '(%' THEN '' ELSE ', ctid' END, CASE l WHEN 1 THEN ' LIMIT 100 OFFSET 17' ELSE '' END), false);
				IF with_node IS DISTINCT FROM without THEN
					RETURN format('seed %s, table %s, query %s (%s, work_mem %s) differs: SELECT * FROM %s ORDER BY %s',
								  seed, t, q, columns, current_setting('work_mem'), source, keys);
				END IF;
			END LOOP;
		END LOOP;
	END LOOP;
	RETURN format('seed %s: all rows alike, node used: %s', seed, used > tables * queries / 2);
END $$;

SELECT try_random_sorts(30, 6);

DROP TABLE r;
DROP TYPE mood;
DROP FUNCTION value_expression, pick, make_table, random_keys, rows_of, try_random_sorts;
