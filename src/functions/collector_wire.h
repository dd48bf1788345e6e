/*
 * collector_wire.h
 *	  A collector's values as bytes that another process can read.
 *
 * Format:
 *	 how the values are written	a letter of ValueWay
 *	 number of values			4 bytes
 *	 is there a bitmap?			a byte
 *	 bitmap of NULLs			if there is one
 *	 values						an image of all of them behind its length (4 bytes), or
 *								one after the other by their codec
 *
 * Reading trusts nothing: every number is checked against the bytes that are there
 * before it is used.
 */
#ifndef GPUSORT_COLLECTOR_WIRE_H
#define GPUSORT_COLLECTOR_WIRE_H

#include "functions/collector.h"
#include "functions/value_codec.h"

/* The letter and the numbers take at most this many bytes. */
#define GPUSORT_COLLECTOR_HEADER 16

extern Size gpusort_collector_wire_size(const Collector *collector);
extern void gpusort_collector_write(StringInfo bytes, const Collector *collector, ValueCodec *codec);
extern void gpusort_collector_read(StringInfo bytes, Collector *collector, ValueCodec *codec);

#endif							/* GPUSORT_COLLECTOR_WIRE_H */
