-- Bad input: every function's errors with their codes.
SET search_path = gpusort, pg_catalog;
-- With "gpu" the types that no GPU sorts would be errors.
SET gpusort.engine = 'auto';
\getenv folder PG_ABS_SRCDIR
\set helpers :folder '/sql/helpers.psql'
\i :helpers
\pset format unaligned
\pset tuples_only on

-- Shapes.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[
	$$array_argsort('{{1,2},{3,4}}'::int4[])$$, $$array_take('{{1,2},{3,4}}'::int4[], '{1}')$$, $$array_take('{1,2}'::int4[], '{{1,2}}')$$,
	$$array_sort_by('{{1,2}}'::int4[], '{1}'::int4[])$$, $$array_sort_by('{1}'::int4[], '{{{1}}}'::int4[])$$,
	$$array_sort_by('{1,2,3}'::int4[], '{1,2}'::int4[])$$, $$array_sort_by('{}'::int4[], '{1,2}'::text[])$$, $$array_sort_pair('{a}'::text[], '{1,2}'::int4[])$$,
	$$array_top_n('{{1,2}}'::int4[], 1)$$, $$array_top_n_by('{1,2}'::int4[], '{}'::int4[], 1)$$, $$array_top_n_by('{{1}}'::int4[], '{1}'::int4[], 1)$$,
	$$array_sort_distinct('{{1,2}}'::text[])$$, $$array_sort_approx('{{1,2}}'::int4[], 4)$$]) query;

-- Numbers.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[
	$$array_take('{1,2,3}'::int4[], '{1,4}')$$, $$array_take('{1,2,3}'::int4[], '{0}')$$, $$array_take('{1,2,3}'::int4[], '{-2147483648}')$$,
	$$array_take('{1,2,3}'::text[], '{2147483647}')$$, $$array_take('{}'::text[], '{1}')$$, $$array_take('[5:6]={1,2}'::int4[], '{5}')$$,
	$$array_top_n('{1,2}'::int4[], -1)$$, $$array_top_n('{1,2}'::text[], -2147483648)$$, $$array_top_n_by('{1,2}'::int4[], '{1,2}'::int4[], -5)$$,
	$$array_sort_approx('{1,2}'::int4[], 0)$$, $$array_sort_approx('{}'::int4[], -3)$$]) query;

-- Results that no value can hold.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[
	$$array_take(ARRAY[repeat('x', 10000000)], array_fill(1, ARRAY[200]))$$, $$array_take(ARRAY[NULL, repeat('x', 10000000)], array_fill(2, ARRAY[200]))$$]) query;

-- Types without an order.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query))
FROM unnest(ARRAY['point', 'json']) type,
     unnest(ARRAY['array_sort(%s)', 'array_argsort(%s)', 'array_sort_distinct(%s)', 'array_top_n(%s, 1)', 'array_is_sorted(%s)', 'array_sort_by(''{1,2}''::int4[], %s)',
                  'array_sort_pair(''{1,2}''::int4[], %s)', 'array_top_n_by(''{1,2}''::int4[], %s, 1)', 'array_sort_approx(%s, 2)']) form,
     format(form, CASE type WHEN 'point' THEN 'ARRAY[point(1,2), point(0,0)]' ELSE '''{1,2}''::json[]' END) query;
-- They can be values, though.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[
	$$array_sort_by(ARRAY[point(1,2), point(0,0)], '{2,1}'::int4[])$$, $$array_top_n_by('{1,2}'::json[], '{2,1}'::int4[], 1)$$, $$array_sort('{1}'::json[])$$]) query;

-- Every function on types that the engines do not sort.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query))
FROM unnest(ARRAY['text', 'numeric', 'uuid']) type,
     unnest(ARRAY['array_sort(%s)', 'array_argsort(%s)', 'array_take(%s, ''{2}'')', 'array_sort_distinct(%s)', 'array_top_n(%s, 1)', 'array_is_sorted(%s)',
                  'array_sort_by(''{1,2,3}''::int4[], %s)', 'array_sort_pair(%1$s, %1$s)', 'array_top_n_by(''{1,2,3}''::int4[], %s, 1)', 'array_sort_approx(%s, 2)']) form,
     format(form, CASE type WHEN 'text' THEN '''{b,a,b}''::text[]' WHEN 'numeric' THEN '''{2.5,-1,2.5}''::numeric[]'
                  ELSE '''{b0000000-0000-0000-0000-000000000000,a0000000-0000-0000-0000-000000000000,b0000000-0000-0000-0000-000000000000}''::uuid[]' END) query;

-- Collations that contradict each other, and engines and methods that cannot sort such types.
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[
	$$array_sort(ARRAY['b' COLLATE "C", 'a' COLLATE "POSIX"])$$,
	$$(SELECT array_sort(ARRAY[a, b]) FROM (SELECT 'x' COLLATE "C" AS a, 'y' COLLATE "POSIX" AS b OFFSET 0) t)$$]) query;
SET gpusort.method = 'counting';
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[$$array_sort('{b,a}'::text[])$$, $$array_sort('{{2},{1}}'::int4[])$$]) query;
RESET gpusort.method;
SET gpusort.engine = 'gpu';
SELECT query || E'\n    ' || pg_temp.error_of(format('SELECT (%s)::text', query)) FROM unnest(ARRAY[$$array_argsort('{b,a}'::text[])$$]) query;
SET gpusort.engine = 'auto';
