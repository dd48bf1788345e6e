/* Aggregates of values: the most frequent, how many differ, how many in each interval; and the first n by a key. */

CREATE FUNCTION gpusort_internal.count_distinct_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.histogram_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.mode_final(internal, anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_mode_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.count_distinct_final(internal, anyelement) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.histogram_agg_final(internal, anyelement, bigint) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint[, boolean[, boolean]]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpusort.mode(ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.mode(ORDER BY anyelement) IS 'aggregate: the most frequent value, of several the first in order';
CREATE AGGREGATE gpusort.mode_agg(x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.mode_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.values_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.mode_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.mode_agg(anyelement) IS 'aggregate: the most frequent value, of several the first in order';
CREATE AGGREGATE gpusort.count_distinct(x anyelement) (
	SFUNC = gpusort_internal.count_distinct_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.count_distinct_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.count_distinct_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.count_distinct_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.count_distinct(anyelement) IS
	'aggregate: how many different values there are, as count(DISTINCT x) gives it. Memory grows with that number up to '
	'work_mem; then values go to temporary files.';
CREATE AGGREGATE gpusort.histogram_agg(x anyelement, buckets bigint) (
	SFUNC = gpusort_internal.histogram_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.histogram_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.histogram_agg(anyelement, bigint) IS
	'aggregate: how many values each of the given number of intervals of equal width has, from the least to the greatest value: '
	'element i is the number of rows for which bucket(x, buckets) OVER () is i';
CREATE AGGREGATE gpusort.top_n_agg_by(x anyelement, key anycompatible, n bigint[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.top_n_agg_by_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.top_n_agg_by(anyelement, anycompatible, bigint[, boolean[, boolean]]) IS 'aggregate: the values of the n greatest keys, or of the n least, in order, as array_top_n_by';

COMMENT ON FUNCTION gpusort_internal.count_distinct_final(internal, anyelement) IS 'makes the result of a state of count_distinct';
COMMENT ON FUNCTION gpusort_internal.count_distinct_transition(internal, anyelement) IS 'adds a row to the state of count_distinct';
COMMENT ON FUNCTION gpusort_internal.histogram_agg_final(internal, anyelement, bigint) IS 'makes the result of a state of histogram_agg';
COMMENT ON FUNCTION gpusort_internal.histogram_agg_transition(internal, anyelement, bigint) IS 'adds a row to the state of histogram_agg';
COMMENT ON FUNCTION gpusort_internal.mode_final(internal, anyelement) IS 'makes the result of a state of mode or mode_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_final(internal, anyelement, anycompatible, bigint[, boolean[, boolean]]) IS 'makes the result of a state of top_n_agg_by';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_by_transition(internal, anyelement, anycompatible, bigint[, boolean[, boolean]]) IS 'adds a row to the state of top_n_agg_by';
