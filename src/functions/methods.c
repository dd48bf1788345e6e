/*
 * methods.c
 *	  SQL function that lists what each method can sort, and on which engine.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "sort/choose.h"

#define METHOD_COLUMNS 8

/* What a method may be able to do; each is a column. */
typedef enum Ability
{
	SORTS_KEYS,
	SORTS_PAIRS,
	SORTS_TOP_N,
	SORTS_APPROXIMATELY,
	ABILITIES
} Ability;

PG_FUNCTION_INFO_V1(gpusort_methods);

static GpusortSpec
spec_for(GpusortMethod method, GpusortKeyForm form, Ability ability)
{
	return (GpusortSpec)
	{
		.form = form,
		.payload = ability == SORTS_PAIRS ? GPUSORT_PAYLOAD_INDEX : GPUSORT_PAYLOAD_NONE,
		.method = method,
		.limit = ability == SORTS_TOP_N ? 1 : 0,
		.buckets = ability == SORTS_APPROXIMATELY ? 2 : 0
	};
}

static void
put_method(ReturnSetInfo *rsinfo, GpusortMethod method, EngineId engine, GpusortKeyForm form)
{
	static const char *const forms[GPUSORT_KEY_FORMS] = {
		"int2", "int4", "oid", "int8", "uint8", "float4", "float8"
	};
	const char *note = NULL;
	Datum		values[METHOD_COLUMNS];
	bool		nulls[METHOD_COLUMNS] = {0};

	values[0] = CStringGetTextDatum(gpusort_method_name(method));
	values[1] = CStringGetTextDatum(gpusort_engine_name(engine));
	values[2] = CStringGetTextDatum(forms[form]);
	for (int ability = 0; ability < ABILITIES; ability++)
	{
		GpusortSpec spec = spec_for(method, form, ability);
		const char *refusal = gpusort_engine_refuses(engine, &spec);

		values[3 + ability] = BoolGetDatum(refusal == NULL);
		if (note == NULL && refusal != NULL)
			note = refusal;
	}
	nulls[7] = note == NULL;
	if (note)
		values[7] = CStringGetTextDatum(note);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* Rows (method, engine, key_type, keys, pairs, top_n, approximate, note).  The note is the first refusal, if any. */
Datum
gpusort_methods(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int method = 0; method < GPUSORT_METHOD_COUNT; method++)
		for (int engine = ENGINE_CPU; engine < ENGINE_COUNT; engine++)
			for (int form = 0; form < GPUSORT_KEY_FORMS; form++)
				/* No SQL type has unsigned 64-bit keys. */
				if (form != GPUSORT_KEY_UINT64)
					put_method(rsinfo, method, engine, form);
	return (Datum) 0;
}
