-- Where an aggregate's state grows with its rows PostgreSQL 19 does not aggregate below a join.
CREATE TABLE measured (g int, x float4);
CREATE TABLE named (g int PRIMARY KEY, h int);
INSERT INTO measured SELECT i % 100, hashint4(i) FROM generate_series(1, 20000) i;
INSERT INTO named SELECT i, i % 5 FROM generate_series(0, 99) i;
ANALYZE measured, named;
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION aggregated_below_join(aggregate text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT h, %s FROM measured JOIN named USING (g) GROUP BY h', aggregate) LOOP
		IF line ~ 'Partial .*Aggregate' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT aggregate, aggregated_below_join(aggregate)
FROM unnest(ARRAY['array_agg(x)', 'gpusort.sorted_agg(x)', 'gpusort.sorted_agg(x, true)', 'gpusort.sorted_agg_by(x, g)', 'gpusort.sorted_agg_by(x, g, true)',
	'gpusort.sorted_agg_by(x, g, true, true)', 'gpusort.approx_sorted_agg(x, 10)', 'gpusort.approx_sorted_agg(x, 10, true)']) aggregate;
-- What has a bounded state is aggregated there, where the server can.
SELECT aggregate, aggregated_below_join(aggregate) = (current_setting('server_version_num')::int >= 190000) AS as_the_server_can
FROM unnest(ARRAY['sum(x)', 'gpusort.top_n_agg(x, 3)', 'gpusort.top_n_agg(x, 3, true)']) aggregate;
SELECT h, gpusort.top_n_agg(x, 3) = (array_agg(x ORDER BY x DESC))[1:3] AS top, gpusort.sorted_agg(x) = array_agg(x ORDER BY x) AS sorted
FROM measured JOIN named USING (g) GROUP BY h ORDER BY h;
