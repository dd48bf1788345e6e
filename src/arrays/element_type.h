/*
 * element_type.h
 *	  What a function knows about the element type of an array argument, looked up
 *	  once per call site.
 *
 * A function keeps a CallCache in its fn_extra: one ElementType for each array
 * argument, and one for slices of a multidimensional array, which are compared as
 * arrays.  The layout is filled in at once; whether the type has an order is
 * asked only when something must be ordered, as in PostgreSQL's own array_sort,
 * so that arrays of a type without one can still be passed around.
 */
#ifndef GPUSORT_ELEMENT_TYPE_H
#define GPUSORT_ELEMENT_TYPE_H

#include "access/tupdesc.h"
#include "fmgr.h"

#include "arrays/comparator_sort.h"
#include "keys/key_types.h"

typedef struct ElementType
{
	Oid			oid;			/* InvalidOid: nothing looked up yet */
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	bool		is_key;			/* the engines sort it, in the form below */
	GpusortKeyForm form;
	uint16		stride;			/* bytes from one element to the next, where
								 * they have a fixed length; else 0 */
	Oid			array_type;
	bool		ordered;		/* has a default btree operator class */
	MemoryContext context;		/* that lives as long as this */
	ComparatorSort *comparators[2]; /* ascending, descending; NULL: not made yet */
} ElementType;

typedef struct CallCache
{
	ElementType arguments[2];
	ElementType slices;
	TupleDesc	record;			/* of a function that returns one */
	void	   *of_function;	/* what the function itself keeps */
} CallCache;

/* Array argument of a call, in the order of the cache. */
typedef enum CachedArgument
{
	FIRST_ARRAY,
	SECOND_ARRAY
} CachedArgument;

extern CallCache *gpusort_call_cache(FunctionCallInfo fcinfo);
extern ElementType *gpusort_element_lookup(FunctionCallInfo fcinfo, CachedArgument argument,
										   Oid type);
extern ElementType *gpusort_element_slices(FunctionCallInfo fcinfo, ElementType *element);
extern void gpusort_element_fill(ElementType *element, Oid type, MemoryContext context);
extern void gpusort_element_require_order(const ElementType *element);
extern ComparatorSort *gpusort_element_comparator(ElementType *element, Oid collation,
												  bool descending);

/* The element type of an argument, from the cache if this call site saw it before. */
static inline ElementType *
gpusort_element_type(FunctionCallInfo fcinfo, CachedArgument argument, Oid type)
{
	CallCache  *cache = (CallCache *) fcinfo->flinfo->fn_extra;

	if (likely(cache != NULL && cache->arguments[argument].oid == type))
		return &cache->arguments[argument];
	return gpusort_element_lookup(fcinfo, argument, type);
}

#endif							/* GPUSORT_ELEMENT_TYPE_H */
