-- array_argsort, array_take, array_sort_by, array_sort_pair, array_top_n,
-- array_top_n_by, array_sort_distinct, array_is_sorted: results by example.
SET search_path = gpusort, pg_catalog;
-- With "gpu" the types that no GPU sorts would be errors.
SET gpusort.engine = 'auto';

-- Positions count from 1, whatever the lower bound; equal elements keep their order.
SELECT array_argsort('{30,10,20}'::int4[]), array_argsort('[7:9]={30,10,20}'::int4[]), array_argsort('{}'::int4[]),
       array_argsort('{9}'::float8[]), array_argsort('{b,a,b,a}'::text[]), array_argsort('{b,a,b,a}'::text[], true);
SELECT array_argsort('{2,NULL,1,NULL,2}'::int8[]) AS up, array_argsort('{2,NULL,1,NULL,2}'::int8[], true) AS down,
       array_argsort('{2,NULL,1,NULL,2}'::int8[], false, true) AS nulls_first, array_argsort('{2,NULL,1,NULL,2}'::int8[], true, false) AS nulls_last;
SELECT array_argsort('{0,-0,NaN,-0,0,NaN}'::float8[]), array_argsort('{0,-0,NaN,-0,0,NaN}'::float4[], true);

-- Elements at positions; a NULL gives NULL.
SELECT array_take('{a,b,c}'::text[], '{3,1,1}'), array_take('[5:7]={1.5,2.5,NULL}'::float4[], '{3,NULL,1}'),
       array_take('{a}'::text[], '{}'), array_take('{}'::int4[], '{NULL}'), array_take('{1,2}'::json[], '[0:1]={2,1}');
SELECT array_take('{1,2,3}'::int2[], '{3,2}'), array_take('{t,f}'::bool[], '{2}'), array_take('{1,2,3}'::int8[], '{3,2}'),
       array_take(ARRAY[point(1,2), point(3,4)], '{2,1}');

-- Values in the order of keys of any other type.
SELECT array_sort_by('{a,b,c}'::text[], '{3,1,2}'::int4[]), array_sort_by('{1,2,3}'::int4[], '{c,a,b}'::text[], true),
       array_sort_by('{1,2,3,4}'::float8[], '{1,1,0,0}'::float4[]), array_sort_by('{1,2,3,4}'::float8[], '{1,1,0,0}'::float4[], true);
SELECT array_sort_by('{a,b,NULL,d}'::text[], '{3,NULL,1,2}'::int8[]), array_sort_by('{1,2,NULL,4}'::int4[], '{3,NULL,1,2}'::int8[], true),
       array_sort_by('{1,2,3,4}'::int4[], '{3,NULL,1,2}'::int8[], false, true), array_sort_by('{1,2,3,4}'::int4[], '{3,NULL,1,2}'::int8[], true, false);
SELECT array_sort_by('[5:7]={a,b,c}'::text[], '[2:4]={3,1,2}'::int4[]), array_sort_by('{}'::text[], '{}'::int4[]), array_sort_by('{x}'::text[], '{1}'::int4[]);
SELECT array_sort_by('{1,2}'::json[], '{2,1}'::numeric[]);
SELECT * FROM array_sort_pair('{a,b,c}'::text[], '{3,1,2}'::float8[]);
SELECT (array_sort_pair('[4:6]={1,NULL,3}'::int4[], '{3,NULL,2}'::float4[], true)).*;
SELECT sorted_keys, sorted_vals, pg_typeof(sorted_keys), pg_typeof(sorted_vals) FROM array_sort_pair('{a,b}'::text[], '{2,NULL}'::int2[], false, true);
-- The answer's own type each time in one query.
SELECT array_sort_by(v, k) FROM (VALUES ('{1,2}'::int8[], '{2,1}'::int4[]), ('{3,4}', '{NULL,1}'), ('{}', '{}'), (NULL, '{1}')) t(v, k);

-- The greatest n, or with false the least; NULLs only when nothing else is left.
SELECT array_top_n('{3,1,NULL,2}'::int4[], 2), array_top_n('{3,1,NULL,2}'::int4[], 4), array_top_n('{3,1,NULL,2}'::int4[], 9),
       array_top_n('{3,1,NULL,2}'::int4[], 2, false), array_top_n('{3,1,2}'::int4[], 0), array_top_n('{}'::int4[], 3), array_top_n('[5:7]={3,1,2}'::int4[], 2);
SELECT array_top_n('{c,a,NULL,b}'::text[], 2), array_top_n('{c,a,NULL,b}'::text[], 4), array_top_n('{c,a,NULL,b}'::text[], 2, false), array_top_n('{c,a}'::text[], 0);
SELECT array_top_n('{NaN,1,Infinity}'::float4[], 2), array_top_n('{NaN,1,Infinity}'::float4[], 2, false);
SELECT array_top_n_by('{a,b,c,d}'::text[], '{2,NULL,3,1}'::int4[], 2), array_top_n_by('{a,b,c,d}'::text[], '{2,NULL,3,1}'::int4[], 9),
       array_top_n_by('{a,b,c,d}'::text[], '{2,NULL,3,1}'::int4[], 2, false), array_top_n_by('{a,b,c,d}'::text[], '{2,NULL,3,1}'::int4[], 2, true, true),
       array_top_n_by('{a,b,c,d}'::text[], '{2,NULL,3,1}'::int4[], 0);
