-- What ci/citus runs, one query a line. r has 6,000 rows, distributed by id; c rows of the same
-- id beside them; sets stored sets, distributed by g; labels is on every server. In the order of the
-- output if the query ends with ORDER BY, else in any.

-- whole: aggregates grouped by the distribution column
SELECT id, sorted_agg(x) FROM r GROUP BY id
SELECT id, sorted_agg(t, true) FROM r GROUP BY id
SELECT id, top_n_agg(y, 2) FROM c GROUP BY id
SELECT id, sorted_agg_by(y::text, y) FROM c GROUP BY id
SELECT id, median(y), count_distinct(w) FROM c GROUP BY id
SELECT c.id, sorted_agg(c.y + r.k) FROM c JOIN r USING (id) GROUP BY c.id
SELECT id, percentile_disc_agg(y, 0.5::float8), mode_agg(w) FROM c GROUP BY id HAVING count_distinct(w) > 1
SELECT id, sorted_set_agg(y) FROM c GROUP BY id
SELECT id, gpusort.sorted_agg(y), gpusort.top_n_agg(w, 1) FROM c GROUP BY id
SELECT sorted_agg(h) FROM r WHERE id = 77

-- parts: aggregates over all servers
SELECT sorted_agg(x) FROM r
SELECT sorted_agg(x, true) FROM r
SELECT sorted_agg(x, false, true) FROM r
SELECT sorted_agg(s) FROM r
SELECT sorted_agg(h) FROM r
SELECT sorted_agg(id, true) FROM r
SELECT sorted_agg(f) FROM r
SELECT sorted_agg(n) FROM r
SELECT sorted_agg(n, true, true) FROM r
SELECT sorted_agg(t) FROM r
SELECT sorted_agg(t, true) FROM r
SELECT sorted_agg(tc) FROM r
SELECT sorted_agg(tc, true, false) FROM r
SELECT sorted_agg(d) FROM r
SELECT sorted_agg(ts) FROM r
SELECT sorted_agg(tz, true) FROM r
SELECT sorted_agg(u) FROM r
SELECT g, sorted_agg(x) FROM r GROUP BY g
SELECT g, sorted_agg(h, true) FROM r GROUP BY g ORDER BY g
SELECT g, sorted_agg(t) FROM r WHERE h > 20 GROUP BY g ORDER BY g DESC LIMIT 4
SELECT sorted_agg(x) FILTER (WHERE h < 50), sorted_agg(h) FROM r
SELECT sorted_agg(h + 1), sorted_agg(x * 2) FROM r WHERE h BETWEEN 10 AND 40
SELECT sorted_agg(h) FROM r WHERE false
SELECT g, sorted_agg(x) FILTER (WHERE false) FROM r GROUP BY g
SELECT sorted_agg(t COLLATE "en-x-icu") FROM r
SELECT top_n_agg(t COLLATE "en-x-icu", 40, false), percentile_disc_agg(t COLLATE "en-x-icu", 0.3::float8) FROM r
SELECT g, sorted_agg_by(id, (t || id) COLLATE "en-x-icu"), count_distinct(t COLLATE "en-x-icu") FROM r GROUP BY g
SELECT top_n_agg(x, 10) FROM r
SELECT top_n_agg(x, 10, false) FROM r
SELECT top_n_agg(x, 10, true, true) FROM r
SELECT top_n_agg(n, 5), top_n_agg(u, 3) FROM r
SELECT top_n_agg(t, 5) FROM r
SELECT top_n_agg(tc, 5, false) FROM r
SELECT top_n_agg(t COLLATE "C", 5, false) FROM r
SELECT g, top_n_agg(k, 3) FROM r GROUP BY g
SELECT g, top_n_agg(tz, 3), top_n_agg(d, 2, false) FROM r GROUP BY g ORDER BY g
SELECT top_n_agg(h, 100000) FROM r
SELECT sorted_agg_by(id, k) FROM r
SELECT sorted_agg_by(id, k, true) FROM r
SELECT sorted_agg_by(x, id) FROM r
SELECT sorted_agg_by(t, k) FROM r
SELECT sorted_agg_by(h, u::text) FROM r
SELECT sorted_agg_by(n, tz) FROM r
SELECT sorted_agg_by(u, ts, true) FROM r
SELECT sorted_agg_by(id, id / 3.0) FROM r WHERE n IS NOT NULL
SELECT g, sorted_agg_by(h, k) FROM r GROUP BY g
SELECT top_n_agg_by(id, k, 10) FROM r
SELECT top_n_agg_by(id, k, 10, false) FROM r
SELECT top_n_agg_by(t, id, 7) FROM r
SELECT top_n_agg_by(x, u::text, 7, false) FROM r
SELECT g, top_n_agg_by(tz, k, 2) FROM r GROUP BY g
SELECT median(x), median(h) FROM r
SELECT g, median(k) FROM r GROUP BY g
SELECT percentile_cont_agg(k, 0.3::float8) FROM r
SELECT percentile_cont_agg(x, ARRAY[0, 0.25, 0.5, 1]::float8[]) FROM r
SELECT g, percentile_cont_agg(h, 0.9::float8) FROM r GROUP BY g
SELECT percentile_disc_agg(h, 0.3::float8), percentile_disc_agg(x, 0.9::float8) FROM r
SELECT percentile_disc_agg(t, 0.5::float8) FROM r
SELECT percentile_disc_agg(tc, ARRAY[0.1, 0.9]::float8[]) FROM r
SELECT percentile_disc_agg(n, ARRAY[0.1, NULL, 0.5]::float8[]), percentile_disc_agg(tz, 0.5::float8) FROM r
SELECT g, percentile_disc_agg(u, 0.5::float8), percentile_disc_agg(d, 0.1::float8) FROM r GROUP BY g
SELECT count_distinct(h), count_distinct(x), count_distinct(t), count_distinct(u) FROM r
SELECT g, count_distinct(n), count_distinct(s) FROM r GROUP BY g ORDER BY g
SELECT mode_agg(h), mode_agg(t), mode_agg(d) FROM r
SELECT g, mode_agg(h) FROM r GROUP BY g
SELECT histogram_agg(k, 10), histogram_agg(h, 5) FROM r
SELECT g, histogram_agg(id, 4) FROM r GROUP BY g
SELECT histogram_agg(tz, 7), histogram_agg(d, 3) FROM r
SELECT gpusort.array_sort(approx_sorted_agg(k, 100)) FROM r
SELECT labels.label, sorted_agg(r.h) FROM r JOIN labels USING (g) GROUP BY labels.label
SELECT sorted_agg(c.y) FROM c JOIN r USING (id) WHERE r.h < 30
SELECT g, count(*), sum(h), max(t), sorted_agg(h), avg(h) FROM r GROUP BY g
SELECT cardinality(sorted_agg(x)), (top_n_agg(k, 3))[1] FROM r
SELECT g FROM r GROUP BY g HAVING median(k) > 0.49 ORDER BY g
SELECT sum(m) FROM (SELECT g, count_distinct(h) AS m FROM r GROUP BY g) p
SELECT array_length(sorted_agg(m), 1), sorted_agg(m) FROM (SELECT g, median(k) AS m FROM r GROUP BY g) p
WITH p AS MATERIALIZED (SELECT g, top_n_agg(k, 2) AS best FROM r GROUP BY g) SELECT r.g, count(*) FROM r JOIN p USING (g) WHERE r.k = ANY (p.best) GROUP BY r.g

