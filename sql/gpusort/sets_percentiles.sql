/* Percentiles: ordered-set aggregates, and plain ones that can run in parallel. */

/* Takes the place of PostgreSQL's cast in arguments. */
CREATE FUNCTION gpusort_internal.numeric_float8(numeric) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_numeric_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.numeric_float8(numeric) IS 'the same as float8(numeric)';

/* Those with declared types are for callers without an expression that says them. */
CREATE FUNCTION gpusort_internal.values_transition(internal, {anyelement|float8|interval|numeric}) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_values_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, {anyelement|float8|interval}, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_transition(internal, {anyelement|float8|interval}, float8[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_percentile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

/* The inverse transition functions of window frames. */
CREATE FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval|numeric}) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_window_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval}, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_window_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval}, float8[]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_window_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval|numeric}) IS 'takes a row that leaves the window frame out of a state';
COMMENT ON FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval}, float8) IS 'takes a row that leaves the window frame out of a state';
COMMENT ON FUNCTION gpusort_internal.window_remove(internal, {anyelement|float8|interval}, float8[]) IS 'takes a row that leaves the window frame out of a state';

CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8, {float8|interval}) RETURNS {float8|interval}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], {float8|interval}) RETURNS {float8|interval}[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_final(internal, {float8|float8[]}, anyelement) RETURNS {anyelement|anyarray}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, {float8|interval}, float8) RETURNS {float8|interval}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_cont_agg_final(internal, {float8|interval}, float8[]) RETURNS {float8|interval}[]
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, {float8|float8[]}) RETURNS {anyelement|anyarray}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_disc_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.median_final(internal, {float8|interval|numeric}) RETURNS {float8|interval|numeric}
	AS 'MODULE_PATHNAME', 'gpusort_percentile_cont_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE gpusort.percentile_cont(fraction float8 ORDER BY x {float8|interval}) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.percentile_cont(fractions float8[] ORDER BY x {float8|interval}) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont({float8|float8|float8[]|float8[]} ORDER BY {float8|interval|float8|interval}) IS
	'aggregate: the percentile at the given fraction, interpolated; of an array of fractions, an array';
CREATE AGGREGATE gpusort.percentile_disc({fraction float8|fractions float8[]} ORDER BY x anyelement) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc({float8|float8[]} ORDER BY anyelement) IS
	'aggregate: the percentile at the given fraction, a value of the set; of an array of fractions, an array';

CREATE AGGREGATE gpusort.median(x {float8|interval|numeric}) (
	SFUNC = gpusort_internal.values_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.median_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.values_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.median_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.median({float8|interval|numeric}) IS
	'aggregate: the median, interpolated, as percentile_cont(0.5) WITHIN GROUP (ORDER BY x) gives it; that of numeric is exact. '
	'Numbers of other types are converted to float8.';
CREATE AGGREGATE gpusort.percentile_cont_agg(x {float8|interval}, fraction float8) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.percentile_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.percentile_cont_agg_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
CREATE AGGREGATE gpusort.percentile_cont_agg(x {float8|interval}, fractions float8[]) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_cont_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.percentile_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.percentile_cont_agg_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_cont_agg({float8|interval|float8|interval}, {float8|float8|float8[]|float8[]}) IS
	'aggregate: the percentile at the given fraction, interpolated; for an array of fractions, an array of the same shape. A '
	'fraction of NULL gives NULL; one that is not between 0 and 1 is 22003 unless there are no rows.';
CREATE AGGREGATE gpusort.percentile_disc_agg(x anyelement, {fraction float8|fractions float8[]}) (
	SFUNC = gpusort_internal.percentile_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.percentile_disc_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
	MSFUNC = gpusort_internal.percentile_transition, MINVFUNC = gpusort_internal.window_remove, MSTYPE = internal,
	MFINALFUNC = gpusort_internal.percentile_disc_agg_final, MFINALFUNC_EXTRA,
	PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.percentile_disc_agg(anyelement, {float8|float8[]}) IS
	'aggregate: the percentile at the given fraction, a value of the set; fractions as for percentile_cont_agg';

COMMENT ON FUNCTION gpusort_internal.median_final(internal, {float8|interval|numeric}) IS 'makes the result of a state of median';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, {float8|interval}, float8) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_agg_final(internal, {float8|interval}, float8[]) IS 'makes the result of a state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8, {float8|interval}) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_cont_final(internal, float8[], {float8|interval}) IS 'makes the result of a state of percentile_cont';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_agg_final(internal, anyelement, {float8|float8[]}) IS 'makes the result of a state of percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_disc_final(internal, {float8|float8[]}, anyelement) IS 'makes the result of a state of percentile_disc';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, {anyelement|float8}, float8) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, {anyelement|float8}, float8[]) IS 'adds a row to the state of percentile_cont_agg or percentile_disc_agg';
COMMENT ON FUNCTION gpusort_internal.percentile_transition(internal, interval, {float8|float8[]}) IS 'adds a row to the state of percentile_cont_agg';
COMMENT ON FUNCTION gpusort_internal.values_transition(internal, anyelement) IS 'adds a row to the state of median, mode, mode_agg, percentile_cont or percentile_disc';
COMMENT ON FUNCTION gpusort_internal.values_transition(internal, {float8|interval|numeric}) IS 'adds a row to the state of median or percentile_cont';
