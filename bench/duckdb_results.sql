-- Adds what DuckDB took to the results, each beside the floor, whose id it has.
SET search_path = gpusort_bench, public;
CREATE TEMP TABLE duckdb (id int, contender text, median_ms float8, least_ms float8, runs int);
\cd :made
\copy duckdb FROM 'duckdb.csv' WITH (FORMAT csv)
INSERT INTO results (commit, device, section, data, type, n, arrays, contender, median_ms, least_ms, runs, times_floor)
SELECT r.commit, r.device, r.section, r.data, r.type, r.n, r.arrays, d.contender, d.median_ms, d.least_ms, d.runs, round((d.median_ms / r.median_ms)::numeric, 2)
FROM duckdb d JOIN results r ON r.id = d.id ORDER BY d.contender DESC, d.id;
