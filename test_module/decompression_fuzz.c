/*
 * decompression_fuzz.c
 *	  Feeds changed streams to gpusort's decompressors and to the server's.
 *
 *	  fuzz_decompression(method text, seed int8, streams int4,
 *	                     OUT whole int4, OUT changed_and_equal int4, OUT refused int4)
 *
 * Bytes of several kinds are compressed by the server ("pglz" or "lz4").  The stream
 * as it is must give them back: whole counts these.  Then it is changed: bits flip,
 * bytes are replaced, moved, lost or added, or all of them are random.  What gpusort
 * takes the server must take, with the same bytes; what gpusort refuses is left to the
 * server.  Any other outcome is an error that names the stream's number.  The same seed
 * gives the same streams.
 *
 * Streams and results lie at the ends, and again at the beginnings, of memory between
 * pages that cannot be touched, so a byte read or written too far ends the server.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "toast/array_decompress.h"

#define MOST_BYTES (64 * 1024)	/* of an input, but for every 500th */
#define MANY_BYTES (3 * 1024 * 1024)	/* of every 500th */
#define GUARD ((Size) 65536)		/* a multiple of any page size */

PG_FUNCTION_INFO_V1(test_fuzz_decompression);

/* Memory between two guards. */
typedef struct Fenced
{
	char	   *start;
	Size		size;
} Fenced;

static uint64 random_state;

/* Returns a number from 0 to below - 1. */
static uint32
random_below(uint32 below)
{
	random_state = random_state * UINT64CONST(6364136223846793005) + UINT64CONST(1442695040888963407);
	return (uint32) ((random_state >> 32) % below);
}

static Fenced
fence(Size size)
{
	Fenced		fenced = {.size = TYPEALIGN(GUARD, size)};
	char	   *mapping = mmap(NULL, fenced.size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mapping == MAP_FAILED || mprotect(mapping + GUARD, fenced.size, PROT_READ | PROT_WRITE) != 0)
		elog(ERROR, "could not map memory for the test: %m");
	fenced.start = mapping + GUARD;
	return fenced;
}

/* Fills data with runs, repetitions, counters and noise, of a mixture that differs from call to call. */
static void
make_data(char *data, Size size)
{
	uint32		noise = random_below(100);
	Size		done = 0;

	while (done < size)
	{
		Size		length = 1 + random_below(random_below(10) == 0 ? 20000 : 300);
		Size		reach = random_below(2) ? 16 : 70000;

		length = Min(length, size - done);
		if (random_below(100) < noise)
			for (Size i = 0; i < length; i++)
				data[done + i] = random_below(256);
		else if (done > 0 && random_below(2))
		{
			Size		offset = 1 + random_below(Min(done, reach));

			for (Size i = 0; i < length; i++)
				data[done + i] = data[done + i - offset];
		}
		else
		{
			char		first = random_below(256);
			int			step = random_below(3);

			for (Size i = 0; i < length; i++)
				data[done + i] = first + step * (i / 4);
		}
		done += length;
	}
}

/* Changes a stream of *size bytes in a buffer of `most` bytes, and now and then the size of its result. */
static void
change(char *stream, Size *size, Size most, int32 *result_size)
{
	int			changes = 1 + random_below(4);

	if (random_below(20) == 0)
		for (Size i = 0; i < *size; i++)
			stream[i] = random_below(256);
	while (changes-- > 0)
	{
		Size		place = random_below(*size);
		Size		other = random_below(*size);
		Size		length = 1 + random_below(20);

		/* Often near an end. */
		if (random_below(3) == 0)
			place = random_below(Min(*size, 16));
		else if (random_below(3) == 0)
			place = *size - 1 - random_below(Min(*size, 16));
		switch (random_below(7))
		{
			case 0:
				stream[place] ^= 1 << random_below(8);
				break;
			case 1:
				stream[place] = random_below(256);
				break;
			case 2:
				stream[place] = random_below(2) ? 255 : 0;
				break;
			case 3:
				*size = Max(place, (Size) 1);
				break;
			case 4:
				while (*size < most && random_below(8) != 0)
					stream[(*size)++] = random_below(256);
				break;
			case 5:
				memmove(stream + place, stream + other, Min(length, *size - Max(place, other)));
				break;
			case 6:
				*result_size += (int32) random_below(41) - 20;
				*result_size = Max(*result_size, 1);
				break;
		}
	}
}

