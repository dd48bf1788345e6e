/*
 * module_symbol.h
 *	  Which functions of pg_proc are entry points of this module.
 */
#ifndef GPUSORT_MODULE_SYMBOL_H
#define GPUSORT_MODULE_SYMBOL_H

#include "access/htup.h"

/* The entry point that a row of pg_proc names in this module; NULL if the function is another one. */
extern char *gpusort_module_symbol(HeapTuple proc);

#endif							/* GPUSORT_MODULE_SYMBOL_H */
