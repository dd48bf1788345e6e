/*
 * element_type.h
 *	  What a function knows about the element type of an array argument, looked up
 *	  once per call site.
 *
 * A function keeps a CallCache in its fn_extra: an ElementType for each array argument,
 * and one for the slices of a multidimensional array, which are compared as arrays.  A
 * type without an order is an error only when something must be ordered, as in
 * PostgreSQL's own array_sort.
 */
#ifndef GPUSORT_ELEMENT_TYPE_H
#define GPUSORT_ELEMENT_TYPE_H

#include "access/htup_details.h"
#include "access/tupdesc.h"
#include "access/tupmacs.h"
#include "fmgr.h"

#include "arrays/comparator_sort.h"
#include "keys/key_compare.h"
#include "keys/key_types.h"

typedef struct ElementType
{
	Oid			oid;			/* InvalidOid until it is looked up */
	int16		length;			/* pg_type.typlen */
	bool		by_value;
	char		alignment;
	bool		is_key;			/* the engines sort it as keys of this form */
	GpusortKeyForm form;
	uint16		stride;			/* bytes from one element to the next, or 0 if their
								 * length varies */
	Oid			array_type;
	bool		ordered;		/* has a default btree operator class */
	MemoryContext call_site;	/* lives as long as the element */
	MemoryContext context;		/* holds the comparators; NULL before the first */
	ComparatorSort *comparators[2]; /* ascending and descending; NULL until needed */
} ElementType;

typedef struct CallCache
{
	ElementType arguments[2];
	ElementType slices;
	TupleDesc	record;			/* of a function that returns a record */
	void	   *of_function;	/* what the function itself keeps, or NULL */
} CallCache;

/* The place of an array argument in the cache. */
typedef enum CachedArgument
{
	FIRST_ARRAY,
	SECOND_ARRAY
} CachedArgument;

extern CallCache *gpusort_call_cache(FunctionCallInfo fcinfo);
extern ElementType *gpusort_element_lookup(FunctionCallInfo fcinfo, CachedArgument argument,
										   Oid type);
extern ElementType *gpusort_element_slices(FunctionCallInfo fcinfo, ElementType *element);
extern void gpusort_element_require_order(const ElementType *element);
extern ComparatorSort *gpusort_element_comparator(ElementType *element, Oid collation,
												  bool descending);

/* The element type of an argument, from the cache if it is the one of the last call. */
static inline ElementType *
gpusort_element_type(FunctionCallInfo fcinfo, CachedArgument argument, Oid type)
{
	CallCache  *cache = (CallCache *) fcinfo->flinfo->fn_extra;

	if (likely(cache != NULL && cache->arguments[argument].oid == type))
		return &cache->arguments[argument];
	return gpusort_element_lookup(fcinfo, argument, type);
}

/* The element that is stored at a place.  Moves the place to the next one. */
static inline Datum
gpusort_element_read(const ElementType *element, const char **place)
{
	Datum		value = fetch_att(*place, element->by_value, element->length);

	*place = att_addlength_pointer(*place, element->length, *place);
	*place = (const char *) att_align_nominal(*place, element->alignment);
	return value;
}

/* The code of a value of a type that is a key. */
static inline uint64
gpusort_element_code(const ElementType *element, Datum value)
{
	uint64		stored = 0;

	if (!element->by_value)
		return gpusort_key_code(element->form, DatumGetPointer(value), 0);
	store_att_byval(&stored, value, element->length);
	return gpusort_key_code(element->form, &stored, 0);
}

#endif							/* GPUSORT_ELEMENT_TYPE_H */
