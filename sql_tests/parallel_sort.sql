-- Parallel workers sort together: plans, and the same rows in the same order as PostgreSQL's Sort in one process.
\set SHOW_CONTEXT never
SET compute_query_id = off;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET gpusort.force_nodes = on;

-- A server may lack ICU.
DO $$
BEGIN
	CREATE COLLATION parallel_linguistic (provider = icu, locale = 'en');
EXCEPTION WHEN OTHERS THEN
	CREATE COLLATION parallel_linguistic FROM "C";
END $$;
CREATE TABLE parallel_rows AS
SELECT i AS id, (i * 7919::bigint % 60013)::int AS x, i % 3 AS few,
       CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 104729::bigint % 5003) / 7.0::float8 END AS f,
       (i * 15485863::bigint % 100003)::numeric / 100 AS n,
       CASE WHEN i % 13 = 0 THEN NULL ELSE md5((i % 20000)::text) END AS t,
       CASE WHEN i % 5000 = 0 THEN repeat(md5(i::text), 200) ELSE 'w' || i % 100 END AS wide
FROM generate_series(1, 30000) i;
ALTER TABLE parallel_rows SET (parallel_workers = 2);
CREATE TABLE parallel_none AS SELECT * FROM parallel_rows LIMIT 0;
ALTER TABLE parallel_none SET (parallel_workers = 2);
VACUUM ANALYZE parallel_rows, parallel_none;

-- Plans.
EXPLAIN (COSTS OFF) SELECT x, id FROM parallel_rows ORDER BY x;
EXPLAIN (COSTS OFF) SELECT x, id FROM parallel_rows ORDER BY x DESC, id LIMIT 10;
EXPLAIN (COSTS OFF) SELECT a.x, b.id FROM parallel_rows a JOIN parallel_rows b ON a.id = b.x WHERE a.few = 1 ORDER BY b.n, a.x;
EXPLAIN (COSTS OFF, VERBOSE) SELECT upper(t) AS u, 1 AS one, id FROM parallel_rows ORDER BY upper(t) COLLATE "C";

