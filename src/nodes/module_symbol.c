/*
 * module_symbol.c
 *	  Which functions of pg_proc are the extension's, and entry points of this module,
 *	  whatever their schemas and names are.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "nodes/module_symbol.h"

#define EXTENSION "gpusort"
#define MODULE_NAME "gpusort"

/* True if a library's name, without folder and suffix, is that of this module. */
static bool
in_this_module(const char *library)
{
	const char *slash = strrchr(library, '/');
	const char *name = slash ? slash + 1 : library;
	size_t		length = strlen(MODULE_NAME);

	return strncmp(name, MODULE_NAME, length) == 0 && (name[length] == '\0' || strcmp(name + length, DLSUFFIX) == 0);
}

char *
gpusort_module_symbol(HeapTuple proc)
{
	Datum		library;
	Datum		symbol;
	bool		isnull;

	if (((Form_pg_proc) GETSTRUCT(proc))->prolang != ClanguageId)
		return NULL;
	library = SysCacheGetAttr(PROCOID, proc, Anum_pg_proc_probin, &isnull);
	if (isnull || !in_this_module(TextDatumGetCString(library)))
		return NULL;
	symbol = SysCacheGetAttr(PROCOID, proc, Anum_pg_proc_prosrc, &isnull);
	return isnull ? NULL : TextDatumGetCString(symbol);
}

bool
gpusort_is_own_function(Oid function)
{
	/* In a database without the extension neither of the two is valid. */
	Oid			owner = function < FirstNormalObjectId ? InvalidOid : getExtensionOfObject(ProcedureRelationId, function);

	return OidIsValid(owner) && owner == get_extension_oid(EXTENSION, true);
}
