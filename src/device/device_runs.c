/*
 * device_runs.c
 *	  Merges sorted runs: what is left to do when data does not fit a device.
 *
 * The first run moves to scratch memory, so that merging forward into its place
 * never overtakes what it still has to read.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/device_runs.h"
#include "huge_pages.h"

#define INTERRUPT_EVERY 65536	/* entries merged between checks */

/* The code of key i, as it orders among the spec's keys; zeros tie. */
static inline uint64_t
code_at(const GpusortSpec *spec, const void *keys, uint64_t i)
{
	uint64_t	code;

	switch (gpusort_key_width(spec->form))
	{
		case 2:
			code = gpusort_encode16(((const uint16_t *) keys)[i]);
			break;
		case 4:
			code = gpusort_encode32_tied(spec->form, ((const uint32_t *) keys)[i]);
			break;
		default:
			code = gpusort_encode64_tied(spec->form, ((const uint64_t *) keys)[i]);
	}
	return spec->descending ? ~code : code;
}

void
gpusort_runs_merge_keys(const GpusortSpec *spec, void *keys, uint64_t left, uint64_t count)
{
	uint32_t	width = gpusort_key_width(spec->form);
	char	   *scratch = gpusort_alloc_large(CurrentMemoryContext, left * width + 1);
	uint64_t	a = 0;
	uint64_t	b = left;

	memcpy(scratch, keys, left * width);
	for (uint64_t out = 0; a < left; out++)
	{
		bool		from_first = b == count || code_at(spec, scratch, a) <= code_at(spec, keys, b);
		const char *source = from_first ? scratch + a++ * width : (char *) keys + b++ * width;

		memcpy((char *) keys + out * width, source, width);
		if (out % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
	}
	pfree(scratch);
}

void
gpusort_runs_merge_index(const GpusortSpec *spec, const void *keys, uint32_t *index, uint64_t left, uint64_t count)
{
	uint32_t   *scratch = gpusort_alloc_large(CurrentMemoryContext, left * sizeof(uint32_t) + 1);
	uint64_t	a = 0;
	uint64_t	b = left;

	memcpy(scratch, index, left * sizeof(uint32_t));
	for (uint64_t i = left; i < count; i++)
		index[i] += (uint32_t) left;
	for (uint64_t out = 0; a < left; out++)
	{
		bool		from_first = b == count || code_at(spec, keys, scratch[a]) <= code_at(spec, keys, index[b]);

		index[out] = from_first ? scratch[a++] : index[b++];
		if (out % INTERRUPT_EVERY == 0)
			CHECK_FOR_INTERRUPTS();
	}
	pfree(scratch);
}
