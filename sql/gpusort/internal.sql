/* A schema for what the extension is made of, and users do not call. */

CREATE SCHEMA gpusort_internal;
COMMENT ON SCHEMA gpusort_internal IS 'what the aggregates and views of gpusort are made of';
GRANT USAGE ON SCHEMA gpusort_internal TO PUBLIC;
