-- How every section measures: one backend, nothing compiled, nothing parallel.
RESET ALL;
SET search_path = gpusort_bench, public;
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '1GB';
\pset footer off