-- gathered: what Citus does not run in parts
SELECT sorted_agg(DISTINCT h) FROM r
SELECT sorted_agg(DISTINCT tc, true) FROM r
SELECT g, sorted_agg(DISTINCT t COLLATE "en-x-icu") FROM r GROUP BY g
SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY k), percentile_disc(0.5) WITHIN GROUP (ORDER BY t COLLATE "en-x-icu") FROM r
SELECT g, gpusort.percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM r GROUP BY g
SELECT gpusort.mode() WITHIN GROUP (ORDER BY h DESC) FROM r

-- sets: sorted sets, stored and merged
SELECT sorted_set_count(sorted_set_agg(x)) FROM r
SELECT sorted_set_agg(h) FROM r
SELECT sorted_set_agg(t, true) FROM r
SELECT sorted_set_agg(n, false, true) FROM r
SELECT g, sorted_set_agg(tz) FROM r GROUP BY g
SELECT count(*), sum(sorted_set_count(s)) FROM sets
SELECT merge_agg(s) FROM sets
SELECT g, merge_agg(s) FROM sets GROUP BY g
SELECT day, merge_agg(s) FROM sets GROUP BY day
SELECT day, sorted_set_median(merge_agg(s)) FROM sets GROUP BY day ORDER BY day
SELECT sorted_set_percentile_cont(merge_agg(s), ARRAY[0.01, 0.5, 0.99]) FROM sets WHERE day < 3
SELECT g, sorted_set_percentile_disc(s, 0.5, 0::float8) FROM sets WHERE day = 2
SELECT g, day, sorted_array(s, 0::float8) FROM sets
SELECT a.g, merge(a.s, b.s) FROM sets a JOIN sets b USING (g) WHERE a.day = 0 AND b.day = 1
SELECT labels.label, sorted_set_count_distinct(merge_agg(sets.s)) FROM sets JOIN labels USING (g) GROUP BY labels.label
SELECT g, s::text FROM sets ORDER BY g, day