-- What PostgreSQL returns in one process and what workers return: the keys in their order, and all rows.
CREATE FUNCTION rows_of(query text, keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT count(*) || '' '' || coalesce(md5(string_agg(concat_ws('','', %s), ''|'')), ''-'') || '' '' ||
        coalesce(sum(hashtext(q::text)), 0) FROM (%s OFFSET 0) q', keys, query) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION same_rows(query text, keys text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    shared text := rows_of(query, keys);
    alone text;
BEGIN
    PERFORM set_config('gpusort.enable_sort', 'off', true), set_config('max_parallel_workers_per_gather', '0', true);
    alone := rows_of(query, keys);
    PERFORM set_config('gpusort.enable_sort', 'on', true), set_config('max_parallel_workers_per_gather', '2', true);
    RETURN shared = alone;
END $$;
CREATE FUNCTION different_queries(memory text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    keys text;
    first_rows text;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    FOREACH keys IN ARRAY ARRAY['x', 'x DESC', 'f', 'f DESC NULLS LAST, few', 'f NULLS FIRST', 'n', 'n DESC', 'few', 'few, t COLLATE "C"',
        't COLLATE "C"', 't COLLATE "C" DESC', 't', 't COLLATE parallel_linguistic NULLS FIRST, f', 'wide COLLATE parallel_linguistic DESC', 'wide COLLATE "C", x', 'few, n DESC, t, id', 'x % 2, n'] LOOP
        FOREACH first_rows IN ARRAY ARRAY['', ' LIMIT 1000'] LOOP
            IF NOT same_rows(format('SELECT * FROM parallel_rows ORDER BY %s, id%s', keys, first_rows), 'id') THEN
                RETURN NEXT keys || first_rows;
            END IF;
        END LOOP;
    END LOOP;
END $$;
SELECT * FROM different_queries('64kB');
SELECT * FROM different_queries('2MB');
SELECT * FROM different_queries('64MB');

-- Ties have no order of their own.
SELECT same_rows('SELECT few, x, id, t FROM parallel_rows ORDER BY few', 'few');
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY t, few', 't, few');
SELECT same_rows('SELECT 1 AS one, wide FROM parallel_rows ORDER BY wide', 'wide');
-- No rows, and few.
SELECT same_rows('SELECT * FROM parallel_none ORDER BY x', 'x');
SELECT same_rows('SELECT * FROM parallel_rows WHERE id < 5 ORDER BY x', 'x');
-- Workers whose texts need different codes: plain ones before others.
SET work_mem = '512kB';
SELECT same_rows('SELECT * FROM (SELECT CASE WHEN id % 20000 < 15000 THEN t ELSE t || ''漢'' END AS u, id FROM parallel_rows) r ORDER BY u COLLATE parallel_linguistic, id', 'id');
SELECT bool_and(same_rows('SELECT * FROM (SELECT ''c'' || few % 4 AS c, CASE WHEN id < 20000 THEN t ELSE (ARRAY[''漢'', ''é'', ''Ж'', ''z''])[1 + id % 4] || t END AS u, id FROM parallel_rows) r
	ORDER BY c COLLATE "C", u COLLATE parallel_linguistic, id', 'id')) AS behind FROM generate_series(1, 6);
RESET work_mem;
-- Letters beyond ASCII, of what seem to be so many rows that each process learns their order.
UPDATE pg_class SET reltuples = 100 * reltuples WHERE oid = 'parallel_rows'::regclass;
SELECT same_rows('SELECT * FROM (SELECT translate(t, ''0123456789'', ''éüøłßñÀŸωЖ'') AS u, id FROM parallel_rows) r ORDER BY u COLLATE parallel_linguistic, id', 'id');
ANALYZE parallel_rows;
-- Joins, computed columns, subqueries, CTEs, windows, set operations.
SELECT same_rows('SELECT a.x, b.id FROM parallel_rows a JOIN parallel_rows b ON a.id = b.x ORDER BY b.n, a.x', 'x');
SELECT same_rows('SELECT id, x + id AS s, upper(t) AS u FROM parallel_rows ORDER BY u, s', 'id');
SELECT same_rows('SELECT x, (SELECT max(id) FROM parallel_none) AS m FROM parallel_rows WHERE x > (SELECT avg(x) FROM parallel_rows) ORDER BY x, id', 'x');
SELECT same_rows('WITH c AS MATERIALIZED (SELECT x, id FROM parallel_rows ORDER BY x) SELECT c.x, r.id FROM c JOIN parallel_rows r USING (id) ORDER BY r.n, c.x', 'x, id');
SELECT same_rows('SELECT id, rank() OVER (PARTITION BY few ORDER BY x) AS r FROM parallel_rows', '1');
SELECT same_rows('SELECT x FROM parallel_rows UNION SELECT id FROM parallel_rows ORDER BY 1', 'x');
SELECT same_rows('SELECT DISTINCT ON (few) few, x FROM parallel_rows ORDER BY few, x', 'few, x');

-- Again and again, with and without parameters.
SET enable_material = off;
SELECT l, count(*), sum(r.x) FROM generate_series(1, 3) l, LATERAL (SELECT x FROM parallel_rows WHERE few < l ORDER BY x LIMIT 500) r GROUP BY l ORDER BY l;
SELECT l, count(*), sum(r.x) FROM generate_series(1, 3) l LEFT JOIN LATERAL (SELECT x FROM parallel_rows ORDER BY x OFFSET 10) r ON r.x < l * 100 GROUP BY l ORDER BY l;
SET enable_nestloop = on; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*), sum(r.x) FROM (SELECT x AS y FROM parallel_rows WHERE id <= 3) o JOIN (SELECT x FROM parallel_rows ORDER BY x LIMIT 2000) r ON r.x <> o.y;
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;

-- Cursors have no workers, and may end early.
BEGIN;
DECLARE c CURSOR FOR SELECT x FROM parallel_rows ORDER BY x, id;
FETCH 3 FROM c;
MOVE 15000 IN c;
FETCH 1 FROM c;
CLOSE c;
COMMIT;
PREPARE above AS SELECT x FROM parallel_rows WHERE x > $1 ORDER BY x LIMIT 2;
EXECUTE above(100);
EXECUTE above(50000);
DEALLOCATE above;

-- Errors in any process, at any time; cancelled.
SELECT count(*) FROM (SELECT 1 / (29990 - id) AS y FROM parallel_rows ORDER BY y OFFSET 0) q;
SELECT sum(1 / (x - 30000)) FROM (SELECT x FROM parallel_rows ORDER BY x OFFSET 0) q;
BEGIN;
SET LOCAL statement_timeout = '50ms';
SELECT count(*) FROM (SELECT a.x FROM parallel_rows a, parallel_rows b ORDER BY a.x OFFSET 0) q;
ROLLBACK;
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY x', 'x');

-- Without workers, and without the leader.
SET max_parallel_workers = 0;
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY x', 'x');
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY t, id LIMIT 7', 'id');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY x', 'x');
SELECT same_rows('SELECT * FROM parallel_none ORDER BY x', 'x');
SHOW parallel_leader_participation;
RESET parallel_leader_participation;

-- Transactions that must be serializable, functions that may not run in workers, temporary tables.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), max(x) FROM (SELECT x FROM parallel_rows ORDER BY x OFFSET 0) q;
COMMIT;
CREATE FUNCTION restricted(int) RETURNS int LANGUAGE plpgsql PARALLEL RESTRICTED AS 'BEGIN RETURN $1 % 100; END';
SELECT same_rows('SELECT restricted(x) AS r, id FROM parallel_rows ORDER BY x', 'r');
SELECT same_rows('SELECT id FROM parallel_rows WHERE few = 1 ORDER BY restricted(x), x', 'id');
CREATE TEMPORARY TABLE parallel_temporary AS SELECT x, id FROM parallel_rows;
SELECT same_rows('SELECT * FROM parallel_temporary ORDER BY x', 'x');

-- Partitions.
CREATE TABLE parallel_parts (x int, id int) PARTITION BY HASH (id);
CREATE TABLE parallel_part_0 PARTITION OF parallel_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parallel_part_1 PARTITION OF parallel_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parallel_parts SELECT x, id FROM parallel_rows;
ANALYZE parallel_parts;
SELECT same_rows('SELECT * FROM parallel_parts ORDER BY x, id', 'x, id');

-- Statements that write the rows.
CREATE FUNCTION descents(relation regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE (x, id) < (before_x, before_id)) FROM (SELECT x, id, lag(x) OVER w AS before_x, lag(id) OVER w AS before_id FROM %s WINDOW w AS (ORDER BY ctid)) q', relation) INTO result;
    RETURN result;
END $$;
EXPLAIN (COSTS OFF) CREATE TABLE parallel_sorted AS SELECT x, id FROM parallel_rows ORDER BY x, id;
CREATE TABLE parallel_sorted AS SELECT x, id FROM parallel_rows ORDER BY x, id;
CREATE MATERIALIZED VIEW parallel_view AS SELECT x, id FROM parallel_rows ORDER BY x, id;
REFRESH MATERIALIZED VIEW parallel_view;
SELECT (SELECT count(*) FROM parallel_sorted), descents('parallel_sorted'), (SELECT count(*) FROM parallel_view), descents('parallel_view');
DROP MATERIALIZED VIEW parallel_view;
DROP TABLE parallel_sorted;
DROP FUNCTION descents;

-- The whole plan in a worker.
SELECT set_config(name, 'on', false) AS forced FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY x', 'x');
SELECT set_config(name, 'off', false) AS forced FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');

-- Without being forced, as it costs.
SET gpusort.force_nodes = off;
SELECT same_rows('SELECT * FROM parallel_rows ORDER BY x', 'x');
SET parallel_tuple_cost = 0.1;
EXPLAIN (COSTS OFF) SELECT x, id FROM parallel_rows ORDER BY x, id;
-- Windows of one Sort, too.  EXPLAIN shows them in other words in each version.  Partitions come in any order.
SET work_mem = '64MB';
CREATE FUNCTION sorted_by_workers(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    line text;
    result boolean := false;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        result := result OR line ~ 'Parallel Custom Scan';
    END LOOP;
    RETURN result;
END $$;
SELECT sorted_by_workers('SELECT * FROM (SELECT x, id, row_number() OVER w AS n FROM parallel_rows WINDOW w AS (PARTITION BY few ORDER BY x, id)) q WHERE n <= 3');
SELECT sorted_by_workers('SELECT id, lag(x) OVER (PARTITION BY few ORDER BY x) + 1 AS l, rank() OVER (PARTITION BY few) AS r FROM parallel_rows');
SELECT sorted_by_workers('SELECT id, lag(x) OVER (ORDER BY x) AS l FROM parallel_rows WHERE id < 10');
SELECT same_rows('SELECT * FROM (SELECT x, id, row_number() OVER w AS n FROM parallel_rows WINDOW w AS (PARTITION BY few ORDER BY x, id)) q WHERE n <= 3', '1');
SELECT same_rows('SELECT x, lag(x) OVER (PARTITION BY few ORDER BY x) + 1 AS l, count(*) OVER (PARTITION BY few) AS r, ''a'' || few AS a FROM parallel_rows', '1');
SELECT same_rows('SELECT few, lag(few) OVER (ORDER BY few) AS l FROM parallel_rows', 'few, l');
SELECT same_rows('SELECT id, lag(x) OVER (ORDER BY x, id) AS l, rank() OVER (ORDER BY f) AS r FROM parallel_rows ORDER BY id', 'id, l, r');
RESET work_mem;
SET gpusort.enable_sort = off;
EXPLAIN (COSTS OFF) SELECT x, id FROM parallel_rows ORDER BY x, id;

DROP TABLE parallel_rows, parallel_none, parallel_parts;
DROP FUNCTION rows_of, same_rows, different_queries, restricted, sorted_by_workers;
DROP COLLATION parallel_linguistic;
