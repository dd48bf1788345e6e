/*
 * fuzz.c
 *	  Runs one target under libFuzzer, in a server process.
 *
 *	  fuzz(target text, arguments text[]) RETURNS void
 *
 * ci/fuzz links this, libFuzzer and the instrumented module to one library, and calls the
 * function in a process of a server in single-user mode.  The arguments are libFuzzer's.
 * It ends the process when its time is over, or at a defect: what a sanitizer reports, a
 * property that does not hold, or an error that only a defect can raise.  Every other error
 * is an answer to a senseless input.
 */
#include "fuzz.h"

#include <stdarg.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

PG_FUNCTION_INFO_V1(fuzz);

/* libFuzzer's. */
extern int	LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run) (const uint8 *data, size_t size));

static const FuzzTarget *const targets[] = {
	&gpusort_fuzz_jobs, &gpusort_fuzz_keys, &gpusort_fuzz_lists, &gpusort_fuzz_states
};

static const FuzzTarget *target;
static MemoryContext each_input;

void
gpusort_fuzz_fail(const char *format,...)
{
	va_list		arguments;

	va_start(arguments, format);
	fputs("FINDING: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	va_end(arguments);
	abort();
}

uint64
gpusort_fuzz_number(FuzzInput *input, int bytes)
{
	uint64		number = 0;

	for (int i = 0; i < bytes && input->place < input->size; i++)
		number |= (uint64) input->data[input->place++] << (8 * i);
	return number;
}

char *
gpusort_fuzz_copy(FuzzInput *input, Size size)
{
	Size		left = input->size - input->place;
	char	   *copy = malloc(Max(size, 1));

	if (copy == NULL)
		gpusort_fuzz_fail("no memory");
	memset(copy, 0, size);
	memcpy(copy, input->data + input->place, Min(size, left));
	input->place += Min(size, left);
	return copy;
}

/*
 * Fails at an error that only a defect raises.  One internal error is none: the server's receive
 * function of jsonb raises it at an unknown version.
 */
static void
judge_error(void)
{
	ErrorData  *error;

	MemoryContextSwitchTo(each_input);
	error = CopyErrorData();
	FlushErrorState();
	if (error->sqlerrcode == ERRCODE_INTERNAL_ERROR && strstr(error->message, "jsonb version") == NULL)
		gpusort_fuzz_fail("internal error: %s (%s:%d)", error->message, error->filename, error->lineno);
	if (error->sqlerrcode == ERRCODE_OUT_OF_MEMORY)
		gpusort_fuzz_fail("%s (%s)", error->message, error->detail ? error->detail : "");
}

/* Runs the target on one input, in a subtransaction that is rolled back. */
static int
run_input(const uint8 *data, size_t size)
{
	FuzzInput	input = {.data = data,.size = size};
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(each_input);
	PG_TRY();
	{
		target->run(&input);
	}
	PG_CATCH();
	{
		judge_error();
	}
	PG_END_TRY();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	MemoryContextReset(each_input);
	return 0;
}

Datum
fuzz(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Datum	   *arguments;
	int			count;
	char	  **words;

	for (int i = 0; i < lengthof(targets); i++)
		if (strcmp(targets[i]->name, name) == 0)
			target = targets[i];
	if (target == NULL)
		elog(ERROR, "no target \"%s\"", name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1), TEXTOID, -1, false, TYPALIGN_INT, &arguments, NULL, &count);
	words = palloc0((count + 2) * sizeof(char *));
	words[0] = name;
	for (int i = 0; i < count; i++)
		words[i + 1] = TextDatumGetCString(arguments[i]);
	count++;
	each_input = AllocSetContextCreate(TopMemoryContext, "input", ALLOCSET_DEFAULT_SIZES);
	if (target->prepare != NULL)
		target->prepare();
	LLVMFuzzerRunDriver(&count, &words, run_input);
	PG_RETURN_VOID();
}
