/* Aggregates that return sorted arrays, and functions that return ordered rows. */

CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint[, boolean[, boolean]]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.set_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.set_agg_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.set_agg_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement[, boolean[, boolean]]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible[, boolean[, boolean]]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint[, boolean[, boolean]]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint[, boolean[, boolean]]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

/*
 * SSPACE = -1: the state grows with its rows.  PostgreSQL 19 aggregates below a
 * join only what has another, for the states of all groups stay in memory there.
 * A state of top_n_agg is bounded.
 */
CREATE AGGREGATE gpusort.sorted_agg(x anyelement[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);

/* unnest_sorted: inlined by the planner, so it costs no more than unnest. */
CREATE FUNCTION gpusort.unnest_sorted("array" anyarray[, descending boolean[, nulls_first boolean]], OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM pg_catalog.unnest(gpusort.array_sort("array"[, descending[, nulls_first]])) WITH ORDINALITY AS u(value, ord) $$;

CREATE FUNCTION gpusort.bucket(x anyelement, buckets bigint[, descending boolean]) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON AGGREGATE gpusort.approx_sorted_agg(anyelement, bigint[, boolean[, boolean]]) IS
	'aggregate: the values as an array in approximate order, by intervals of equal width, as array_sort_approx';
COMMENT ON AGGREGATE gpusort.sorted_agg(anyelement[, boolean[, boolean]]) IS
	'aggregate: the values as an array in order, as array_agg(x ORDER BY x) gives it, at about the cost of array_agg(x)';
COMMENT ON AGGREGATE gpusort.sorted_agg_by(anyelement, anycompatible[, boolean[, boolean]]) IS
	'aggregate: the values as an array in the order of their keys, as array_agg(x ORDER BY key) gives it. Stable.';
COMMENT ON AGGREGATE gpusort.top_n_agg(anyelement, bigint[, boolean[, boolean]]) IS
	'aggregate: the n greatest values as an array in order, or the n least, as array_top_n. Memory holds a few times n values.';
COMMENT ON FUNCTION gpusort.bucket(anyelement, bigint[, boolean]) IS
	'approximate order: the interval that each row falls in when the range of the partition is cut into intervals of equal width, 1 '
	'to buckets. -infinity is in the first interval, infinity and NaN are in the last; NULL gives NULL.';
COMMENT ON FUNCTION gpusort.unnest_sorted(anyarray[, boolean[, boolean]]) IS
	'rows: the elements as rows in order, each with its place: unnest(array_sort(a)) WITH ORDINALITY, inlined';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint[, boolean[, boolean]]) IS 'makes the result of a state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint[, boolean[, boolean]]) IS 'adds a row to the state of approx_sorted_agg';
COMMENT ON FUNCTION gpusort_internal.set_agg_combine(internal, internal) IS 'adds one state of an aggregate to another';
COMMENT ON FUNCTION gpusort_internal.set_agg_deserialize(bytea, internal) IS 'reads a state of an aggregate from bytes';
COMMENT ON FUNCTION gpusort_internal.set_agg_serialize(internal) IS 'writes a state of an aggregate as bytes';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible[, boolean[, boolean]]) IS 'makes the result of a state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible[, boolean[, boolean]]) IS 'adds a row to the state of sorted_agg_by';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement[, boolean[, boolean]]) IS 'makes the result of a state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement[, boolean[, boolean]]) IS 'adds a row to the state of sorted_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint[, boolean[, boolean]]) IS 'makes the result of a state of top_n_agg';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint[, boolean[, boolean]]) IS 'adds a row to the state of top_n_agg';
