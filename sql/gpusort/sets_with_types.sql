/*
 * Aggregates whose types are declared, for engines that run an aggregate's parts on several servers and call them without an
 * expression that says types.  The names are those of gpusort, in a schema of their own: beside those of any type they would be
 * ambiguous.
 */

CREATE SCHEMA gpusort_distributed;
COMMENT ON SCHEMA gpusort_distributed IS 'aggregates of gpusort with declared types, for engines that spread an aggregate over servers';
GRANT USAGE ON SCHEMA gpusort_distributed TO PUBLIC;

CREATE FUNCTION gpusort_internal.count_distinct_final(internal) RETURNS bigint
	AS 'MODULE_PATHNAME', 'gpusort_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.count_distinct_final(internal) IS 'makes the result of a state of count_distinct';
CREATE FUNCTION gpusort_internal.histogram_agg_final(internal) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'gpusort_histogram_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gpusort_internal.histogram_agg_final(internal) IS 'makes the result of a state of histogram_agg';

DO $distributed$
DECLARE
	-- Of sorted_agg_by and top_n_agg_by the most used types only, for there is one for each pair.
	keys text[] := '{int8,float8,numeric,text,timestamp,timestamptz}';
	keyed text[] := '{int4,int8,float8,numeric,text,timestamptz,uuid}';
	value text;
	made record;
	function record;
BEGIN
	FOREACH value IN ARRAY '{int2,int4,int8,float4,float8,numeric,text,date,timestamp,timestamptz,uuid}'::text[] LOOP
		-- What makes the results of this type.
		FOR function IN SELECT * FROM (VALUES
				('sorted_final_', '[]', 'gpusort_set_agg_final', 'makes an array of a state of sorted_agg or its kin'),
				('percentile_final_', '', 'gpusort_percentile_disc_agg_final', 'makes the result of a state of percentile_disc_agg'),
				('percentiles_final_', '[]', 'gpusort_percentile_disc_agg_final', 'makes the result of a state of percentile_disc_agg'),
				('mode_final_', '', 'gpusort_mode_agg_final', 'makes the result of a state of mode_agg')) f (name, brackets, symbol, says) LOOP
			EXECUTE pg_catalog.format($$CREATE FUNCTION gpusort_internal.%s(internal) RETURNS %s AS 'MODULE_PATHNAME', %L LANGUAGE C IMMUTABLE PARALLEL SAFE$$,
				function.name || value, value || function.brackets, function.symbol);
			EXECUTE pg_catalog.format('COMMENT ON FUNCTION gpusort_internal.%s(internal) IS %L', function.name || value, function.says);
		END LOOP;

		FOR made IN
			SELECT name, name || '_transition' AS transition, options, coalesce(final, 'sorted_final_' || value) AS final, says
			FROM (VALUES
				('sorted_agg', '', NULL, 'the values as an array in order'),
				('sorted_agg', ', descending boolean', NULL, 'the values as an array in order'),
				('sorted_agg', ', descending boolean, nulls_first boolean', NULL, 'the values as an array in order'),
				('top_n_agg', ', n bigint', NULL, 'the n greatest values as an array in order, or the n least'),
				('top_n_agg', ', n bigint, descending boolean', NULL, 'the n greatest values as an array in order, or the n least'),
				('top_n_agg', ', n bigint, descending boolean, nulls_first boolean', NULL, 'the n greatest values as an array in order, or the n least'),
				('mode_agg', '', 'mode_final_' || value, 'the most frequent value, of several the least'),
				('count_distinct', '', 'count_distinct_final', 'how many different values there are')) a (name, options, final, says)
			UNION ALL
			SELECT 'percentile_disc_agg', 'percentile_transition', options, final || value, says
			FROM (VALUES
				(', fraction float8', 'percentile_final_', 'the percentile at the given fraction, a value of the set'),
				(', fractions float8[]', 'percentiles_final_', 'the percentiles at the given fractions, values of the set')) a (options, final, says)
			UNION ALL
			SELECT name, name || '_transition', ', buckets bigint', coalesce(final, 'sorted_final_' || value), says
			FROM (VALUES
				('approx_sorted_agg', NULL, 'the values as an array in approximate order, by intervals of equal width'),
				('histogram_agg', 'histogram_agg_final', 'how many values each of so many intervals of equal width has')) a (name, final, says)
			WHERE value NOT IN ('numeric', 'text', 'uuid')
			UNION ALL
			SELECT name, name || '_transition', pg_catalog.format(options, key), 'sorted_final_' || value, says
			FROM (VALUES
				('sorted_agg_by', ', key %s', 'the values as an array in the order of their keys'),
				('sorted_agg_by', ', key %s, descending boolean', 'the values as an array in the order of their keys'),
				('top_n_agg_by', ', key %s, n bigint', 'values of the n greatest keys, greatest first'),
				('top_n_agg_by', ', key %s, n bigint, descending boolean', 'values of the n greatest or least keys, in their order')) a (name, options, says),
				pg_catalog.unnest(keys) key
			WHERE value = ANY (keyed)
		LOOP
			EXECUTE pg_catalog.format($$CREATE OR REPLACE FUNCTION gpusort_internal.%s(internal, %s) RETURNS internal AS 'MODULE_PATHNAME', %L LANGUAGE C IMMUTABLE PARALLEL SAFE$$,
				made.transition, value || made.options, 'gpusort_' || made.transition);
			EXECUTE pg_catalog.format('COMMENT ON FUNCTION gpusort_internal.%s(internal, %s) IS %L',
				made.transition, value || made.options, 'adds a row to the state of ' || made.name);
			EXECUTE pg_catalog.format('CREATE AGGREGATE gpusort_distributed.%s(x %s) (SFUNC = gpusort_internal.%s, STYPE = internal%s, FINALFUNC = gpusort_internal.%s,
				COMBINEFUNC = gpusort_internal.set_agg_combine, SERIALFUNC = gpusort_internal.set_agg_serialize, DESERIALFUNC = gpusort_internal.set_agg_deserialize,
				PARALLEL = SAFE)', made.name, value || made.options, made.transition,
				CASE WHEN made.name LIKE 'top_n%' THEN '' ELSE ', SSPACE = -1' END, made.final);
			EXECUTE pg_catalog.format('COMMENT ON AGGREGATE gpusort_distributed.%s(x %s) IS %L', made.name, value || made.options, made.says);
		END LOOP;
	END LOOP;
END
$distributed$;
