-- Adds what DuckDB took to what bench/everyday.sql measured, and prints both.
SET search_path = gpusort_bench, public;
\pset footer off
\pset null ''
\if :{?duckdb}
CREATE TEMP TABLE duckdb (number int, median_ms float8, least_ms float8, runs int);
\cd :made
\copy duckdb FROM 'duckdb.csv' WITH (FORMAT csv)
INSERT INTO results (commit, device, section, data, arrays, contender, median_ms, least_ms, runs, times_floor)
SELECT r.commit, r.device, r.section, r.data, r.arrays, 'DuckDB, one thread', d.median_ms, d.least_ms, d.runs, round((d.median_ms / r.median_ms)::numeric, 2)
FROM duckdb d JOIN results r ON left(r.data, 2)::int = d.number AND r.contender = 'PostgreSQL' ORDER BY d.number;
\endif
SELECT coalesce(data, 'total') AS query, round(sum(median_ms) FILTER (WHERE contender = 'PostgreSQL')) AS "PostgreSQL, ms",
	round(sum(median_ms) FILTER (WHERE contender = 'gpusort on the CPU')) AS "gpusort on the CPU",
	round(sum(median_ms) FILTER (WHERE contender = 'gpusort, two workers')) AS "gpusort, two workers",
	round(sum(median_ms) FILTER (WHERE contender = 'gpusort with a GPU')) AS "gpusort with a GPU",
	round(sum(median_ms) FILTER (WHERE contender = 'DuckDB, one thread')) AS "DuckDB, one thread"
FROM results GROUP BY ROLLUP (data) ORDER BY data;
