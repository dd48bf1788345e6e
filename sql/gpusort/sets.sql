/* Aggregates that return sorted arrays, and functions that return ordered rows. */

CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_transition(internal, anyelement, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_transition(internal, anyelement, anycompatible, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_sorted_agg_by_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_transition(internal, anyelement, bigint, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_top_n_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_transition(internal, anyelement, bigint, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_approx_sorted_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.set_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.set_agg_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.set_agg_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_final(internal, anyelement, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_agg_by_final(internal, anyelement, anycompatible, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.top_n_agg_final(internal, anyelement, bigint, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.approx_sorted_agg_final(internal, anyelement, bigint, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_set_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;

/*
 * SSPACE = -1: the state grows with its rows.  PostgreSQL 19 aggregates below a
 * join only what has another, for the states of all groups stay in memory there.
 * A state of top_n_agg is bounded.
 */
CREATE AGGREGATE gpusort.sorted_agg(x anyelement) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg(x anyelement, descending boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg(x anyelement, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible, descending boolean) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.sorted_agg_by(x anyelement, key anycompatible, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.sorted_agg_by_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint, descending boolean) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.top_n_agg(x anyelement, n bigint, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.top_n_agg_transition, STYPE = internal,
	FINALFUNC = gpusort_internal.top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint, descending boolean) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.approx_sorted_agg(x anyelement, buckets bigint, descending boolean, nulls_first boolean) (
	SFUNC = gpusort_internal.approx_sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);

/* unnest_sorted: inlined by the planner, so it costs no more than unnest. */
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION gpusort.unnest_sorted(a anyarray, descending boolean, nulls_first boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending, nulls_first)) WITH ORDINALITY AS u(value, ord) $$;

CREATE FUNCTION gpusort.order_by(query text, key text, descending boolean DEFAULT false,
						 nulls_first boolean DEFAULT NULL, buckets bigint DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME', 'gpusort_order_by' LANGUAGE C VOLATILE;

CREATE FUNCTION gpusort.bucket(x anyelement, buckets bigint) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort.bucket(x anyelement, buckets bigint, descending boolean) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_bucket' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
