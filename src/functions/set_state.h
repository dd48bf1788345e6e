/*
 * set_state.h
 *	  What the set aggregates keep per group, and its form as bytes.
 *
 * Parallel workers send their states to the leader as bytea.  Extensions that run
 * aggregates on several servers send them over the network, and let any role hand
 * in bytes of its own.  So the bytes hold no pointer and no OID, and reading them
 * ends in a state that is as good as one collected from rows, or in an error.  Only
 * the order of the values is not looked at: where forged bytes break the promise
 * that they are sorted, so does the result.
 *
 * Format, version 1; numbers are in network order:
 *
 *	 "GSS", version				a byte each
 *	 length of the head			2 bytes
 *	 the head, alike in all states of one aggregate:
 *		'l' or 'b'				byte order of images: little or big endian
 *		kind					letter of SetKind
 *		flags					1: descending, 2: NULLs first
 *		number					4 bytes: n of top_n_agg, buckets of approx_sorted_agg, else 0
 *		encoding				name of the database's encoding
 *		collation				schema and name, empty for none
 *		type of the values		schema and name
 *		type of the keys		the same, of sorted_agg_by only
 *	 values						see collector_wire.h
 *	 keys						the same, of sorted_agg_by only
 *
 * A name is a byte that says its length, and so many bytes.  The default collation
 * is that of the reader's database.
 */
#ifndef GPUSORT_SET_STATE_H
#define GPUSORT_SET_STATE_H

#include "arrays/array_order.h"
#include "functions/collector.h"

#define GPUSORT_SET_STATE_MAGIC 0x53535047

/* The letters are part of the format. */
typedef enum SetKind
{
	SET_SORTED = 's',
	SET_SORTED_BY = 'k',
	SET_TOP_N = 't',
	SET_APPROXIMATE = 'a'
} SetKind;

typedef struct SetState
{
	uint32		magic;			/* other aggregates have states of type internal, too */
	SetKind		kind;
	ArrayOrder	order;
	MemoryContext context;		/* that everything lives in */
	Size		cut_bytes;		/* of top_n_agg: when to cut next */
	Collector	values;
	Collector	keys;			/* of sorted_agg_by */
	uint32		nruns;			/* combined from so many sorted runs of workers */
	uint32	   *run_ends;		/* which end at these values that are not NULL */
	bool		no_runs;		/* the runs do not all have the same order */
} SetState;

extern bytea *gpusort_set_state_write(FunctionCallInfo fcinfo, const SetState *state);
extern SetState *gpusort_set_state_read(FunctionCallInfo fcinfo, bytea *sent);

#endif							/* GPUSORT_SET_STATE_H */
