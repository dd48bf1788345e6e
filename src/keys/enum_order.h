/*
 * enum_order.h
 *	  Enum types whose values order as their OIDs do.
 */
#ifndef GPUSORT_ENUM_ORDER_H
#define GPUSORT_ENUM_ORDER_H

/*
 * The server compares two labels by their OIDs if both are even, otherwise by the catalog.
 * A label that ALTER TYPE ... ADD VALUE put before another has an odd OID.
 */
#define GPUSORT_ENUM_LABEL_IS_EVEN(label) ((label) % 2 == 0)

/* True if the type, or the base type of a domain, is an enum all of whose labels have even OIDs. */
extern bool gpusort_enum_orders_by_oid(Oid type);

#endif							/* GPUSORT_ENUM_ORDER_H */
