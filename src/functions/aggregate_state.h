/*
 * aggregate_state.h
 *	  What the set aggregates keep per group, and its form as bytes.
 *
 * Parallel workers send their states to the leader as bytea.  Extensions that run
 * aggregates on several servers send them over the network, and let any role hand in
 * bytes of its own.  So the bytes hold no pointer and no OID.  Reading them ends in a
 * state as valid as one collected from rows, or in an error.  Only the order of the
 * values is not checked: if forged values are not sorted, neither is the result.
 *
 * Format, version 1, which is sent; numbers are in network order:
 *
 *	 "GSS", version				a byte each
 *	 length of the head			2 bytes
 *	 the head, alike in all states of one aggregate:
 *		'l' or 'b'				byte order of images: little or big endian
 *		kind					letter of SetKind
 *		flags					1: descending, 2: NULLs first
 *		number					4 bytes: n of top_n_agg and top_n_agg_by, buckets of
 *								approx_sorted_agg and histogram_agg, else 0
 *		encoding				name of the database's encoding
 *		collation				schema and name, empty for none
 *		type of the values		schema and name
 *		type of the keys		the same, of kinds that have keys
 *	 values						see collector_wire.h
 *	 keys						the same, of kinds that have keys
 *
 * A name is its length in a byte, and its bytes.  The default collation is that of the
 * reader's database.
 *
 * Values of the type sorted_set are kept in another form, version 2, which outlives ALTER ... RENAME of types,
 * of their schemas and of labels: a type is its OID, in 4 bytes, and the values of an enum are an image of OIDs.
 * pg_upgrade preserves these; a dump has texts.  Collations keep their names, because
 * pg_upgrade does not preserve their OIDs.
 */
#ifndef GPUSORT_AGGREGATE_STATE_H
#define GPUSORT_AGGREGATE_STATE_H

#include "utils/memutils.h"

#include "arrays/array_order.h"
#include "arrays/ordered_values.h"
#include "functions/collector.h"
#include "functions/collector_wire.h"
#include "functions/group_rows.h"

#define GPUSORT_AGGREGATE_STATE_MAGIC 0x53535047

/* The letters are part of the format. */
typedef enum SetKind
{
	SET_SORTED = 's',
	SET_SORTED_BY = 'k',
	SET_TOP_N = 't',
	SET_APPROXIMATE = 'a',
	SET_VALUES = 'v',			/* of median, mode_agg and ordered-set aggregates: no order, no NULLs */
	SET_TOP_N_BY = 'b',
	SET_DISTINCT = 'd',			/* a value may stand more than once, no NULLs */
	SET_HISTOGRAM = 'h',		/* no order, no NULLs */
	SET_PERCENTILE = 'p'		/* no order, no NULLs, and as the only key the fraction or fractions asked for */
} SetKind;

typedef struct DistinctParts DistinctParts;
typedef struct ValueSort ValueSort;

typedef struct AggregateState
{
	uint32		magic;			/* tells it from the internal states of other aggregates */
	SetKind		kind;
	ArrayOrder	order;
	MemoryContext context;		/* holds everything */
	Size		cut_bytes;		/* it is cut next at this many bytes, of kinds that are cut */
	Size		spill_bytes;	/* memory that it may take, see value_store.h; 0 if that is not bounded */
	Size		work_bytes;		/* memory per value for sorting them, or finding them again */
	ValueSort *spilled;		/* all values, once they exceed spill_bytes; NULL before */
	DistinctParts *parts;		/* all values of a distinct kind, once there are too many; NULL before */
	GroupRows  *rows;			/* that transition functions take; NULL: each row comes by a call */
	bool		handed_over;	/* it is a whole state of this process, not prepared to be combined */
	bool		in_window;		/* it is of a frame of a WindowAgg, see window_values.h */
	bool		rows_leave;		/* rows may be taken out of it */
	bool		fractions_differ;	/* not all rows have the fraction of the first one */
	int64		searched;		/* values that results have been searched in */
	OrderedValues *ordered;		/* all values in order, once that is worth it; NULL before */
	bool		bounded;		/* keys must come before the bound to be among the first n */
	uint64		bound;			/* the bound's code in the state's order */
	Collector	values;
	Collector	keys;			/* of kinds that have keys */
} AggregateState;

/* True if each value has a key. */
static inline bool
gpusort_agg_is_by_key(SetKind kind)
{
	return kind == SET_SORTED_BY || kind == SET_TOP_N_BY;
}

/* True if a state of the kind has keys. */
static inline bool
gpusort_agg_has_keys(SetKind kind)
{
	return gpusort_agg_is_by_key(kind) || kind == SET_PERCENTILE;
}

/* States of distinct values are cut at this many bytes for the first time. */
#define GPUSORT_DISTINCT_BYTES ((Size) 64 * 1024)

/* The bytes at which a state is cut next, if it has this many after a cut. */
static inline Size
gpusort_next_cut(Size bytes, Size factor, Size least)
{
	return Max(least, Min(factor * bytes, (bytes + MaxAllocSize) / 2));
}

/* True if a state holds no values, in memory or elsewhere. */
static inline bool
gpusort_agg_is_empty(const AggregateState *state)
{
	return state == NULL || (state->values.count == 0 && state->spilled == NULL &&
							 (state->ordered == NULL || gpusort_ordered_count(state->ordered) == 0));
}

/* True if NULLs are not among the values. */
static inline bool
gpusort_agg_leaves_nulls_out(SetKind kind)
{
	return kind == SET_VALUES || kind == SET_PERCENTILE || kind == SET_DISTINCT || kind == SET_HISTOGRAM;
}

/* The state as bytes. */
extern bytea *gpusort_agg_state_write(FunctionCallInfo fcinfo, const AggregateState *state, CodecForm form);

/* Raises an error for a state that is not wanted.  It has no values yet. */
typedef void (*AggregateStateCheck) (FunctionCallInfo fcinfo, const AggregateState *state);

/* The state in the bytes, which its values may point into.  The check is called before any value is read; it may be NULL. */
extern AggregateState *gpusort_agg_state_read(FunctionCallInfo fcinfo, bytea *bytes, CodecForm form, AggregateStateCheck check);

#endif							/* GPUSORT_AGGREGATE_STATE_H */
