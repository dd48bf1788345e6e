/*
 * emulated_memory.h
 *	  The emulated device's memory: what jobs and sessions have in it, and how that is sorted.
 *
 * The CPU engine's functions sort.  With a payload they make an index, from which the payload follows.
 */
#ifndef GPUSORT_EMULATED_MEMORY_H
#define GPUSORT_EMULATED_MEMORY_H

#include <vector>

#include "gpusort_cuda.h"

namespace gpusort_emulated {

double seconds_now();

/* The method that a real device would name. */
GpusortMethod method_used(const GpusortSpec &spec);

/* True if the job's histogram counts its segments. A real device relies on that. */
bool is_counted(const GpusortSlabSort &job);

/* A copy of all that the job is given: keys, payload and segments. */
std::vector<char> input_of(const GpusortSlabSort &job);

/* Device memory that a job would take. */
uint64_t job_bytes(const GpusortSlabSort &job);

/* Sorts the job's segments into its output, and fills in how long each stage took. */
void sort_job(const GpusortSlabSort &job, bool spoiled, GpusortDeviceOutcome *outcome);

/* The columns of a session.  Memory is not touched until it is written. */
class Columns {
public:
	explicit Columns(const GpusortSessionSpec &session);
	Columns(const Columns &) = delete;
	Columns &operator=(const Columns &) = delete;
	~Columns();

	static uint64_t bytes(const GpusortSessionSpec &session);
	void append(uint32_t column, uint64_t first_row, uint64_t nrows, const void *source);

	/* Sorts the first nrows rows by column 0. */
	void sort(uint64_t nrows, bool spoiled);
	void fetch(uint32_t column, uint64_t first_row, uint64_t nrows, void *target);

private:
	struct Column {
		uint32_t width = 0;
		char *data = nullptr;
	};

	Column &column(uint32_t number) {
		return number == GPUSORT_SESSION_INDEX ? index_ : column_[number];
	}
	void gather(Column *column, uint64_t wanted);

	GpusortSessionSpec session_;
	Column column_[GPUSORT_SESSION_COLUMNS];
	Column index_;
};

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_MEMORY_H */
