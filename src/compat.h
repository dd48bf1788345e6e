/*
 * compat.h
 *	  The only place that asks which PostgreSQL it is built for.
 *
 * Each entry names the server's change.  PostgreSQL 15, 17 and 18 are supported.
 */
#ifndef GPUSORT_COMPAT_H
#define GPUSORT_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "gpusort needs PostgreSQL 15 or newer"
#endif

/* PostgreSQL 18 (9324c8c58) lets a module say its name and version. */
#if PG_VERSION_NUM >= 180000
#define GPUSORT_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "gpusort", .version = GPUSORT_VERSION)
#else
#define GPUSORT_MODULE_MAGIC PG_MODULE_MAGIC
#endif

#endif							/* GPUSORT_COMPAT_H */
