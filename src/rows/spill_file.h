/*
 * spill_file.h
 *	  A temporary file that is written from its start to its end, and then read.
 *
 *	  create --> write ... --> seek, read (as often as wanted) --> close
 *
 * The server's BufFile passes 8 kB at a time to the kernel, whose work is mostly per call
 * and per page: a buffer of 64 kB halves it.  Otherwise the files are as those of BufFile:
 * temp_tablespaces, temp_file_limit, log_temp_files and EXPLAIN (BUFFERS) know them, and
 * they end with the transaction.  Interrupts are heeded while much is written or read.
 */
#ifndef GPUSORT_SPILL_FILE_H
#define GPUSORT_SPILL_FILE_H

#include "storage/fileset.h"

typedef struct SpillFile SpillFile;

extern SpillFile *gpusort_rows_spill_create(void);

/* Creates a file that parallel workers read by its name, or opens it, once it rests. */
extern SpillFile *gpusort_rows_spill_share(FileSet *files, const char *name, bool create);

extern void gpusort_rows_spill_write(SpillFile *file, const void *data, Size bytes);

/* Bytes written: the place where the next byte goes. */
extern int64 gpusort_rows_spill_size(const SpillFile *file);

/* Goes to a place to read.  What lies from `end` on is not wanted soon, so it is not read ahead. */
extern void gpusort_rows_spill_seek(SpillFile *file, int64 place, int64 end);
extern void gpusort_rows_spill_read(SpillFile *file, void *data, Size bytes);

/* Gives the memory of the buffer back until the next seek.  No more is written. */
extern void gpusort_rows_spill_rest(SpillFile *file);

/* One more holds the file, or one no longer does: it is closed by the last one. */
extern void gpusort_rows_spill_hold(SpillFile *file);
extern void gpusort_rows_spill_close(SpillFile *file);

#endif							/* GPUSORT_SPILL_FILE_H */
