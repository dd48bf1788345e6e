/*
 * decompression_time.c
 *	  The CPU time that a stored, compressed value takes to decompress, for bench/decompression.
 *
 *	  decompression_ms(value int4[], by_server bool) RETURNS float8
 *
 * Both ways begin with the compressed bytes in memory and end with the value in
 * memory of its own.  NULL where the value is not compressed.
 */
#include "postgres.h"

#include <time.h>

#include "access/detoast.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "fmgr.h"
#include "utils/array.h"

#include "large_memory.h"
#include "toast/array_decompress.h"

PG_FUNCTION_INFO_V1(test_decompression_ms);

static double
cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

Datum
test_decompression_ms(PG_FUNCTION_ARGS)
{
	struct varlena *compressed = detoast_external_attr((struct varlena *) PG_GETARG_POINTER(0));
	Size		size;
	double		start;
	void	   *value;

	if (!VARATT_IS_COMPRESSED(compressed))
		PG_RETURN_NULL();
	size = VARDATA_COMPRESSED_GET_EXTSIZE(compressed);
	start = cpu_ms();
	if (!PG_GETARG_BOOL(1))
	{
		value = gpusort_alloc_large(CurrentMemoryContext, size + VARHDRSZ);
		if (!gpusort_decompress(compressed, VARDATA(value), size))
			elog(ERROR, "the value is not as its header says");
	}
	else if (TOAST_COMPRESS_METHOD(compressed) == TOAST_LZ4_COMPRESSION_ID)
		value = lz4_decompress_datum(compressed);
	else
		value = pglz_decompress_datum(compressed);
	start = cpu_ms() - start;
	pfree(value);
	PG_RETURN_FLOAT8(start);
}
