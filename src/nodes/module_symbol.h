/*
 * module_symbol.h
 *	  Which functions of pg_proc are the extension's, and entry points of this module.
 */
#ifndef GPUSORT_MODULE_SYMBOL_H
#define GPUSORT_MODULE_SYMBOL_H

#include "access/htup.h"

/* The entry point that a row of pg_proc names in this module; NULL if the function is another one. */
extern char *gpusort_module_symbol(HeapTuple proc);

/* True if a function or an aggregate is a member of the extension. */
extern bool gpusort_is_own_function(Oid function);

#endif							/* GPUSORT_MODULE_SYMBOL_H */
