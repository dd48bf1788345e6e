/*
 * enum_order.c
 *	  Enum types whose values order as their OIDs do, see enum_order.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "keys/enum_order.h"

bool
gpusort_enum_orders_by_oid(Oid type)
{
	CatCList   *labels;
	bool		even = true;

	type = getBaseType(type);
	if (!type_is_enum(type))
		return false;
	labels = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	for (int i = 0; i < labels->n_members && even; i++)
		even = GPUSORT_ENUM_LABEL_IS_EVEN(((Form_pg_enum) GETSTRUCT(&labels->members[i]->tuple))->oid);
	ReleaseCatCacheList(labels);
	return even;
}
