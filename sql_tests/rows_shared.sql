-- Columns that a Sort has twice: a key in another collation, or under another name of its type,
-- is a column of its own.  The node stores such values once.
SET gpusort.force_nodes = on;
SET max_parallel_workers_per_gather = 0;
CREATE DOMAIN shared_label AS varchar COLLATE "C";
CREATE TABLE shared WITH (autovacuum_enabled = off) AS
SELECT i AS id, CASE WHEN i % 11 <> 0 THEN hashint4(i) END AS x, CASE WHEN i % 7 <> 0 THEN md5((i % 900)::text) || repeat('x', i % 40) END AS t,
	('v' || i % 300)::varchar AS v, ('label ' || hashint4(i) % 50)::shared_label AS label, (i % 500)::name AS n
FROM generate_series(1, 6000) i;
ANALYZE shared;

-- Whether the rows come as Sort gives them; equal ones in the input's order.
CREATE FUNCTION shared_as_sort(columns text, from_where text, keys text, OUT same bool, OUT nodes int) LANGUAGE plpgsql AS $$
DECLARE
	with_node text;
	without text;
	line text;
BEGIN
	nodes := 0;
	FOR line IN EXECUTE format('EXPLAIN SELECT %s FROM %s ORDER BY %s', columns, from_where, keys) LOOP
		nodes := nodes + (line ~ 'GpusortRows')::int;
	END LOOP;
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT %s FROM %s ORDER BY %s OFFSET 0) q', columns, from_where, keys) INTO with_node;
	SET LOCAL gpusort.enable_sort = off;
	EXECUTE format('SELECT md5(string_agg(q::text, '','')) FROM (SELECT %s FROM %s ORDER BY %s, shared.id OFFSET 0) q', columns, from_where, keys) INTO without;
	SET LOCAL gpusort.enable_sort = on;
	same := with_node = without;
END $$;

SET work_mem = '4MB';
SELECT count(*), bool_and(m.same) AS same, min(nodes) AS nodes
FROM unnest(ARRAY['id, x, t, v, label', 'id', 't, x, t COLLATE "C" AS again, x::oid AS y', 'v COLLATE "POSIX" AS p, id, v::text AS q, label::text COLLATE "POSIX" AS r']) columns,
	unnest(ARRAY['t COLLATE "C"', 't COLLATE "C" DESC NULLS LAST, v COLLATE "POSIX"', 'x::oid', 'x::oid DESC, t COLLATE "C"', 'v::text COLLATE "C", t COLLATE "C", x::oid', 'label::text COLLATE "POSIX" DESC', 't COLLATE "C", t COLLATE "POSIX", id']) keys,
	shared_as_sort(columns, 'shared', keys) m;
SET work_mem = '64kB';
SELECT count(*), bool_and(m.same) AS same, min(nodes) AS nodes
FROM unnest(ARRAY['id, x, t, v, label', 't, x, t COLLATE "C" AS again, x::oid AS y']) columns,
	unnest(ARRAY['t COLLATE "C"', 'x::oid', 'x::oid DESC, t COLLATE "C"', 'v::text COLLATE "C", t COLLATE "C", x::oid', 'label::text COLLATE "POSIX" DESC']) keys,
	unnest(ARRAY['shared', 'shared WHERE id % 3 > 0', '(SELECT id, x, t || ''/'' AS t, v, label FROM shared OFFSET 0) shared']) source, shared_as_sort(columns, source, keys) m;

-- The first rows, a cursor that goes back, and a join that goes back to a mark.
SELECT x, x::oid AS y, left(t, 9) AS t FROM shared ORDER BY x::oid NULLS FIRST, t COLLATE "C" DESC LIMIT 3 OFFSET 600;
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT id, v, v::text COLLATE "POSIX" AS again FROM shared ORDER BY v COLLATE "C";
MOVE FORWARD 4000 FROM back;
FETCH 2 FROM back;
FETCH LAST FROM back;
FETCH ABSOLUTE 17 FROM back;
COMMIT;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT count(*), count(DISTINCT a.id), sum(b.id) FROM shared a JOIN shared b ON a.v::text COLLATE "C" = b.v::text COLLATE "C" WHERE a.id < 2000;
RESET enable_hashjoin;
RESET enable_nestloop;

-- Stored once they take no more of a temporary file than in the column's own collation, and a table is still read directly.
SET gpusort.engine = cpu;
CREATE FUNCTION shared_plan(keys text, OUT disk numeric, OUT input text) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (ANALYZE, FORMAT json) SELECT label, id FROM shared ORDER BY %s', keys) INTO plan;
	disk := plan -> 0 -> 'Plan' ->> 'Disk';
	input := plan -> 0 -> 'Plan' ->> 'Input';
END $$;
SELECT a.disk > 0 AS spilled, b.disk <= 1.05 * a.disk AS stored_once, b.input FROM shared_plan('label') a, shared_plan('label COLLATE "POSIX"') b;
DROP TABLE shared;
DROP FUNCTION shared_as_sort, shared_plan;
DROP DOMAIN shared_label;
