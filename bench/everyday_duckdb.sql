-- Adds what DuckDB took to what bench/everyday.sql measured.
SET search_path = gpusort_bench, public;
CREATE TEMP TABLE duckdb (number int, contender text, median_ms float8, least_ms float8, runs int);
\cd :made
\copy duckdb FROM 'duckdb.csv' WITH (FORMAT csv)
INSERT INTO results (commit, device, section, data, arrays, contender, median_ms, least_ms, runs, times_floor)
SELECT r.commit, r.device, r.section, r.data, r.arrays, d.contender, d.median_ms, d.least_ms, d.runs, round((d.median_ms / r.median_ms)::numeric, 2)
FROM duckdb d JOIN results r ON left(r.data, 2)::int = d.number AND r.contender = 'PostgreSQL' ORDER BY d.contender DESC, d.number;
