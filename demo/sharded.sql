-- The demo with three servers: the spectra lie there by series, and this
-- server asks for them.
\pset footer off
\pset border 0
SET client_min_messages = warning;
\i demo/load.sql
CREATE EXTENSION postgres_fdw;
CREATE SERVER first FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'host', port :'first', dbname :'database', extensions 'gpusort', async_capable 'true', fetch_size '1000', batch_size '1000');
CREATE SERVER second FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'host', port :'second', dbname :'database', extensions 'gpusort', async_capable 'true', fetch_size '1000', batch_size '1000');
CREATE SERVER third FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'host', port :'third', dbname :'database', extensions 'gpusort', async_capable 'true', fetch_size '1000', batch_size '1000');
CREATE USER MAPPING FOR CURRENT_USER SERVER first;
CREATE USER MAPPING FOR CURRENT_USER SERVER second;
CREATE USER MAPPING FOR CURRENT_USER SERVER third;

CREATE TABLE sharded (series text, accession text, mz float8[], intensity float4[]) PARTITION BY HASH (series);
CREATE FOREIGN TABLE sharded_0 PARTITION OF sharded FOR VALUES WITH (MODULUS 3, REMAINDER 0) SERVER first OPTIONS (table_name 'spectra');
CREATE FOREIGN TABLE sharded_1 PARTITION OF sharded FOR VALUES WITH (MODULUS 3, REMAINDER 1) SERVER second OPTIONS (table_name 'spectra');
CREATE FOREIGN TABLE sharded_2 PARTITION OF sharded FOR VALUES WITH (MODULUS 3, REMAINDER 2) SERVER third OPTIONS (table_name 'spectra');
CREATE TABLE sets (series text, intensities gpusort.sorted_set) PARTITION BY HASH (series);
CREATE FOREIGN TABLE sets_0 PARTITION OF sets FOR VALUES WITH (MODULUS 3, REMAINDER 0) SERVER first OPTIONS (table_name 'intensity_sets');
CREATE FOREIGN TABLE sets_1 PARTITION OF sets FOR VALUES WITH (MODULUS 3, REMAINDER 1) SERVER second OPTIONS (table_name 'intensity_sets');
CREATE FOREIGN TABLE sets_2 PARTITION OF sets FOR VALUES WITH (MODULUS 3, REMAINDER 2) SERVER third OPTIONS (table_name 'intensity_sets');
INSERT INTO sharded SELECT left(split_part(accession, '-', 3), 5), accession, mz, intensity FROM spectra;
ANALYZE sharded_0, sharded_1, sharded_2;

\echo
\echo '1. Where the spectra are.'
SELECT tableoid::regclass AS part, count(*) AS spectra FROM sharded GROUP BY 1 ORDER BY 1;

\echo '2. A function in WHERE is sent to the servers: spectra whose intensities rise with m/z.'
\echo
EXPLAIN (VERBOSE, COSTS OFF) SELECT accession FROM sharded WHERE gpusort.array_is_sorted(intensity);
SELECT count(*) AS spectra FROM sharded WHERE gpusort.array_is_sorted(intensity);

\echo '3. ORDER BY with LIMIT: each server sorts its part, and home merges.'
\echo
EXPLAIN (VERBOSE, COSTS OFF) SELECT accession, cardinality(mz) AS peaks FROM sharded ORDER BY cardinality(mz) DESC, accession LIMIT 3;
SELECT accession, cardinality(mz) AS peaks FROM sharded ORDER BY cardinality(mz) DESC, accession LIMIT 3;

\echo '4. An aggregate by the partition key runs where the rows are.'
\echo
SET enable_partitionwise_aggregate = on;
EXPLAIN (VERBOSE, COSTS OFF) SELECT series, gpusort.median(cardinality(mz)) FROM sharded GROUP BY series;
SELECT series, gpusort.median(cardinality(mz)) AS median_peaks FROM sharded GROUP BY series ORDER BY series LIMIT 3;
RESET enable_partitionwise_aggregate;

\echo '5. Over all servers: each sends one sorted set per series, and home merges those.'
\echo
EXPLAIN (VERBOSE, COSTS OFF) SELECT gpusort.sorted_set_percentile_cont(gpusort.merge_agg(intensities), 0.99) FROM sets;
SELECT gpusort.sorted_set_percentile_cont(gpusort.merge_agg(intensities), 0.99) AS percentile_99 FROM sets;
SELECT percentile_cont(0.99) WITHIN GROUP (ORDER BY i) AS "the same here, of all rows" FROM spectra, unnest(intensity) i;
