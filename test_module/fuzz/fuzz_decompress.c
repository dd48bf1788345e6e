/*
 * fuzz_decompress.c
 *	  gpusort's decompressors and the server's: what gpusort takes the server must take, with
 *	  the same bytes.
 *
 * Input: method (a byte), size of the result (2 bytes), stream.
 */
#include "fuzz.h"

#include "access/htup_details.h"
#include "access/toast_compression.h"
#include "access/toast_internals.h"

#include "toast/array_decompress.h"

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

static void
run(FuzzInput *input)
{
	bool		lz4 = gpusort_fuzz_number(input, 1) & 1;
	uint32		result_size = gpusort_fuzz_number(input, 2) + 1;
	Size		size = VARHDRSZ_COMPRESSED + input->size - input->place;
	struct varlena *stream = malloc(size);
	char	   *result = malloc(result_size);

	memcpy((char *) stream + VARHDRSZ_COMPRESSED, input->data + input->place, input->size - input->place);
	SET_VARSIZE_COMPRESSED(stream, size);
	TOAST_COMPRESS_SET_SIZE_AND_COMPRESS_METHOD(stream, result_size, lz4 ? TOAST_LZ4_COMPRESSION_ID : TOAST_PGLZ_COMPRESSION_ID);
	if (gpusort_decompress(stream, result, result_size))
	{
		struct varlena *expected = decompress_by_server(stream, lz4);

		if (expected == NULL || VARSIZE(expected) != result_size + VARHDRSZ)
			gpusort_fuzz_fail("gpusort takes a stream that the server refuses");
		if (memcmp(result, VARDATA(expected), result_size) != 0)
			gpusort_fuzz_fail("gpusort and the server decompress to different bytes");
	}
	free(stream);
	free(result);
}

const FuzzTarget gpusort_fuzz_decompress = {.name = "decompress",.run = run};
