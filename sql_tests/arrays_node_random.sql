-- Needs gpusort.engine = 'auto': sorts types that no GPU sorts, too.
-- Random queries with calls of array functions in all places, with the arrays node
-- and without it: the same rows or the same error.  arrays_test.seed changes the
-- seed, arrays_test.queries how many there are.
SET client_min_messages = warning;
SET gpusort.force_nodes = on;
SET extra_float_digits = 0;
SET max_parallel_workers_per_gather = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;

CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql AS $$
	SELECT choices[1 + trunc(random() * cardinality(choices))::int]
$$;

-- Two tables: one of ordinary arrays, one with some of every odd kind.  a and w, b
-- and c, d and e are as long as each other.
CREATE FUNCTION make_table(name text, nrows int, odd float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	pair text := 'ARRAY(SELECT (%1$s)::%2$s FROM generate_series(1, n)), ARRAY(SELECT (%1$s)::%2$s FROM generate_series(1, n))';
BEGIN
	EXECUTE format('CREATE TABLE %I (id int, g int, a float4[], w float4[], b int4[], c int4[], d int8[], e date[], t text[])', name);
	EXECUTE format('ALTER TABLE %I ALTER a SET STORAGE EXTERNAL, ALTER d SET STORAGE EXTERNAL', name);
	EXECUTE format('INSERT INTO %I SELECT i, (random() * 9)::int, %s, %s, %s, %s, %s FROM (
			SELECT i, CASE trunc(random() * 12) WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 2 THEN 1 + (random() * 900)::int ELSE (random() * 12)::int END AS n
			FROM generate_series(1, %s) i) q',
		name, format(pair, '(random() * 200 - n)::int / 8.0', 'float4'), format(pair, 'random() * n', 'int4'),
		'ARRAY(SELECT (random() * 1e12)::int8 FROM generate_series(1, n))',
		'ARRAY(SELECT date ''2000-01-01'' + (random() * 99)::int FROM generate_series(1, n))',
		'ARRAY(SELECT (random() * n)::int::text FROM generate_series(1, n))', nrows);
	EXECUTE format('UPDATE %I SET a = CASE trunc(random() * 6) WHEN 0 THEN NULL WHEN 1 THEN ''{{1,2},{0,3}}'' WHEN 2 THEN ''[3:5]={3,NULL,2}''
		WHEN 3 THEN ''{}'' WHEN 4 THEN ''{NaN,Infinity,1,-Infinity,NaN}'' ELSE a || 1::float4 END, b = CASE WHEN random() < 0.5 THEN ARRAY[1, NULL, 0] ELSE b END
		WHERE random() < %s', name, odd);
	EXECUTE format('ANALYZE %I', name);
END $$;

CREATE FUNCTION order_options(t text) RETURNS text LANGUAGE sql AS $$
	SELECT pick('', '', '', '', ', true', ', true', ', false', ', true, false', ', false, true', ', NULL', format(', %s.id %% 2 = 0', t))
$$;

CREATE FUNCTION column_of(type text, t text) RETURNS text LANGUAGE sql AS $$
	SELECT t || '.' || CASE type WHEN 'float4' THEN pick('a', 'w') WHEN 'int4' THEN pick('b', 'c') WHEN 'int8' THEN 'd' WHEN 'date' THEN 'e' ELSE 't' END
$$;

-- A random expression that is an array of the type, over the columns of t.
CREATE FUNCTION array_expression(type text, t text, depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	x text;
	y text := column_of(type, t);
	keys text := CASE WHEN random() < 0.05 THEN column_of('int8', t) WHEN type IN ('int8', 'date', 'text') THEN column_of(type, t)
					  WHEN right(y, 1) = 'a' THEN t || '.w' WHEN right(y, 1) = 'w' THEN t || '.a' WHEN right(y, 1) = 'b' THEN t || '.c' ELSE t || '.b' END;
BEGIN
	IF depth <= 0 THEN
		RETURN y;
	END IF;
	x := array_expression(type, t, depth - (1 + random() * 2)::int);
	CASE trunc(random() * 18)
		WHEN 0, 1, 2, 3, 4 THEN RETURN format('gpusort.array_sort(%s%s)', x, order_options(t));
		WHEN 5 THEN RETURN format('gpusort.array_sort_distinct(%s%s)', x, order_options(t));
		WHEN 6 THEN RETURN format('gpusort.array_top_n(%s, %s%s)', x, pick('1', '3', '10', '1000', '0', '-1', '5000000000', '2::smallint', t || '.g'),
								   pick('', ', false', ', true, true', ', false, true', ', NULL', ', with_ties => true'));
		WHEN 7, 8 THEN RETURN format('gpusort.array_sort_by(%s, %s%s)', y, keys, order_options(t));
		WHEN 9 THEN
			IF random() < 0.3 THEN RETURN format('gpusort.array_bottom_n(%s, %s%s)', x, pick('2', '50'), pick('', ', true')); END IF;
			RETURN format('gpusort.array_top_n_by(%s, %s, %s%s)', y, keys, pick('2', '50'), pick(order_options(t), order_options(t), ', with_ties => true'));
		WHEN 10, 11 THEN RETURN format('(gpusort.array_sort_pair(%s, %s%s)).%s', y, CASE WHEN random() < 0.5 THEN y ELSE keys END, order_options(t),
								   CASE WHEN keys LIKE '%.d' THEN 'sorted_vals' ELSE pick('sorted_vals', 'sorted_vals', 'sorted_keys') END);
		WHEN 12 THEN
			IF type = 'text' THEN RETURN x; END IF;
			RETURN format('gpusort.array_sort_approx(%s, %s%s)', x, pick('1', '7', '100', '8::bigint'), order_options(t));
		WHEN 13 THEN RETURN format('CASE WHEN %s THEN %s ELSE %s END', scalar_expression(t, depth - 2, 'bool'), x, array_expression(type, t, depth - 1));
		WHEN 14 THEN RETURN format('coalesce(%s, %s)', x, array_expression(type, t, depth - 1));
		WHEN 15 THEN RETURN format('(%s || %s)', x, y);
		WHEN 16 THEN RETURN format('(%s)[%s:%s]', x, pick('1', '2', '-1'), pick('3', '9', '0', '1000'));
		ELSE RETURN format('NULLIF(%s, %s)', x, y);
	END CASE;
END $$;

-- A random expression of a statistic of an array.
CREATE FUNCTION statistic_expression(t text, depth int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE x text := array_expression(pick('float4', 'int4', 'int8'), t, depth);
BEGIN
	CASE trunc(random() * 5)
		WHEN 0, 1 THEN RETURN format('gpusort.array_median(%s)', x);
		WHEN 2 THEN RETURN format('gpusort.array_mode(%s)', x);
		WHEN 3 THEN RETURN format('gpusort.array_percentile_%s(%s, %s)', pick('cont', 'disc'), x, pick('0.5', '0', '1', '0.9', '0.25', 'NULL::float8', '1.5', t || '.g / 10.0'));
		ELSE RETURN format('(gpusort.array_percentile_%s(%s, %s))[1]', pick('cont', 'disc'), x, pick('''{0.5,0,1}''::float8[]', '''{NULL,0.1}''::float8[]', '''{}''::float8[]', '''{0.5,7}''::float8[]'));
	END CASE;
END $$;

-- A random expression of a number, a boolean or a text, made from arrays.
CREATE FUNCTION scalar_expression(t text, depth int, kind text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	type text := pick('float4', 'float4', 'int4', 'int8', 'date', 'text');
	x text := array_expression(type, t, depth);
BEGIN
	CASE kind
		WHEN 'bool' THEN RETURN pick(t || '.id % 3 = 0', format('cardinality(%s) > 5', x), format('%s IS NULL', x), format('(%s)[1] < (%1$s)[2]', x),
									 format('%s = %s', x, array_expression(type, t, depth - 1)));
		WHEN 'number' THEN RETURN pick(t || '.g', format('cardinality(%s)', x), format('(gpusort.array_argsort(%s%s))[1]', x, order_options(t)),
									   format('(%s)[2]::float8', array_expression(pick('float4', 'int4', 'int8'), t, depth)), statistic_expression(t, depth), statistic_expression(t, depth),
									   format('array_lower(%s, 1)', x), format('cardinality(%s) + %s.id / cardinality(%1$s)', x, t));
		ELSE RETURN pick(x, x, x, format('(%s)::text', x), format('(%s)[1]', x), format('gpusort.array_argsort(%s%s)', x, order_options(t)),
						 format('gpusort.array_sort_pair(%s, %1$s)', x), scalar_expression(t, depth, 'number'), t || '.id');
	END CASE;
END $$;

CREATE FUNCTION target_list(t text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s AS x%s', scalar_expression(t, (random() * 4)::int, ''), i), ', ') FROM generate_series(1, 1 + (random() * 3)::int) i
$$;

CREATE FUNCTION random_query() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	tab text := pick('plain', 'plain', 'odd');
	tail text := CASE WHEN random() < 0.3 THEN ' WHERE ' || scalar_expression('s', 2, 'bool') ELSE '' END;
	list text := target_list('s');
	number text := scalar_expression('s', 3, 'number');
BEGIN
	CASE trunc(random() * 17)
		WHEN 0, 1 THEN RETURN format('SELECT s.id, %s FROM %s s%s', list, tab, tail);
		WHEN 2 THEN RETURN format('SELECT s.id, %s FROM %s s%s ORDER BY s.id LIMIT %s OFFSET %s', list, tab, tail, pick('0', '1', '7', '100', 'NULL'), pick('0', '3'));
		WHEN 3 THEN RETURN format('SELECT s.id, o.id AS oid, %s, %s AS y FROM %s s %s JOIN plain o ON %s%s', list, scalar_expression('o', 2, ''), tab,
								  pick('', 'LEFT', 'FULL'), pick('s.id = o.id', 's.id = o.id + 1', 's.g = o.g AND s.id < o.id'), tail);
		WHEN 4 THEN RETURN format('SELECT s.g, sum(%s), count(*), max(cardinality(%s)) FROM %s s%s GROUP BY s.g', number, array_expression('float4', 's', 2), tab, tail);
		WHEN 5 THEN RETURN format('SELECT sum(%s), count(DISTINCT %s), array_agg(%s ORDER BY s.id) FROM %s s%s', number, number, number, tab, tail);
		WHEN 6 THEN RETURN format('SELECT s.g, gpusort.array_sort(array_agg(%s)%s), %s AS z FROM %s s%s GROUP BY s.g, s.a', pick('s.id', 's.g'), pick('', ', true'),
								  replace(array_expression('float4', 's', 1), 's.w', 's.a'), tab, tail);
		WHEN 7 THEN RETURN format('SELECT q.id, q.x1, %s AS y FROM (SELECT s.*, %s FROM %s s%s OFFSET 0) q WHERE %s', scalar_expression('q', 2, ''), list, tab, tail,
								  scalar_expression('q', 1, 'bool'));
		WHEN 8 THEN RETURN format('SELECT s.id, %s AS x FROM %s s%s UNION ALL SELECT -s.id, %s FROM odd s', array_expression('int4', 's', 3), tab, tail, array_expression('int4', 's', 3));
		WHEN 9 THEN RETURN format('SELECT o.id, l.* FROM plain o, LATERAL (SELECT s.id AS sid, %s FROM %s s WHERE s.g = o.g AND o.id < 20 OFFSET %s) l', list, tab, pick('0', '1', 'o.id % 2'));
		WHEN 10 THEN RETURN format('SELECT s.id, row_number() OVER (PARTITION BY s.g ORDER BY s.id), gpusort.array_sort(array_agg(s.id) OVER (PARTITION BY s.g)), %s FROM %s s%s', list, tab, tail);
		WHEN 11 THEN RETURN format('WITH q AS MATERIALIZED (SELECT s.id, %s FROM %s s%s) SELECT q.x1, p.x1 AS x2 FROM q JOIN q p ON p.id = q.id', list, tab, tail);
		WHEN 12 THEN RETURN format('SELECT o.id, (SELECT %s FROM %s s WHERE s.id = o.id), ARRAY(SELECT %s FROM %s s WHERE s.id BETWEEN o.id AND o.id + 2 ORDER BY s.id) FROM plain o WHERE o.id < 30 AND %s (SELECT %s FROM odd s WHERE s.id = o.id + 20)',
								   array_expression('int8', 's', 3), tab, number, tab, pick('EXISTS', 'NOT EXISTS'), number);
		WHEN 13 THEN RETURN format('SELECT s.id, unnest(%s) AS u, %s FROM %s s%s', array_expression('int4', 's', 3), list, tab, tail);
		WHEN 14 THEN RETURN format('SELECT DISTINCT %s AS x FROM %s s%s', array_expression('int4', 's', 3), tab, tail);
		WHEN 15 THEN RETURN format('SELECT s.id, %s AS x FROM %s s%s INTERSECT SELECT s.id, %s FROM plain s', array_expression('float4', 's', 2), tab, tail, array_expression('float4', 's', 2));
		ELSE RETURN format('SELECT s.*, s AS whole, %s FROM (SELECT * FROM %s OFFSET 0) s LEFT JOIN odd o ON o.g = s.id%s', list, tab, tail);
	END CASE;
END $$;

-- The rows that a query gives, in any order, or the error that it ends with: with
-- workers there may be several, and any of them is the first.
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT count(*) || '' rows '' || coalesce(md5(string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C")), '''') FROM (%s) q', query) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN CASE WHEN current_setting('max_parallel_workers_per_gather') = '0' THEN SQLSTATE || ' ' || SQLERRM ELSE 'an error' END;
END $$;

-- The rows that a cursor fetches one by one, some of them twice, and its error.
CREATE FUNCTION fetched(query text, scroll bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'c';
	r record;
	result text := '';
BEGIN
	EXECUTE format('DECLARE c %s CURSOR FOR %s', CASE WHEN scroll THEN 'SCROLL' ELSE 'NO SCROLL' END, query);
	FOR i IN 1 .. 60 LOOP
		IF scroll AND i % 7 < 2 THEN FETCH PRIOR FROM c INTO r; ELSIF i % 11 = 0 THEN MOVE FORWARD 3 FROM c; ELSE FETCH c INTO r; END IF;
		result := md5(result || coalesce(r::text, ''));
	END LOOP;
	CLOSE c;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN result || SQLSTATE || ' ' || SQLERRM;
END $$;

CREATE FUNCTION has_node(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%GpusortArrays%' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END $$;

-- Settings that change plans, work_mem and how many rows a node reads ahead.
CREATE FUNCTION random_settings() RETURNS void LANGUAGE plpgsql AS $$
DECLARE setting text;
BEGIN
	FOREACH setting IN ARRAY ARRAY['enable_hashjoin', 'enable_mergejoin', 'enable_nestloop', 'enable_material', 'enable_memoize', 'enable_hashagg',
								   'enable_sort', 'enable_indexscan', 'parallel_leader_participation'] LOOP
		PERFORM set_config(setting, pick('on', 'on', 'off'), false);
	END LOOP;
	PERFORM set_config('work_mem', pick('64kB', '4MB'), false);
	PERFORM set_config('plan_cache_mode', pick('auto', 'force_generic_plan'), false);
	PERFORM set_config('max_parallel_workers_per_gather', pick('0', '0', '0', '2'), false);
END $$;

-- Runs random queries and returns those whose outcome depends on the node.
CREATE FUNCTION differences(queries int) RETURNS TABLE (with_node text, without_node text, settings text, query text) LANGUAGE plpgsql AS $$
DECLARE
	batched int := 0;
	failed int := 0;
	scroll bool;
	by_cursor bool;
BEGIN
	FOR i IN 1 .. queries LOOP
		PERFORM random_settings(), set_config('jit', (i % 4 = 0)::text, false);	-- a server may compile all queries
		query := random_query();
		scroll := random() < 0.5;
		by_cursor := current_setting('max_parallel_workers_per_gather') = '0' AND random() < 0.3;
		PERFORM set_config('gpusort.enable_array_sort', 'on', false);
		batched := batched + has_node(query)::int;
		with_node := outcome(query) || CASE WHEN by_cursor THEN fetched(query, scroll) ELSE '' END;
		PERFORM set_config('gpusort.enable_array_sort', 'off', false);
		without_node := outcome(query) || CASE WHEN by_cursor THEN fetched(query, scroll) ELSE '' END;
		failed := failed + (without_node NOT LIKE '%rows%')::int;
		IF with_node IS DISTINCT FROM without_node THEN
			SELECT string_agg(name || '=' || setting, ' ') FROM pg_settings WHERE source = 'session' AND setting <> boot_val INTO settings;
			RETURN NEXT;
		END IF;
	END LOOP;
	RAISE WARNING 'with a node: %, with an error: %',
		CASE WHEN batched > queries / 2 THEN 'most' ELSE batched || ' of ' || queries END,
		CASE WHEN failed BETWEEN 1 AND queries / 2 THEN 'some' ELSE failed || ' of ' || queries END;
END $$;

SELECT coalesce(current_setting('arrays_test.seed', true), '0.20261121') AS seed,
	coalesce(current_setting('arrays_test.queries', true), '100') AS queries \gset
\echo seed: :seed
SELECT setseed(:seed);
SELECT make_table('plain', 60, 0), make_table('odd', 50, 0.15);
SELECT * FROM differences(:queries);

DROP TABLE plain, odd;
DROP FUNCTION pick, make_table, order_options, column_of, array_expression, scalar_expression, target_list, random_query, outcome, fetched,
	has_node, random_settings, differences;
