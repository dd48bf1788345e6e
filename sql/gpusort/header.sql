/*
 * Everything lives in the schema gpusort and three beside it, which are the extension's: DROP EXTENSION drops
 * them, and a dump makes them by CREATE EXTENSION alone.  A schema that is there already is refused, as what
 * its owner put there would be called.
 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpusort" to load this file. \quit

-- Names without a schema are PostgreSQL's own, whatever lies in the schema already.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA gpusort;

/* What the extension is made of, and users do not call. */
CREATE SCHEMA gpusort_internal;
COMMENT ON SCHEMA gpusort_internal IS 'what the aggregates and views of gpusort are made of';
GRANT USAGE ON SCHEMA gpusort_internal TO PUBLIC;
