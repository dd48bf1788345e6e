/*
 * element_type.c
 *	  Looks up element types and keeps them in a call site's cache.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "arrays/element_type.h"

/* The cache of a call site, made on the first call. */
CallCache *
gpusort_call_cache(FunctionCallInfo fcinfo)
{
	FmgrInfo   *call = fcinfo->flinfo;

	if (call->fn_extra == NULL)
		call->fn_extra = MemoryContextAllocZero(call->fn_mcxt, sizeof(CallCache));
	return (CallCache *) call->fn_extra;
}

/* Frees the comparators of a type or collation that is no longer the last one. */
static void
free_comparators(ElementType *element)
{
	memset(element->comparators, 0, sizeof(element->comparators));
	if (element->context != NULL)
		MemoryContextReset(element->context);
}

/* Looks up a type in the place of the one before.  Its comparators will lie below the context of the call site. */
static void
fill_element(ElementType *element, Oid type, MemoryContext call_site)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_LT_OPR);

	element->oid = type;
	element->length = entry->typlen;
	element->by_value = entry->typbyval;
	element->alignment = entry->typalign;
	element->is_key = gpusort_keys_form(type, &element->form);
	element->stride = entry->typlen > 0 ? att_align_nominal(entry->typlen, entry->typalign) : 0;
	element->array_type = get_array_type(type);
	element->ordered = OidIsValid(entry->lt_opr);
	element->call_site = call_site;
	free_comparators(element);
}

/* Looks up the element type of an argument and keeps it in the cache. */
ElementType *
gpusort_element_lookup(FunctionCallInfo fcinfo, CachedArgument argument, Oid type)
{
	ElementType *element = &gpusort_call_cache(fcinfo)->arguments[argument];

	if (element->oid != type)
		fill_element(element, type, fcinfo->flinfo->fn_mcxt);
	return element;
}

/* The type of an array's slices: the array type of its elements.  Raises an error if the elements have no order. */
ElementType *
gpusort_element_slices(FunctionCallInfo fcinfo, ElementType *element)
{
	ElementType *slices = &gpusort_call_cache(fcinfo)->slices;

	gpusort_element_require_order(element);
	if (!OidIsValid(element->array_type))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("could not find array type for data type %s", format_type_be(element->oid))));
	if (slices->oid != element->array_type)
		fill_element(slices, element->array_type, fcinfo->flinfo->fn_mcxt);
	return slices;
}

/* Raises an error unless values of the type can be ordered. */
void
gpusort_element_require_order(const ElementType *element)
{
	if (!element->ordered)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("could not identify a comparison function for type %s", format_type_be(element->oid)),
				 errhint("Only types with a default btree operator class can be sorted.")));
}

/* The comparator of the type for one direction.  It is valid until one of another type or collation is asked for. */
ComparatorSort *
gpusort_element_comparator(ElementType *element, Oid collation, bool descending)
{
	ComparatorSort **comparator = &element->comparators[descending];

	if (*comparator == NULL || (*comparator)->collation != collation)
	{
		MemoryContext caller;

		gpusort_element_require_order(element);
		if (*comparator != NULL)
			free_comparators(element);
		if (element->context == NULL)
			element->context = AllocSetContextCreate(element->call_site, "gpusort comparators", ALLOCSET_DEFAULT_SIZES);
		caller = MemoryContextSwitchTo(element->context);
		*comparator = gpusort_comparator_prepare(element->oid, collation, descending);
		MemoryContextSwitchTo(caller);
	}
	return *comparator;
}
