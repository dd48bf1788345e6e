/*
 * gpusort--1.0--1.1.sql: makes of the objects of 1.0 just what CREATE EXTENSION makes.
 * What users have built on them stays: nothing is dropped that they can depend on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpusort UPDATE TO '1.1'" to load this file. \quit

/* Percentiles: ordered-set aggregates, and plain ones that can run in parallel. */

CREATE FUNCTION gpusort.values_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_transition(internal, anyelement, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_transition(internal, anyelement, float8[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort.percentile_cont_final(internal, float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_final(internal, float8, interval) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_final(internal, float8[], float8) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_final(internal, float8[], interval) RETURNS interval[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_disc_final(internal, float8, anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_disc_final(internal, float8[], anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_agg_final(internal, float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_agg_final(internal, interval, float8) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_agg_final(internal, float8, float8[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_cont_agg_final(internal, interval, float8[]) RETURNS interval[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_disc_agg_final(internal, anyelement, float8) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.percentile_disc_agg_final(internal, anyelement, float8[]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.median_final(internal, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_median_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.median_final(internal, interval) RETURNS interval
	AS 'MODULE_PATHNAME', 'gpusort_median_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpusort.percentile_cont(float8 ORDER BY float8) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8 ORDER BY float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(float8 ORDER BY interval) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8 ORDER BY interval) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(float8[] ORDER BY float8) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8[] ORDER BY float8) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_cont(float8[] ORDER BY interval) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont(float8[] ORDER BY interval) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_disc(float8 ORDER BY anyelement) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc(float8 ORDER BY anyelement) IS 'the percentile at the given fraction, a value of the set';
CREATE AGGREGATE gpusort.percentile_disc(float8[] ORDER BY anyelement) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_disc_final, FINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc(float8[] ORDER BY anyelement) IS 'the percentiles at the given fractions, values of the set';

CREATE AGGREGATE gpusort.median(float8) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.median_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.median(float8) IS 'the median, interpolated';
CREATE AGGREGATE gpusort.median(interval) (
	SFUNC = gpusort.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.median_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.median(interval) IS 'the median, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(float8, float8) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(float8, float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(interval, float8) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(interval, float8) IS 'the percentile at the given fraction, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(float8, float8[]) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(float8, float8[]) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_cont_agg(interval, float8[]) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg(interval, float8[]) IS 'the percentiles at the given fractions, interpolated';
CREATE AGGREGATE gpusort.percentile_disc_agg(anyelement, float8) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_disc_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc_agg(anyelement, float8) IS 'the percentile at the given fraction, a value of the set';
CREATE AGGREGATE gpusort.percentile_disc_agg(anyelement, float8[]) (
	SFUNC = gpusort.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort.percentile_disc_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort.set_agg_combine, SERIALFUNC = gpusort.set_agg_serialize, DESERIALFUNC = gpusort.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc_agg(anyelement, float8[]) IS 'the percentiles at the given fractions, values of the set';