/* Runs gpusort's decompressor with stream and result at the ends of their memory, or at the beginnings. */
static bool
decompress_fenced(const struct varlena *compressed, Fenced *source, Fenced *target, bool at_end, char **result)
{
	Size		size = VARDATA_COMPRESSED_GET_EXTSIZE(compressed);
	Size		source_size = VARSIZE(compressed);
	char	   *copy = source->start + (at_end ? source->size - source_size : 0);

	*result = target->start + (at_end ? target->size - size : 0);
	memcpy(copy, compressed, source_size);
	return gpusort_decompress((struct varlena *) copy, *result, size);
}

/* The server's result, or NULL if it refuses the stream. */
static struct varlena *
decompress_by_server(const struct varlena *compressed, bool lz4)
{
	MemoryContext caller = CurrentMemoryContext;
	struct varlena *result = NULL;

	PG_TRY();
	{
		result = lz4 ? lz4_decompress_datum(compressed) : pglz_decompress_datum(compressed);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		if (geterrcode() != ERRCODE_DATA_CORRUPTED)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return result;
}

Datum
test_fuzz_decompression(PG_FUNCTION_ARGS)
{
	bool		lz4 = strcmp(text_to_cstring(PG_GETARG_TEXT_PP(0)), "lz4") == 0;
	int32		nstreams = PG_GETARG_INT32(2);
	Size		most = MANY_BYTES + MANY_BYTES / 2;
	Fenced		source = fence(most);
	Fenced		target = fence(most);
	MemoryContext each = AllocSetContextCreate(CurrentMemoryContext, "stream", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(each);
	int32		counts[3] = {0};
	TupleDesc	descriptor;
	Datum		values[3];
	bool		nulls[3] = {0};

	random_state = PG_GETARG_INT64(1);
	for (int32 number = 0; number < nstreams; number++)
	{
		Size		size = 1 + random_below(number % 500 == 499 ? MANY_BYTES : random_below(MOST_BYTES) + 1);
		struct varlena *data = palloc(size + VARHDRSZ);
		struct varlena *compressed;

		CHECK_FOR_INTERRUPTS();
		make_data(VARDATA(data), size);
		SET_VARSIZE(data, size + VARHDRSZ);
		compressed = lz4 ? lz4_compress_datum(data) : pglz_compress_datum(data);
		for (int changed = 0; compressed != NULL && changed < 4; changed++)
		{
			Size		stream_size = VARSIZE(compressed) - VARHDRSZ_COMPRESSED;
			int32		result_size = size;
			struct varlena *stream = palloc(VARSIZE(compressed) + 64);
			struct varlena *expected;

			memcpy(stream, compressed, VARSIZE(compressed));
			if (changed > 0)
				change((char *) stream + VARHDRSZ_COMPRESSED, &stream_size, stream_size + 60, &result_size);
			SET_VARSIZE_COMPRESSED(stream, stream_size + VARHDRSZ_COMPRESSED);
			TOAST_COMPRESS_SET_SIZE_AND_COMPRESS_METHOD(stream, result_size,
														lz4 ? TOAST_LZ4_COMPRESSION_ID : TOAST_PGLZ_COMPRESSION_ID);
			expected = decompress_by_server(stream, lz4);
			for (int at_end = 0; at_end < 2; at_end++)
			{
				char	   *result;
				bool		taken = decompress_fenced(stream, &source, &target, at_end, &result);
				bool		equal = expected != NULL && VARSIZE(expected) == result_size + VARHDRSZ;

				if (taken && !(equal && memcmp(result, VARDATA(expected), result_size) == 0))
					elog(ERROR, "stream %d, change %d: gpusort takes what the server %s", number, changed,
						 expected == NULL ? "refuses" : "decompresses to other bytes");
				if (!taken && changed == 0)
					elog(ERROR, "stream %d: gpusort refuses what the server has compressed", number);
				if (!at_end)
					counts[changed == 0 ? 0 : taken ? 1 : 2]++;
			}
			pfree(stream);
		}
		MemoryContextReset(each);
	}
	MemoryContextSwitchTo(caller);
	munmap(source.start - GUARD, source.size + 2 * GUARD);
	munmap(target.start - GUARD, target.size + 2 * GUARD);

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	for (int i = 0; i < 3; i++)
		values[i] = Int32GetDatum(counts[i]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
