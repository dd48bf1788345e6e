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
CREATE AGGREGATE gpusort.merge_agg(set gpusort.sorted_set) (
	SFUNC = gpusort_internal.merge_agg_transition, STYPE = internal, SSPACE = -1,
	FINALFUNC = gpusort_internal.sorted_set_final,
	COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize,
	DESERIALFUNC = gpusort_internal.set_agg_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE gpusort.merge_agg(gpusort.sorted_set) IS 'sorted set: all sorted sets merged into one; those that are NULL are left out. Errors as merge.';
COMMENT ON AGGREGATE gpusort.sorted_set_agg(anyelement[, boolean[, boolean]]) IS 'sorted set: the values as a sorted set';

CREATE FUNCTION gpusort.merge(a gpusort.sorted_set, b gpusort.sorted_set) RETURNS gpusort.sorted_set
	AS 'MODULE_PATHNAME', 'gpusort_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort.merge(gpusort.sorted_set, gpusort.sorted_set) IS 'sorted set: two sorted sets merged into one. Sets of different types or orders raise 42804.';
CREATE FUNCTION gpusort.sorted_array(set gpusort.sorted_set, element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_array' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_array(gpusort.sorted_set, anyelement) IS
	'sorted set: the values of a sorted set as an array; the second argument gives their type, as in jsonb_populate_record, and its '
	'value does not matter. Another type than the set''s raises 42804.';
CREATE FUNCTION gpusort.sorted_set_count(set gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count(gpusort.sorted_set) IS 'sorted set: how many values a sorted set has, NULLs included';
CREATE FUNCTION gpusort.sorted_set_count_distinct(set gpusort.sorted_set) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_count_distinct' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_count_distinct(gpusort.sorted_set) IS 'sorted set: how many different values a sorted set has, as count_distinct gives it';
CREATE FUNCTION gpusort.sorted_set_median(set gpusort.sorted_set) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_median(gpusort.sorted_set) IS
	'sorted set: the median of a sorted set of integers or floats, interpolated; of other types it raises 0A000';
CREATE FUNCTION gpusort.sorted_set_percentile_cont(set gpusort.sorted_set, fraction float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION gpusort.sorted_set_percentile_cont(set gpusort.sorted_set, fractions float8[]) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_cont' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_cont(gpusort.sorted_set, {float8|float8[]}) IS
	'sorted set: the percentile of a sorted set at the given fraction, interpolated; of an array of fractions, an array. It counts '
	'from the least value, whatever the set''s order. Types as for sorted_set_median.';
CREATE FUNCTION gpusort.sorted_set_percentile_disc(set gpusort.sorted_set, fraction float8, element anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
CREATE FUNCTION gpusort.sorted_set_percentile_disc(set gpusort.sorted_set, fractions float8[], element anyelement) RETURNS anyarray
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_percentile_disc' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort.sorted_set_percentile_disc(gpusort.sorted_set, {float8|float8[]}, anyelement) IS
	'sorted set: the percentile of a sorted set at the given fraction, a value of the set; the last argument gives its type. '
	'Fractions and order as for sorted_set_percentile_cont.';

-- {value} = int2 int4 int8 float4 float8 numeric text date timestamp timestamptz uuid
CREATE FUNCTION gpusort_internal.sorted_set_{value}(gpusort.sorted_set) RETURNS {value}[]
	AS 'MODULE_PATHNAME', 'gpusort_sorted_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION gpusort_internal.sorted_set_{value}(gpusort.sorted_set) IS 'the values of a sorted set as an array';
CREATE CAST (gpusort.sorted_set AS {value}[]) WITH FUNCTION gpusort_internal.sorted_set_{value}(gpusort.sorted_set);
COMMENT ON CAST (gpusort.sorted_set AS {value}[]) IS 'the values of a sorted set as an array';

/* Order of sets, so that they can be compared, grouped and indexed. */
CREATE FUNCTION gpusort_internal.sorted_set_cmp(gpusort.sorted_set, gpusort.sorted_set) RETURNS integer
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort_internal.sorted_set_cmp(gpusort.sorted_set, gpusort.sorted_set) IS 'compares two sorted sets';
CREATE FUNCTION gpusort_internal.sorted_set_{lt|le|eq|ne|ge|gt}(gpusort.sorted_set, gpusort.sorted_set) RETURNS boolean
	AS 'MODULE_PATHNAME', 'gpusort_sorted_set_{lt|le|eq|ne|ge|gt}' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION gpusort_internal.sorted_set_{lt|le|eq|ne|ge|gt}(gpusort.sorted_set, gpusort.sorted_set) IS 'implementation of an operator';
CREATE OPERATOR gpusort.{<|<=|>|>=} (LEFTARG = gpusort.sorted_set, RIGHTARG = gpusort.sorted_set, FUNCTION = gpusort_internal.sorted_set_{lt|le|gt|ge},
	COMMUTATOR = OPERATOR(gpusort.{>|>=|<|<=}), NEGATOR = OPERATOR(gpusort.{>=|>|<=|<}), RESTRICT = scalar{lt|le|gt|ge}sel, JOIN = scalar{lt|le|gt|ge}joinsel);
CREATE OPERATOR gpusort.{=|<>} (LEFTARG = gpusort.sorted_set, RIGHTARG = gpusort.sorted_set, FUNCTION = gpusort_internal.sorted_set_{eq|ne},
	COMMUTATOR = OPERATOR(gpusort.{=|<>}), NEGATOR = OPERATOR(gpusort.{<>|=}), RESTRICT = {eq|neq}sel, JOIN = {eq|neq}joinsel{, MERGES|});
COMMENT ON OPERATOR gpusort.{<|<=|=|<>|>=|>} (gpusort.sorted_set, gpusort.sorted_set) IS '{less than|less than or equal|equal|not equal|greater than or equal|greater than}';
CREATE OPERATOR CLASS gpusort.sorted_set_ops DEFAULT FOR TYPE gpusort.sorted_set USING btree AS
	OPERATOR 1 gpusort.<, OPERATOR 2 gpusort.<=, OPERATOR 3 gpusort.=, OPERATOR 4 gpusort.>=, OPERATOR 5 gpusort.>,
	FUNCTION 1 gpusort_internal.sorted_set_cmp(gpusort.sorted_set, gpusort.sorted_set);
COMMENT ON OPERATOR CLASS gpusort.sorted_set_ops USING btree IS 'sorted sets, by type and order, then by their values';
COMMENT ON OPERATOR FAMILY gpusort.sorted_set_ops USING btree IS 'sorted sets, by type and order, then by their values';
