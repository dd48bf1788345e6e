-- What gpusort's decompressors take beside the server's; bench/decompression runs it.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS gpusort_bench CASCADE;
CREATE SCHEMA gpusort_bench;
SET search_path = gpusort_bench;
CREATE FUNCTION decompression_ms(value int4[], by_server bool) RETURNS float8
	AS '$libdir/gpusort_test', 'test_decompression_ms' LANGUAGE C STRICT VOLATILE;

CREATE TABLE lz4 (data text, a int4[] COMPRESSION lz4);
INSERT INTO lz4 SELECT 'a period of 500 values', array_agg(i % 500) FROM generate_series(1, 25000000) i;
INSERT INTO lz4 SELECT 'random values below 1,000', array_agg((999 * random())::int4) FROM generate_series(1, 25000000) i;
CREATE TABLE pglz (data text, a int4[] COMPRESSION pglz);
INSERT INTO pglz SELECT 'a period of 500 values', array_agg(i % 500) FROM generate_series(1, 25000000) i;
INSERT INTO pglz SELECT 'random values below 1,000', array_agg((999 * random())::int4) FROM generate_series(1, 25000000) i;

CREATE TABLE runs (method text, data text, decompressor text, size_mb float8, cpu_ms float8);
CREATE PROCEDURE run_all(nruns int) LANGUAGE plpgsql AS $$
BEGIN
	FOR run IN 1 .. nruns LOOP
		INSERT INTO runs SELECT 'lz4', data, w.name, pg_column_size(a) / 1e6, decompression_ms(a, w.by_server)
			FROM lz4, (VALUES ('gpusort', false), ('server', true)) w (name, by_server);
		INSERT INTO runs SELECT 'pglz', data, w.name, pg_column_size(a) / 1e6, decompression_ms(a, w.by_server)
			FROM pglz, (VALUES ('gpusort', false), ('server', true)) w (name, by_server);
		COMMIT;
	END LOOP;
END $$;
CALL run_all(:runs);
CREATE TABLE medians AS
SELECT method, data, decompressor, count(*) AS runs, round(min(size_mb)::numeric, 1) AS compressed_mb,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu_ms)::numeric, 1) AS cpu_ms, current_setting('server_version') AS server, :'device' AS device,
	current_date AS date, :'commit' AS commit
FROM runs GROUP BY method, data, decompressor ORDER BY method, data, decompressor;
