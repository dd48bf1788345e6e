/*
 * device_list.c
 *	  See device_list.h.
 */
#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/varlena.h"

#include "device/shared/device_list.h"

bool
gpusort_device_list_read(const char *list, uint32 *ordinals)
{
	char	   *copy;
	List	   *names;
	ListCell   *cell;
	bool		ok;

	*ordinals = pg_strcasecmp(list, "all") == 0 ? GPUSORT_ALL_DEVICES : 0;
	if (*ordinals != 0 || pg_strcasecmp(list, "none") == 0)
		return true;
	copy = pstrdup(list);
	ok = SplitGUCList(copy, ',', &names);
	foreach(cell, names)
	{
		const char *name = lfirst(cell);
		char	   *end;
		long		ordinal = strtol(name, &end, 10);

		if (!ok || end == name || *end != '\0' || ordinal < 0 || ordinal >= GPUSORT_MAX_DEVICES)
			ok = false;
		else
			*ordinals |= (uint32) 1 << ordinal;
	}
	list_free(names);
	pfree(copy);
	return ok;
}
