/*
 * Aggregates whose types are declared, for engines that run an aggregate's parts on several servers and call
 * them without an expression that says types.  The names are those of gpusort, in a schema of their own: beside
 * those of any type they would be ambiguous.
 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpusort_distributed" to load this file. \quit

-- Names without a schema are PostgreSQL's own.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA gpusort_distributed;
COMMENT ON SCHEMA gpusort_distributed IS 'aggregates of gpusort with declared types, for engines that spread an aggregate over servers';
GRANT USAGE ON SCHEMA gpusort_distributed TO PUBLIC;

-- {value} = int2 int4 int8 float4 float8 numeric text date timestamp timestamptz uuid

/* Results of a state. */

CREATE FUNCTION gpusort_internal.sorted_final_{value}(internal) RETURNS {value}[]
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.sorted_final_{value}(internal) IS 'makes an array of a state of sorted_agg or its kin';
CREATE FUNCTION gpusort_internal.percentile_final_{value}(internal) RETURNS {value}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.percentile_final_{value}(internal) IS 'makes the result of a state of percentile_disc_agg';
CREATE FUNCTION gpusort_internal.percentiles_final_{value}(internal) RETURNS {value}[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.percentiles_final_{value}(internal) IS 'makes the result of a state of percentile_disc_agg';
CREATE FUNCTION gpusort_internal.mode_final_{value}(internal) RETURNS {value}
	AS 'MODULE_PATHNAME', 'gpusort_mode_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.mode_final_{value}(internal) IS 'makes the result of a state of mode_agg';
CREATE FUNCTION gpusort_internal.count_distinct_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.count_distinct_final(internal) IS 'makes the result of a state of count_distinct';
CREATE FUNCTION gpusort_internal.histogram_agg_final(internal) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.histogram_agg_final(internal) IS 'makes the result of a state of histogram_agg';

/* Values in order. */

CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, {value}[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.sorted_agg_transition(internal, {value}[, boolean[, boolean]]) IS 'adds a row to the state of sorted_agg';
CREATE AGGREGATE gpusort_distributed.sorted_agg(x {value}[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.sorted_final_{value},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.sorted_agg({value}[, boolean[, boolean]]) IS 'the values as an array in order';
CREATE AGGREGATE gpusort_distributed.sorted_set_agg(x {value}[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.sorted_set_agg({value}[, boolean[, boolean]]) IS 'the values as a sorted set';

CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, {value}, bigint[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, {value}, bigint[, boolean[, boolean]]) IS 'adds a row to the state of top_n_agg';
CREATE AGGREGATE gpusort_distributed.top_n_agg(x {value}, n bigint[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal, FINALFUNC = gpusort_internal.sorted_final_{value},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.top_n_agg({value}, bigint[, boolean[, boolean]]) IS 'the n greatest values as an array in order, or the n least';

/* Values in the order of their keys: a form for each pair of types, so only of those used most. */

-- {keyed} = int4 int8 float8 numeric text timestamptz uuid
-- {key} = int8 float8 numeric text timestamp timestamptz
CREATE FUNCTION gpusort_internal.sorted_agg_by_transition(internal, {keyed}, {key}[, boolean]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_transition(internal, {keyed}, {key}[, boolean]) IS 'adds a row to the state of sorted_agg_by';
CREATE AGGREGATE gpusort_distributed.sorted_agg_by(x {keyed}, key {key}[, descending boolean]) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.sorted_final_{keyed},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.sorted_agg_by({keyed}, {key}[, boolean]) IS 'the values as an array in the order of their keys';
CREATE FUNCTION gpusort_internal.top_n_agg_by_transition(internal, {keyed}, {key}, bigint[, boolean]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_transition(internal, {keyed}, {key}, bigint[, boolean]) IS 'adds a row to the state of top_n_agg_by';
CREATE AGGREGATE gpusort_distributed.top_n_agg_by(x {keyed}, key {key}, n bigint[, descending boolean]) (
	SFUNC = gpusort_internal.top_n_agg_by_transition, STYPE = internal, FINALFUNC = gpusort_internal.sorted_final_{keyed},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.top_n_agg_by({keyed}, {key}, bigint) IS 'values of the n greatest keys, greatest first';
COMMENT ON AGGREGATE gpusort_distributed.top_n_agg_by({keyed}, {key}, bigint, boolean) IS 'values of the n greatest or least keys, in their order';

/* One value of the set, or a number. */

CREATE FUNCTION gpusort_internal.mode_agg_transition(internal, {value}) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.count_distinct_transition(internal, {value}) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.{mode_agg|count_distinct}_transition(internal, {value}) IS 'adds a row to the state of {mode_agg|count_distinct}';
CREATE AGGREGATE gpusort_distributed.mode_agg(x {value}) (
	SFUNC = gpusort_internal.mode_agg_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.mode_final_{value},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.mode_agg({value}) IS 'the most frequent value, of several the least';
CREATE AGGREGATE gpusort_distributed.count_distinct(x {value}) (
	SFUNC = gpusort_internal.count_distinct_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.count_distinct_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.count_distinct({value}) IS 'how many different values there are';

-- {other} = int2 int4 int8 float4 numeric text date timestamp timestamptz uuid
/* percentile_cont_agg has the transition functions of float8. */
CREATE FUNCTION gpusort_internal.percentile_transition(internal, {other}, {float8|float8[]}) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, {other}, {float8|float8[]}) IS 'adds a row to the state of percentile_disc_agg';
CREATE AGGREGATE gpusort_distributed.percentile_disc_agg(x {value}, {fraction float8|fractions float8[]}) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.{percentile|percentiles}_final_{value},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.percentile_disc_agg({value}, float8) IS 'the percentile at the given fraction, a value of the set';
COMMENT ON AGGREGATE gpusort_distributed.percentile_disc_agg({value}, float8[]) IS 'the percentiles at the given fractions, values of the set';

/* Intervals of equal width. */

-- {number} = int2 int4 int8 float4 float8 date timestamp timestamptz
CREATE FUNCTION gpusort_internal.{approx_sorted_agg|histogram_agg}_transition(internal, {number}, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_{approx_sorted_agg|histogram_agg}_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.{approx_sorted_agg|histogram_agg}_transition(internal, {number}, bigint) IS 'adds a row to the state of {approx_sorted_agg|histogram_agg}';
CREATE AGGREGATE gpusort_distributed.approx_sorted_agg(x {number}, buckets bigint) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.sorted_final_{number},
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.approx_sorted_agg({number}, bigint) IS 'the values as an array in approximate order, by intervals of equal width';
CREATE AGGREGATE gpusort_distributed.histogram_agg(x {number}, buckets bigint) (
	SFUNC = gpusort_internal.histogram_agg_transition, STYPE = internal, SSPACE = -1, FINALFUNC = gpusort_internal.histogram_agg_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort_distributed.histogram_agg({number}, bigint) IS 'how many values each of so many intervals of equal width has';
