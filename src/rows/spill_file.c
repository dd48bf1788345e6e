/*
 * spill_file.c
 *	  A temporary file that is written from its start to its end, and then read; see spill_file.h.
 */
#include "postgres.h"

#include <fcntl.h>

#include "commands/tablespace.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/bufmgr.h"
#include "storage/fd.h"
#include "utils/wait_event.h"

#include "interrupt_interval.h"
#include "rows/spill_file.h"

#define SPILL_BUFFER_MIN ((Size) 16 * 1024)	/* more than a block of rows has, where work_mem is small */
#define SPILL_BUFFER_MAX ((Size) 64 * 1024)
#define SPILL_BUFFERS_IN_MEMORY 256	/* a buffer takes 1/256 of work_mem, within the limits above: each run merged has one */

struct SpillFile
{
	File		file;
	int64		holders;
	Size		buffer_bytes;
	int64		size;			/* bytes written, those in the buffer included */
	Size		unwritten;		/* bytes at the start of the buffer that are still to be written */
	int64		place;			/* where the next byte is read */
	int64		end;			/* where reading ahead ends */
	int64		read_from;		/* place of the bytes that were read into the buffer */
	Size		read_bytes;		/* and how many these are */
	MemoryContext context;
	char	   *buffer;			/* NULL while the file rests */
};

static SpillFile *
make_spill(File opened)
{
	SpillFile  *file = palloc0(sizeof(SpillFile));

	file->context = CurrentMemoryContext;
	file->buffer_bytes = Min(Max(work_mem * (Size) 1024 / SPILL_BUFFERS_IN_MEMORY, SPILL_BUFFER_MIN), SPILL_BUFFER_MAX);
	file->buffer = palloc(file->buffer_bytes);
	file->file = opened;
	file->holders = 1;
	return file;
}

SpillFile *
gpusort_rows_spill_create(void)
{
	PrepareTempTablespaces();
	return make_spill(OpenTemporaryFile(false));
}

SpillFile *
gpusort_rows_spill_share(FileSet *files, const char *name, bool create)
{
	File		opened = create ? FileSetCreate(files, name) : FileSetOpen(files, name, O_RDONLY);

	if (opened <= 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open temporary file \"%s\" of a parallel sort: %m", name)));
	return make_spill(opened);
}

/* Adds the time since start to a counter of the statement. */
static void
count_time(instr_time start, instr_time *counter)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_ACCUM_DIFF(*counter, now, start);
}

/* Writes bytes to a place of the file. */
static void
write_out(SpillFile *file, const char *data, Size bytes, int64 place)
{
	instr_time	start;

	INSTR_TIME_SET_ZERO(start);
	if (track_io_timing)
		INSTR_TIME_SET_CURRENT(start);
	pgBufferUsage.temp_blks_written += (bytes + BLCKSZ - 1) / BLCKSZ;
	while (bytes > 0)
	{
		int			written;

		CHECK_FOR_INTERRUPTS();
		written = FileWrite(file->file, (char *) data, Min(bytes, GPUSORT_INTERRUPT_BYTES), place, WAIT_EVENT_BUFFILE_WRITE);
		if (written <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write to file \"%s\": %m", FilePathName(file->file))));
		data += written;
		bytes -= written;
		place += written;
	}
	if (track_io_timing)
		count_time(start, &pgBufferUsage.temp_blk_write_time);
}

/* Reads up to so many bytes from the place where the file stands.  Returns how many, at least one. */
static Size
read_in(SpillFile *file, char *data, Size bytes)
{
	instr_time	start;
	int			read;

	INSTR_TIME_SET_ZERO(start);
	if (track_io_timing)
		INSTR_TIME_SET_CURRENT(start);
	CHECK_FOR_INTERRUPTS();
	read = FileRead(file->file, data, Min(bytes, GPUSORT_INTERRUPT_BYTES), file->place, WAIT_EVENT_BUFFILE_READ);
	if (read < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read file \"%s\": %m", FilePathName(file->file))));
	if (read == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" ends before the %zu bytes of rows that were written at its byte %lld",
						FilePathName(file->file), bytes, (long long) file->place)));
	if (track_io_timing)
		count_time(start, &pgBufferUsage.temp_blk_read_time);
	pgBufferUsage.temp_blks_read += (read + BLCKSZ - 1) / BLCKSZ;
	return read;
}

static void
flush(SpillFile *file)
{
	write_out(file, file->buffer, file->unwritten, file->size - file->unwritten);
	file->unwritten = 0;
}

void
gpusort_rows_spill_rest(SpillFile *file)
{
	if (file->unwritten > 0)
		flush(file);
	pfree(file->buffer);
	file->buffer = NULL;
}

void
gpusort_rows_spill_write(SpillFile *file, const void *data, Size bytes)
{
	const char *next = data;

	Assert(file->read_bytes == 0);
	while (bytes > 0)
	{
		Size		n = Min(bytes, file->buffer_bytes - file->unwritten);

		if (file->unwritten == 0 && n == file->buffer_bytes)
		{
			n = bytes - bytes % n;
			write_out(file, next, n, file->size);
		}
		else
		{
			memcpy(file->buffer + file->unwritten, next, n);
			file->unwritten += n;
		}
		file->size += n;
		next += n;
		bytes -= n;
		if (file->unwritten == file->buffer_bytes)
			flush(file);
	}
}

int64
gpusort_rows_spill_size(const SpillFile *file)
{
	return file->size;
}

void
gpusort_rows_spill_seek(SpillFile *file, int64 place, int64 end)
{
	if (file->unwritten > 0)
		flush(file);
	if (file->buffer == NULL)
		file->buffer = MemoryContextAlloc(file->context, file->buffer_bytes);
	file->place = place;
	file->end = end;
}

void
gpusort_rows_spill_read(SpillFile *file, void *data, Size bytes)
{
	char	   *next = data;

	while (bytes > 0)
	{
		int64		skipped = file->place - file->read_from;
		Size		n;

		if (skipped >= 0 && skipped < (int64) file->read_bytes)
		{
			n = Min(bytes, file->read_bytes - skipped);
			memcpy(next, file->buffer + skipped, n);
		}
		else if (bytes >= file->buffer_bytes)
			n = read_in(file, next, bytes);
		else
		{
			file->read_bytes = 0;
			file->read_bytes = read_in(file, file->buffer, Min(file->buffer_bytes, Max(file->end - file->place, (int64) bytes)));
			file->read_from = file->place;
			continue;
		}
		file->place += n;
		next += n;
		bytes -= n;
	}
}

void
gpusort_rows_spill_hold(SpillFile *file)
{
	file->holders++;
}

void
gpusort_rows_spill_close(SpillFile *file)
{
	if (--file->holders > 0)
		return;
	FileClose(file->file);
	if (file->buffer != NULL)
		pfree(file->buffer);
	pfree(file);
}
