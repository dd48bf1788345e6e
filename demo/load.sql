-- Creates the extension and loads the spectra that ship with gpusort.
CREATE EXTENSION IF NOT EXISTS gpusort;
CREATE TABLE spectra (accession text PRIMARY KEY, mz float8[], intensity float4[]);
\copy spectra FROM PROGRAM 'gzip -dc data/massbank_cc0.copy.gz'
VACUUM ANALYZE spectra;
