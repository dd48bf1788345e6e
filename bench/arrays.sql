-- The array functions. Sections:
--
--   short        100,000 arrays of 1,000 values
--   spectra      MassBank
--   bins         an index over the elements of spectra
--   matrix       every type, length and distribution
--   large        single arrays of 50 million values
--   approximate  approximate order beside exact order, 10 million values
\if :{?short}
\i bench/short.sql
\endif
\if :{?bins}
\i bench/bins.sql
\endif
\if :{?spectra}
\i bench/spectra.sql
\endif
\if :{?matrix}
\i bench/matrix.sql
\endif
\if :{?large}
\i bench/large.sql
\endif
\if :{?approximate}
\i bench/approximate.sql
\endif
