/*
 * explain_headers.h
 *	  The server's headers of EXPLAIN.
 */
#ifndef GPUSORT_EXPLAIN_HEADERS_H
#define GPUSORT_EXPLAIN_HEADERS_H

#include "commands/explain.h"

#include "compat.h"

#ifdef GPUSORT_SPLIT_EXPLAIN
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

#endif							/* GPUSORT_EXPLAIN_HEADERS_H */