SELECT array_top_n_by('{1,2,3,4}'::int4[], '{5,5,5,5}'::int4[], 3) AS ties_keep_their_order;
-- With ties, as FETCH FIRST ... WITH TIES: all that are equal to the last. NULLs and NaN are, too, and the two zeros.
SELECT array_top_n('{3,1,NULL,3,2,2}'::int4[], 1, with_ties => true), array_top_n('{3,1,NULL,3,2,2}'::int4[], 3, with_ties => true), array_top_n('{3,1,3}'::int4[], 0, with_ties => true),
       array_top_n('{3,1,NULL,NULL}'::int4[], 3, with_ties => true), array_top_n('{3,1,NULL,NULL}'::int4[], 1, true, true, true), array_top_n('{3,3}'::int4[], 9, with_ties => true);
SELECT array_top_n('{NaN,NaN,1}'::float8[], 1, with_ties => true), array_top_n('{0,-0,1}'::float8[], 1, false, with_ties => true), array_top_n('{}'::int4[], 1, with_ties => true),
       array_top_n('[4:6]={b,a,b}'::text[], 1, with_ties => true), array_top_n('{NULL,NULL}'::text[], 1, with_ties => true), array_top_n('{1.0,1.00}'::numeric[], 1, with_ties => true);
SELECT array_bottom_n('{2,1,1}'::int4[], 1, with_ties => true), array_bottom_n_by('{a,b,c}'::text[], '{2,1,1}'::int4[], 1, with_ties => true),
       array_top_n_by('{a,b,c,d}'::text[], '{2,1,2,NULL}'::int4[], 1, with_ties => true), array_top_n_by('{a,b,c,d}'::text[], '{x,y,y,NULL}'::text[], 1, with_ties => true),
       array_top_n_by('{1,2,3}'::int4[], '{NULL,NULL,1}'::int4[], 1, nulls_first => true, with_ties => true), array_top_n('{2,2}'::int4[], 1, with_ties => NULL);
SELECT array_top_n('{{1,2}}'::int4[], 1, with_ties => true);
-- The three most intense peaks in the order of m/z.
SELECT array_sort(array_top_n_by('{100,150,200,250,300}'::float8[], '{7,90,8,60,70}'::float4[], 3));

-- Each value once; one NULL; zeros and NaNs are one each.
SELECT array_sort_distinct('{3,1,3,NULL,1,NULL}'::int4[]), array_sort_distinct('{3,1,3,NULL,1,NULL}'::int4[], true),
       array_sort_distinct('{3,1,3,NULL,1,NULL}'::int4[], false, true), array_sort_distinct('{3,1,3,NULL,1,NULL}'::int4[], true, false);
SELECT array_sort_distinct('{b,a,b,NULL,NULL}'::text[]), array_sort_distinct('{1.0,1,1.00,2}'::numeric[]), array_sort_distinct('{NULL,NULL}'::int4[]),
       array_sort_distinct('{}'::int4[]), array_sort_distinct('[3:5]={2,2,1}'::int4[]), array_sort_distinct('{7}'::int4[]);
SELECT array_sort_distinct('{0,-0,0,NaN,NaN,-0}'::float8[]) = '{0,NaN}'::float8[] AS zeros, cardinality(array_sort_distinct('{0,-0,0,NaN,NaN,-0}'::float4[])) AS two;

SELECT array_is_sorted('{1,2,2,3}'::int4[]), array_is_sorted('{1,3,2}'::int4[]), array_is_sorted('{3,2,2}'::int4[], true), array_is_sorted('{}'::int4[]),
       array_is_sorted('{5}'::int4[]), array_is_sorted('{0,-0,0}'::float4[]), array_is_sorted('{1,NaN}'::float8[]), array_is_sorted('{NaN,1}'::float8[]);
SELECT array_is_sorted('{1,2,NULL}'::int4[]), array_is_sorted('{NULL,1,2}'::int4[]), array_is_sorted('{NULL,2,1}'::int4[], true),
       array_is_sorted('{NULL,1}'::int4[], false, true), array_is_sorted('{NULL,NULL}'::text[]), array_is_sorted('{a,b,NULL}'::text[]), array_is_sorted('{b,a}'::text[]);
SELECT array_is_sorted('{{1,2},{1,3}}'::int4[]), array_is_sorted('{{1,3},{1,2}}'::int4[]), array_is_sorted('{{1,3},{1,2}}'::int4[], true);

-- A NULL argument means NULL.
SELECT num_nulls(array_argsort(NULL::int4[]), array_take(NULL::int4[], '{1}'), array_take('{1}'::int4[], NULL), array_sort_by(NULL::int4[], '{1}'::int4[]),
                 array_sort_by('{1}'::int4[], NULL::int4[]), array_top_n('{1}'::int4[], NULL), array_top_n_by('{1}'::int4[], '{1}'::int4[], NULL),
                 array_sort_distinct(NULL::int4[]), array_is_sorted(NULL::int4[])) AS nulls;
