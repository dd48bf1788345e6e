/* Aggregates that return sorted arrays, and functions that return ordered rows. */

CREATE FUNCTION sorted_agg_transition(internal, anyelement) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_transition(internal, anyelement, boolean) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_transition(internal, anyelement, anycompatible) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_transition(internal, anyelement, anycompatible, boolean) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_transition(internal, anyelement, anycompatible, boolean, boolean) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION top_n_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION top_n_agg_transition(internal, anyelement, integer, boolean) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION approx_sorted_agg_transition(internal, anyelement, integer) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION approx_sorted_agg_transition(internal, anyelement, integer, boolean) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION set_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION top_n_agg_combine(internal, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION set_agg_serialize(internal) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION set_agg_deserialize(bytea, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION sorted_agg_final(internal, anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_final(internal, anyelement, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_final(internal, anyelement, anycompatible) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_final(internal, anyelement, anycompatible, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION sorted_agg_by_final(internal, anyelement, anycompatible, boolean, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION top_n_agg_final(internal, anyelement, integer) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION top_n_agg_final(internal, anyelement, integer, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION approx_sorted_agg_final(internal, anyelement, integer) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION approx_sorted_agg_final(internal, anyelement, integer, boolean) RETURNS anyarray
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE sorted_agg(anyelement) (
	SFUNC = sorted_agg_transition, STYPE = internal,
	FINALFUNC = sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE sorted_agg(anyelement, boolean) (
	SFUNC = sorted_agg_transition, STYPE = internal,
	FINALFUNC = sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE sorted_agg_by(anyelement, anycompatible) (
	SFUNC = sorted_agg_by_transition, STYPE = internal,
	FINALFUNC = sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE sorted_agg_by(anyelement, anycompatible, boolean) (
	SFUNC = sorted_agg_by_transition, STYPE = internal,
	FINALFUNC = sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE sorted_agg_by(anyelement, anycompatible, boolean, boolean) (
	SFUNC = sorted_agg_by_transition, STYPE = internal,
	FINALFUNC = sorted_agg_by_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE top_n_agg(anyelement, integer) (
	SFUNC = top_n_agg_transition, STYPE = internal,
	FINALFUNC = top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = top_n_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE top_n_agg(anyelement, integer, boolean) (
	SFUNC = top_n_agg_transition, STYPE = internal,
	FINALFUNC = top_n_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = top_n_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE approx_sorted_agg(anyelement, integer) (
	SFUNC = approx_sorted_agg_transition, STYPE = internal,
	FINALFUNC = approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);
CREATE AGGREGATE approx_sorted_agg(anyelement, integer, boolean) (
	SFUNC = approx_sorted_agg_transition, STYPE = internal,
	FINALFUNC = approx_sorted_agg_final, FINALFUNC_EXTRA,
	COMBINEFUNC = set_agg_combine, SERIALFUNC = set_agg_serialize, DESERIALFUNC = set_agg_deserialize,
	PARALLEL = SAFE);

/* unnest_sorted: inlined by the planner, so it costs no more than unnest. */
CREATE FUNCTION unnest_sorted(a anyarray, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION unnest_sorted(a anyarray, descending boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending)) WITH ORDINALITY AS u(value, ord) $$;
CREATE FUNCTION unnest_sorted(a anyarray, descending boolean, nulls_first boolean, OUT value anyelement, OUT ord bigint)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
	AS $$ SELECT u.value, u.ord FROM unnest(gpusort.array_sort(a, descending, nulls_first)) WITH ORDINALITY AS u(value, ord) $$;

CREATE FUNCTION order_by(query text, key text, descending boolean DEFAULT false,
						 nulls_first boolean DEFAULT NULL, buckets integer DEFAULT NULL)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE;

CREATE FUNCTION bucket(x anyelement, buckets integer) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION bucket(x anyelement, buckets integer, descending boolean) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE;
