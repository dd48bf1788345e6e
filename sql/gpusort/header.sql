/* Everything lives in the schema gpusort. */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpusort" to load this file. \quit

-- Names without a schema are PostgreSQL's own, whatever lies in the schema already.
SET LOCAL search_path = pg_catalog, pg_temp;