-- order: ORDER BY, LIMIT, DISTINCT
SELECT id, x FROM r ORDER BY x, id
SELECT id, x FROM r ORDER BY x DESC NULLS LAST, id
SELECT id, t FROM r ORDER BY t, id DESC
SELECT id, tc FROM r ORDER BY tc DESC, id
SELECT id, t FROM r ORDER BY t COLLATE "en-x-icu", id
SELECT id, t FROM r ORDER BY t COLLATE "en-x-icu" DESC, id LIMIT 60
SELECT id, n, u FROM r ORDER BY n NULLS FIRST, u
SELECT id, tz FROM r WHERE h > 100 ORDER BY tz DESC, id
SELECT k FROM r ORDER BY k LIMIT 20
SELECT id, h FROM r ORDER BY h DESC, id LIMIT 50
SELECT id, t FROM r ORDER BY t, id LIMIT 50 OFFSET 100
SELECT id, x FROM r ORDER BY x NULLS FIRST, id FETCH FIRST 30 ROWS ONLY
SELECT h, id FROM (SELECT h, id FROM r ORDER BY h FETCH FIRST 5 ROWS WITH TIES) p
SELECT DISTINCT h FROM r ORDER BY h
SELECT DISTINCT g, s FROM r ORDER BY g, s
SELECT DISTINCT ON (id) id, y FROM c ORDER BY id, y DESC
SELECT DISTINCT ON (g) g, k FROM r ORDER BY g, k
SELECT c.id, c.y, r.x FROM c JOIN r USING (id) ORDER BY c.y, c.id LIMIT 100
SELECT id, k FROM (SELECT id, k FROM r ORDER BY k LIMIT 100) p ORDER BY id
SELECT id FROM r WHERE g = 3 UNION SELECT id FROM r WHERE g = 4 ORDER BY id
SELECT h, count(*) FROM r GROUP BY h ORDER BY h
SELECT h, array_agg(id ORDER BY k DESC) FROM r GROUP BY h

-- windows
SELECT id, y, row_number() OVER (PARTITION BY id ORDER BY y) FROM c
SELECT id, y, rank() OVER (PARTITION BY id ORDER BY w), sum(w) OVER (PARTITION BY id ORDER BY y) FROM c
SELECT id, y FROM (SELECT id, y, row_number() OVER (PARTITION BY id ORDER BY y DESC) AS place FROM c) p WHERE place = 1
SELECT id, g, row_number() OVER (PARTITION BY g ORDER BY k) FROM r
SELECT id, lag(k) OVER (ORDER BY k), ntile(7) OVER (ORDER BY k) FROM r
SELECT g, id FROM (SELECT g, id, row_number() OVER (PARTITION BY g ORDER BY k) AS place FROM r) p WHERE place <= 3
SELECT id, bucket(k, 16) OVER () FROM r

-- arrays: functions in target lists, WHERE, ORDER BY
SELECT id, gpusort.array_sort(a) FROM r
SELECT id, gpusort.array_sort(a, true), gpusort.array_sort(b) FROM r
SELECT id, gpusort.array_sort_distinct(b), gpusort.array_argsort(a) FROM r
SELECT id, gpusort.array_top_n(a, 3), gpusort.array_bottom_n(b, 2) FROM r
SELECT id, gpusort.array_sort_by(b, a), gpusort.array_top_n_by(b, a, 2) FROM r
SELECT id, gpusort.array_sort(words), gpusort.array_sort(words, true) FROM r
SELECT id, gpusort.array_median(a), gpusort.array_percentile_cont(a, 0.9), gpusort.array_mode(b) FROM r
SELECT id, gpusort.array_rank(a), gpusort.array_disorder(b) FROM r
SELECT id FROM r WHERE gpusort.array_is_sorted(b)
SELECT id FROM r WHERE (gpusort.array_top_n(a, 1))[1] > 90 ORDER BY id
SELECT id FROM r ORDER BY gpusort.array_sort(a), id
SELECT id, gpusort.array_sort(a) FROM r ORDER BY gpusort.array_median(a), id LIMIT 25
SELECT g, sum(gpusort.array_median(a)::numeric(9, 3)) FROM r GROUP BY g
SELECT r.id, gpusort.array_merge(gpusort.array_sort(r.b), gpusort.array_sort(o.b)) FROM r JOIN r o USING (id) WHERE r.h < 20
SELECT r.id, e.value FROM r, LATERAL unnest_sorted(r.a) e WHERE r.h < 10
SELECT g, gpusort.array_sort(array_agg(h)) FROM r GROUP BY g
SELECT gpusort.array_sort(array_agg(x)) FROM r WHERE h < 60
