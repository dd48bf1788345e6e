/*
 * fuzz_lists.c
 *	  Texts that name things: gpusort.devices, and a sorted_set before its elements.
 *
 * Input: which (a byte), text.
 */
#include "fuzz.h"

#include "device/shared/device_list.h"

PGDLLEXPORT Datum gpusort_sorted_set_in(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum gpusort_sorted_set_out(PG_FUNCTION_ARGS);

/* A list that is taken, written as ordinals in order, names the same devices. */
static void
read_device_list(const char *text)
{
	char		again[GPUSORT_MAX_DEVICES * 4] = "";
	uint32		ordinals;
	uint32		ordinals_again;

	if (!gpusort_device_list_read(text, &ordinals) || ordinals == GPUSORT_ALL_DEVICES)
		return;
	if (ordinals >= (uint32) 1 << GPUSORT_MAX_DEVICES)
		gpusort_fuzz_fail("device list \"%s\" has bits %x", text, ordinals);
	for (int i = 0; i < GPUSORT_MAX_DEVICES; i++)
		if (ordinals & (uint32) 1 << i)
			snprintf(again + strlen(again), sizeof(again) - strlen(again), "%s%d", again[0] ? "," : "", i);
	if (!gpusort_device_list_read(again, &ordinals_again) || ordinals_again != ordinals)
		gpusort_fuzz_fail("device list \"%s\" has bits %x, \"%s\" %x", text, ordinals, again, ordinals_again);
}

/* Calls a function of one argument as no query does: without a cache of an earlier call. */
static Datum
call(PGFunction function, Datum argument)
{
	FmgrInfo   *info = palloc0(sizeof(FmgrInfo));
	LOCAL_FCINFO(fcinfo, 1);

	info->fn_addr = function;
	info->fn_mcxt = CurrentMemoryContext;
	info->fn_nargs = 1;
	InitFunctionCallInfoData(*fcinfo, info, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = argument;
	fcinfo->args[0].isnull = false;
	return function(fcinfo);
}

/* What is written of a set is read as the same set. */
static void
read_set(const char *text)
{
	char	   *once = DatumGetCString(call(gpusort_sorted_set_out, call(gpusort_sorted_set_in, CStringGetDatum(text))));
	char	   *twice = DatumGetCString(call(gpusort_sorted_set_out, call(gpusort_sorted_set_in, CStringGetDatum(once))));

	if (strcmp(once, twice) != 0)
		gpusort_fuzz_fail("the set \"%s\" is written as \"%s\", and that as \"%s\"", text, once, twice);
}

static void
run(FuzzInput *input)
{
	bool		is_set = gpusort_fuzz_number(input, 1) & 1;
	char	   *text = palloc(input->size + 1);

	memcpy(text, input->data + input->place, input->size - input->place);
	text[input->size - input->place] = '\0';
	if (is_set)
		read_set(text);
	else
		read_device_list(text);
}

const FuzzTarget gpusort_fuzz_lists = {.name = "lists",.run = run};
