/*
 * toast_reader.h
 *	  Writes the flat image of a stored value to a place of the caller's, with as
 *	  little copying and searching as can be done.
 *
 * A reader serves many values one after another, so it remembers where the last
 * chunk lay: see toast_reader.c.  From the first value on it may hold two buffer
 * pins, until gpusort_toast_pause.  The arrays node reads its child's rows between
 * values and pauses the reader before it returns a row.
 */
#ifndef GPUSORT_TOAST_READER_H
#define GPUSORT_TOAST_READER_H

typedef struct ToastReader ToastReader;

extern ToastReader *gpusort_toast_begin(void);
extern void gpusort_toast_flatten(ToastReader *reader, Datum value, Size size, char *place);
extern void gpusort_toast_pause(ToastReader *reader);
extern void gpusort_toast_end(ToastReader *reader);

#endif							/* GPUSORT_TOAST_READER_H */
