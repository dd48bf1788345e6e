/*
 * What version 1.0 declared with integer where it is bigint now.  Views, indexes and
 * generated columns that were made on it keep these functions.  The planner puts the body of
 * those in SQL in the place of a call, so such an index also serves queries that call
 * the functions of today.
 */

CREATE FUNCTION gpusort_internal.array_top_n("array" anyarray, n integer[, descending boolean]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_top_n($1, $2::bigint[, $3]) $$;
CREATE FUNCTION gpusort_internal.array_top_n_by(vals anyarray, keys anycompatiblearray, n integer[, descending boolean[, nulls_first boolean]]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 15 AS $$ SELECT gpusort.array_top_n_by($1, $2, $3::bigint[, $4[, $5]]) $$;
CREATE FUNCTION gpusort_internal.array_sort_approx("array" anyarray, buckets integer[, descending boolean]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort_approx($1, $2::bigint[, $3]) $$;
CREATE FUNCTION gpusort_internal.array_sort_approx_within("array" anyarray, max_displacement integer[, descending boolean]) RETURNS anyarray
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10 AS $$ SELECT gpusort.array_sort($1[, $3]) $$;

CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, integer[, boolean]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, integer[, boolean]) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, integer[, boolean]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, integer[, boolean]) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpusort_internal.top_n_agg(anyelement, integer[, boolean]) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort_internal.approx_sorted_agg(anyelement, integer[, boolean]) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);

CREATE FUNCTION gpusort_internal.order_by(query text, key text, descending boolean DEFAULT false,
						 nulls_first boolean DEFAULT NULL, buckets integer DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'gpusort_order_by' LANGUAGE C VOLATILE;

CREATE FUNCTION gpusort_internal.bucket(x anyelement, buckets integer[, descending boolean]) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;

COMMENT ON AGGREGATE gpusort_internal.approx_sorted_agg(anyelement, integer[, boolean]) IS 'approx_sorted_agg of version 1.0, for what was built on it';
COMMENT ON AGGREGATE gpusort_internal.top_n_agg(anyelement, integer[, boolean]) IS 'top_n_agg of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, integer[, boolean]) IS 'makes the result of a state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, integer[, boolean]) IS 'adds a row to the state of approx_sorted_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx(anyarray, integer[, boolean]) IS 'array_sort_approx of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_sort_approx_within(anyarray, integer[, boolean]) IS 'array_sort_approx_within of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n(anyarray, integer[, boolean]) IS 'array_top_n of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.array_top_n_by(anyarray, anycompatiblearray, integer[, boolean[, boolean]]) IS 'array_top_n_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.bucket(anyelement, integer[, boolean]) IS 'bucket of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.order_by(text, text, boolean, boolean, integer) IS 'order_by of version 1.0, for what was built on it';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, integer[, boolean]) IS 'makes the result of a state of top_n_agg of version 1.0';
COMMENT ON FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, integer[, boolean]) IS 'adds a row to the state of top_n_agg of version 1.0';
