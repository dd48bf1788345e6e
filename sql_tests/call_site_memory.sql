-- Needs gpusort.engine = 'auto': sorts types without a key form.
-- What a call keeps of the last type, collation and head is freed when the next value has another.
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET intervalstyle = 'postgres';
CREATE FUNCTION cycle(VARIADIC sets text[]) RETURNS SETOF gpusort.sorted_set LANGUAGE sql AS $$
	SELECT sets[1 + i % cardinality(sets)]::gpusort.sorted_set FROM generate_series(1, 6000) i
$$;
CREATE TABLE by_type AS SELECT s FROM cycle('numeric {1,2}', 'text COLLATE "C" {a,c}', 'interval {1 day,2 days}') s;
CREATE TABLE by_collation AS SELECT s FROM cycle('text COLLATE "C" {a,c}', 'text COLLATE "POSIX" {a,c}') s;
CREATE TABLE by_direction AS SELECT s FROM cycle('numeric {1,2}', 'numeric DESC {1,2}') s;

-- By how many kB the memory of a query that is under way grows from its 1,000th row to its 5,900th.
CREATE FUNCTION growth(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	taken bigint[];
BEGIN
	OPEN c FOR EXECUTE query;
	FOREACH query IN ARRAY ARRAY['1000', '4900'] LOOP
		EXECUTE format('MOVE FORWARD %s IN %I', query, c);
		taken := taken || (SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts
			WHERE name IN ('ExecutorState', 'gpusort comparators', 'gpusort set head'));
	END LOOP;
	CLOSE c;
	RETURN (taken[2] - taken[1]) / 1024;
END $$;
SELECT tab, call, growth(format('SELECT %s FROM %I', call, tab)) < 64 AS bounded
FROM unnest('{by_type,by_collation,by_direction}'::text[]) WITH ORDINALITY t(tab, n),
	unnest('{gpusort.sorted_set_count(s),gpusort.sorted_set_count_distinct(s),s::text,s::text::gpusort.sorted_set,"gpusort.merge(s, s)"}'::text[]) WITH ORDINALITY c(call, m)
ORDER BY n, m;

-- The results are those of each set alone.
SELECT DISTINCT s::text COLLATE "C" AS s, gpusort.sorted_set_count_distinct(s), gpusort.merge(s, s)::text AS merged, s::text = s::text::gpusort.sorted_set::text AS same
FROM (SELECT s FROM by_type UNION ALL SELECT s FROM by_collation UNION ALL SELECT s FROM by_direction) q ORDER BY 1;
DROP FUNCTION cycle, growth;
DROP TABLE by_type, by_collation, by_direction;
