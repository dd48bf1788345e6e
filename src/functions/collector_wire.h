/*
 * collector_wire.h
 *	  A collector's values as bytes that another process can read.
 *
 * Written are how the values travel (a letter of ValueWay), their number (4 bytes),
 * whether there is a bitmap of NULLs (a byte), that bitmap, and the values: the
 * length of an image of all of them (4 bytes) and the image, or one after the other
 * by their codec.  Reading believes nothing: every number is checked against
 * the bytes that are there before it is used.
 */
#ifndef GPUSORT_COLLECTOR_WIRE_H
#define GPUSORT_COLLECTOR_WIRE_H

#include "functions/collector.h"
#include "functions/value_codec.h"

/* Letter and numbers take no more. */
#define GPUSORT_COLLECTOR_HEADER 16

extern Size gpusort_collector_wire_size(const Collector *collector);
extern void gpusort_collector_write(StringInfo bytes, const Collector *collector, ValueCodec *codec);
extern void gpusort_collector_read(StringInfo bytes, Collector *collector, ValueCodec *codec);

#endif							/* GPUSORT_COLLECTOR_WIRE_H */
