-- What each of the demo's three servers has: its part of the spectra, and the sorted set
-- of its intensities.
CREATE EXTENSION gpusort;
CREATE TABLE spectra (series text, accession text PRIMARY KEY, mz float8[], intensity float4[]);
CREATE VIEW intensity_sets AS SELECT series, gpusort.sorted_set_agg(i) AS intensities FROM spectra, unnest(intensity) i GROUP BY series;
