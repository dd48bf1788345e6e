/*
 * device_faults.c
 *	  A function that makes an emulated device fail.
 *
 *	  inject_fault(fault text, device int4 DEFAULT 0) RETURNS void
 *
 * cuda/emulated/emulated_faults.h says what faults there are.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "emulated/arm_fault.h"

PG_FUNCTION_INFO_V1(test_inject_fault);

Datum
test_inject_fault(PG_FUNCTION_ARGS)
{
	char	   *fault = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int			device = PG_GETARG_INT32(1);

	if (!gpusort_emulated_arm_fault(device, fault))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("device %d does not take fault \"%s\"", device, fault)));
	PG_RETURN_VOID();
}
