/*
 * emulated_sort.h
 *	  The sorts of the emulated device: jobs and session columns, by the CPU
 *	  engine's functions, each result checked against its input.
 */
#ifndef GPUSORT_EMULATED_SORT_H
#define GPUSORT_EMULATED_SORT_H

#include "gpusort_cuda.h"

namespace gpusort_emulated {

/* What to spoil in a result, to see that the check finds it. */
enum class Spoil { NOTHING, ORDER, KEYS };

/* Why the device would refuse the spec (static text), or nullptr. */
const char *refuses(const GpusortSpec &spec);

/* The method that a real device would name. */
GpusortMethod method_used(const GpusortSpec &spec);

/* Whether the job's histogram counts its segments: a real device relies on it. */
bool is_counted(const GpusortDeviceJob &job);

/* Device memory that a job would take. */
uint64_t job_bytes(const GpusortDeviceJob &job);

double seconds_now();

/*
 * Sorts the job's segments into its output, and says what each stage took; false if
 * the result fails its check.
 */
bool sort_job(const GpusortDeviceJob &job, Spoil spoil, GpusortDeviceOutcome *outcome);

/* The columns of a session.  Memory is not touched until it is written. */
class Columns {
public:
	Columns() = default;
	Columns(const Columns &) = delete;
	Columns &operator=(const Columns &) = delete;
	~Columns();

	static uint64_t bytes(const GpusortDeviceSession &session);
	void allocate(const GpusortDeviceSession &session);
	void append(uint32_t column, uint64_t first_row, uint64_t nrows, const void *source);
	void fetch(uint32_t column, uint64_t first_row, uint64_t nrows, void *target) const;

	/* Sorts the first nrows rows by column 0; false if the result fails its check. */
	bool sort(const GpusortSpec &spec, uint64_t nrows, bool verify, bool spoil);

	/* Finds the intervals of the first nrows keys; false if they fail their check. */
	bool project(const GpusortSpec &spec, uint64_t nrows, bool verify, bool spoil);

private:
	const char *data(uint32_t column) const;
	uint32_t width(uint32_t column) const;
	void gather(uint32_t column, uint64_t nrows);

	uint32_t ncolumns_ = 0;
	uint8_t width_[GPUSORT_SESSION_COLUMNS] = {};
	char *column_[GPUSORT_SESSION_COLUMNS] = {};
	uint32_t *index_ = nullptr;
};

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_SORT_H */
