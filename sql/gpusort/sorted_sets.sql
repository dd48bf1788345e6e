/* The type sorted_set: sets that are kept in tables, sent between servers and merged. */

CREATE TYPE gpusort.sorted_set;
CREATE FUNCTION gpusort_internal.sorted_set_in(cstring) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_in' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_out(gpusort.sorted_set) RETURNS cstring
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_out' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_recv(internal) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_recv' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_send(gpusort.sorted_set) RETURNS bytea
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_send' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE TYPE gpusort.sorted_set (
	INPUT = gpusort_internal.sorted_set_in, OUTPUT = gpusort_internal.sorted_set_out,
	RECEIVE = gpusort_internal.sorted_set_recv, SEND = gpusort_internal.sorted_set_send,
	INTERNALLENGTH = VARIABLE, STORAGE = extended);
COMMENT ON TYPE gpusort.sorted_set IS 'values of one type in order, to be kept and merged';
COMMENT ON FUNCTION gpusort_internal.sorted_set_in(cstring) IS 'reads the text of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_out(gpusort.sorted_set) IS 'writes the text of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_recv(internal) IS 'reads the binary form of a sorted set';
COMMENT ON FUNCTION gpusort_internal.sorted_set_send(gpusort.sorted_set) IS 'writes the binary form of a sorted set';

CREATE FUNCTION gpusort_internal.merge_agg_transition(internal, gpusort.sorted_set) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpusort_merge_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpusort_internal.sorted_set_final(internal) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.merge_agg_transition(internal, gpusort.sorted_set) IS 'adds a row to the state of merge_agg';
COMMENT ON FUNCTION gpusort_internal.sorted_set_final(internal) IS 'makes the result of a state of sorted_set_agg or merge_agg';

CREATE AGGREGATE gpusort.sorted_set_agg(x anyelement[, descending boolean[, nulls_first boolean]]) (
	SFUNC = gpusort_internal.sorted_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE gpusort.merge_agg(s gpusort.sorted_set) (
	SFUNC = gpusort_internal.merge_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.merge_agg(gpusort.sorted_set) IS 'all sorted sets merged into one';
COMMENT ON AGGREGATE gpusort.sorted_set_agg(anyelement[, boolean[, boolean]]) IS 'the values as a sorted set';

CREATE FUNCTION gpusort.merge(a gpusort.sorted_set, b gpusort.sorted_set) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.merge(gpusort.sorted_set, gpusort.sorted_set) IS 'two sorted sets merged into one';
CREATE FUNCTION gpusort.sorted_array(s gpusort.sorted_set, element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_array(gpusort.sorted_set, anyelement) IS 'the values of a sorted set as an array; the second argument gives their type';
CREATE FUNCTION gpusort.sorted_set_count(s gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count(gpusort.sorted_set) IS 'how many values a sorted set has';
CREATE FUNCTION gpusort.sorted_set_count_distinct(s gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count_distinct(gpusort.sorted_set) IS 'how many different values a sorted set has';
CREATE FUNCTION gpusort.sorted_set_median(s gpusort.sorted_set) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_median(gpusort.sorted_set) IS 'the median of a sorted set, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_cont(s gpusort.sorted_set, fraction float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_cont(gpusort.sorted_set, float8) IS 'the percentile of a sorted set at the given fraction, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_cont(s gpusort.sorted_set, fractions float8[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_cont(gpusort.sorted_set, float8[]) IS 'the percentiles of a sorted set at the given fractions, interpolated';
CREATE FUNCTION gpusort.sorted_set_percentile_disc(s gpusort.sorted_set, fraction float8, element anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_disc(gpusort.sorted_set, float8, anyelement) IS 'the percentile of a sorted set at the given fraction, a value of the set; the third argument gives its type';
CREATE FUNCTION gpusort.sorted_set_percentile_disc(s gpusort.sorted_set, fractions float8[], element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_disc(gpusort.sorted_set, float8[], anyelement) IS 'the percentiles of a sorted set at the given fractions, values of the set; the third argument gives their type';
