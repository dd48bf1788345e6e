/*
 * emulated_memory.h
 *	  The emulated device's memory: what jobs and sessions have in it, and where a bit
 *	  of it may flip.  Each byte is checked from when it comes to when it goes.
 *
 * What arrives is digested (keys/digest.h) as it is copied, and must have the same
 * digest after it has been used.  The check of a sort says which digest its result must
 * have, and what goes is digested as it is copied.
 */
#ifndef GPUSORT_EMULATED_MEMORY_H
#define GPUSORT_EMULATED_MEMORY_H

#include <vector>

#include "emulated/emulated_sort.h"

namespace gpusort_emulated {

/* Where a bit may flip, and when. */
enum class Place {
	NOWHERE,
	/* Of a job: */
	KEYS,     /* the keys that have arrived */
	PAYLOAD,  /* the payload that has arrived */
	SEGMENTS, /* the segments that have arrived */
	RESULT,   /* the result that has been checked */
	/* Of both: */
	WORKING, /* keys that are about to be sorted */
	SORTED,  /* keys or index that have not been checked yet */
	/* Of a session: */
	APPENDED, /* rows that have arrived */
	COLUMN    /* sorted rows that are about to be fetched */
};

struct Flip {
	Place place = Place::NOWHERE;
	uint64_t bit = 0; /* counted through the place; begins again at its end */
};

/* A fault that a job meets while it is sorted. */
struct Damage {
	Spoil spoil = Spoil::NOTHING;
	Flip flip;
};

/* True if the job's histogram counts its segments. A real device relies on that. */
bool is_counted(const GpusortSlabSort &job);

/* The digest of all that the job is given: keys, payload and segments. */
uint64_t digest_input(const GpusortSlabSort &job);

/* Device memory that a job would take. */
uint64_t job_bytes(const GpusortSlabSort &job);

/*
 * Sorts the job's segments into its output, and fills in how long each stage took. False
 * if the result fails its check.
 */
bool sort_job(const GpusortSlabSort &job, const Damage &damage, GpusortDeviceOutcome *outcome);

/* The columns of a session.  Memory is not touched until it is written. */
class Columns {
public:
	explicit Columns(const GpusortSessionSpec &session);
	Columns(const Columns &) = delete;
	Columns &operator=(const Columns &) = delete;
	~Columns();

	static uint64_t bytes(const GpusortSessionSpec &session);
	void append(uint32_t column, uint64_t first_row, uint64_t nrows, const void *source, const Flip &flip);

	/* Sorts the first nrows rows by column 0; false if the result fails its check. */
	bool sort(uint64_t nrows, const Damage &damage);

	/* Copies rows of a column out. With the last of them, returns false if any row has changed. */
	bool fetch(uint32_t column, uint64_t first_row, uint64_t nrows, void *target, const Flip &flip);

private:
	struct Column {
		uint32_t width = 0;
		char *data = nullptr;
		uint64_t arrived = 0; /* digest of the rows as they were appended */
		uint64_t left = 0;    /* digest of the rows as they were sorted */
		uint64_t fetched = 0; /* digest of the rows fetched so far */
		uint64_t nfetched = 0; /* how many rows these are */
	};

	Column &column(uint32_t number) {
		return number == GPUSORT_SESSION_INDEX ? index_ : column_[number];
	}
	bool sort_keys(uint64_t nrows, const Damage &damage);
	bool sort_index(uint64_t nrows, const Damage &damage);
	bool gather(Column *column, uint64_t nrows);

	GpusortSessionSpec session_;
	Column column_[GPUSORT_SESSION_COLUMNS];
	Column index_;
	uint64_t nsorted_ = 0;
};

}  // namespace gpusort_emulated

#endif /* GPUSORT_EMULATED_MEMORY_H */
