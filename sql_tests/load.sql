-- The extension makes schemas of its own and its settings are there.
SELECT extname, nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'gpusort';
SHOW gpusort.cpu_threads;
SET gpusort.method = 'nonsense';
