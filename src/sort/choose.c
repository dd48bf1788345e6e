/*
 * choose.c
 *	  See choose.h.
 *
 * Times are compared only for keys that lie in ordinary memory, from where both engines
 * would start.  A node that packs slabs or sends columns saves itself work beside the
 * sort, and that work is not in the table of costs: for nodes gpusort.min_gpu_keys alone
 * decides.
 */
#include "postgres.h"

#include "cpu_engine/cpu_sort.h"
#include "device/client/device_client.h"
#include "guc.h"
#include "sort/choose.h"

/* Seconds, measured on an H200's host.  Rates of the bus are measured by each device's worker. */
static const struct
{
	double		cpu_per_key_byte;	/* keys without a payload */
	double		cpu_per_pair;	/* a key with its payload */
	double		host_copy_per_byte; /* of bytes copied to slabs and back */
	double		device_per_key;
} costs = {
	.cpu_per_key_byte = 0.8e-9,
	.cpu_per_pair = 12e-9,
	.host_copy_per_byte = 1 / 6e9,
	.device_per_key = 1e-10
};

static double
cpu_seconds(const GpusortSpec *spec, uint64_t keys)
{
	return keys * (spec->payload == GPUSORT_PAYLOAD_NONE ?
				   gpusort_key_width(spec->form) * costs.cpu_per_key_byte : costs.cpu_per_pair);
}

static double
device_seconds(uint64_t keys, uint64_t bytes_in, uint64_t bytes_out, const DeviceRates *rates)
{
	return rates->latency_s + (bytes_in + bytes_out) * costs.host_copy_per_byte +
		bytes_in / rates->to_device_bytes_per_s + bytes_out / rates->from_device_bytes_per_s +
		keys * costs.device_per_key;
}

static pg_noinline bool
cpu_can(const GpusortSpec *spec, GpusortMethod method)
{
	GpusortSpec asked = *spec;

	asked.method = method;
	return gpusort_cpu_sort_refuses(&asked) == NULL;
}

/* Fills in the decision and returns true if it does not depend on a device. */
static inline bool
choose_without_device(const GpusortSpec *spec, uint64_t keys, SortRoute route, SortDecision *decision)
{
	decision->engine = ENGINE_CPU;
	decision->method = spec->method;
	/* gpusort.method is about arrays; rows are sorted by packed words. */
	if (spec->method == GPUSORT_METHOD_AUTO && route != ROUTE_ROWS)
		decision->method = gpusort_method;
	if (gpusort_engine == GPUSORT_ENGINE_CPU)
	{
		decision->reason = REASON_ENGINE_CPU;
		return true;
	}
	decision->reason = REASON_FEW_KEYS;
	return gpusort_engine == GPUSORT_ENGINE_AUTO && keys < gpusort_min_gpu_keys &&
		(decision->method == GPUSORT_METHOD_AUTO || cpu_can(spec, decision->method));
}

/* Fills in what depends on the state of the devices. */
static pg_noinline void
choose_device(const GpusortSpec *spec, uint64_t keys, uint64_t bytes_in, uint64_t bytes_out, SortRoute route,
			  SortDecision *decision)
{
	GpusortSpec asked = *spec;
	DeviceView	view;

	asked.method = decision->method;
	gpusort_devices_look(&asked, &view);
	decision->reason = view.reason;
	decision->cpu_seconds = cpu_seconds(spec, keys);
	if (view.reason == REASON_NONE && gpusort_engine == GPUSORT_ENGINE_AUTO && route == ROUTE_COPIED &&
		asked.method == GPUSORT_METHOD_AUTO && gpusort_min_gpu_keys > 0 &&
		device_seconds(keys, bytes_in, bytes_out, &view.rates) > decision->cpu_seconds)
		decision->reason = REASON_CPU_FASTER;
	if (decision->reason == REASON_NONE || gpusort_engine == GPUSORT_ENGINE_GPU)
		decision->engine = ENGINE_GPU;
}

void
gpusort_choose_rows(const GpusortSpec *spec, uint64_t keys, uint64_t bytes_in, uint64_t bytes_out, SortDecision *decision)
{
	if (!choose_without_device(spec, keys, ROUTE_ROWS, decision))
		choose_device(spec, keys, bytes_in, bytes_out, ROUTE_ROWS, decision);
}

void
gpusort_choose_keys(const GpusortSpec *spec, uint64_t keys, uint64_t slots, SortRoute route, SortDecision *decision)
{
	uint64_t	key_bytes;
	uint64_t	payload_bytes;

	if (choose_without_device(spec, keys, route, decision))
		return;
	key_bytes = slots * gpusort_key_width(spec->form);
	payload_bytes = slots * sizeof(uint32_t);
	choose_device(spec, keys, key_bytes + (spec->payload == GPUSORT_PAYLOAD_CARRIED ? payload_bytes : 0),
				  spec->payload == GPUSORT_PAYLOAD_NONE ? key_bytes : payload_bytes, route, decision);
}
