/*
 * threads.cc
 *	  Starts, feeds and joins the threads of one phase.
 *
 * The threads block every signal, because a backend's handlers must run in the thread that
 * PostgreSQL knows.  They call no function of PostgreSQL.
 */
#include "cpu_engine/threads.h"

#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <signal.h>

#include "cpu_engine/simd.h"

namespace gpusort
{
/* How often the calling thread asks whether to stop while it waits for others. */
constexpr long WAIT_NANOSECONDS = 10 * 1000 * 1000;

struct Phase
{
	Work		work;			/* copied by each started thread */
	uint32_t	shares;
	ShareFunction run;
	void	   *arg;
	std::atomic<uint64_t> next_share{0};
	std::atomic<bool> stopped{false};

	/* running counts threads that have not ended.  The mutex guards it; a thread that ends signals `ended`. */
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
	int			running = 0;
};

static void
take_shares(Phase &phase, Work &work)
{
	while (!phase.stopped.load(std::memory_order_relaxed))
	{
		uint64_t	share = phase.next_share.fetch_add(1, std::memory_order_relaxed);

		if (share >= phase.shares)
			break;
		phase.run(work, phase.arg, (uint32_t) share);
	}
}

static void *
thread_main(void *arg)
{
	Phase	   *phase = (Phase *) arg;
	Work		work = phase->work;

	take_shares(*phase, work);
	pthread_mutex_lock(&phase->mutex);
	phase->running--;
	pthread_cond_signal(&phase->ended);
	pthread_mutex_unlock(&phase->mutex);
	return nullptr;
}

/* Waits for the other threads, and asks in intervals whether to stop. */
static void
wait_for_threads(Phase &phase, Work &work)
{
	pthread_mutex_lock(&phase.mutex);
	while (phase.running > 0)
	{
		struct timespec deadline;

		clock_gettime(CLOCK_REALTIME, &deadline);
		deadline.tv_nsec += WAIT_NANOSECONDS;
		if (deadline.tv_nsec >= 1000000000)
		{
			deadline.tv_sec++;
			deadline.tv_nsec -= 1000000000;
		}
		if (pthread_cond_timedwait(&phase.ended, &phase.mutex, &deadline) == ETIMEDOUT)
		{
			pthread_mutex_unlock(&phase.mutex);
			(void) work.stop();
			pthread_mutex_lock(&phase.mutex);
		}
	}
	pthread_mutex_unlock(&phase.mutex);
}

bool
run_shares(Work &work, int threads, uint32_t shares, ShareFunction run, void *arg)
{
	constexpr int MOST_THREADS = 256;
	pthread_t	handles[MOST_THREADS];
	int			wanted = (threads < MOST_THREADS ? threads : MOST_THREADS) - 1;
	int			started = 0;
	Phase		phase;
	sigset_t	all;
	sigset_t	before;

	phase.shares = shares;
	phase.run = run;
	phase.arg = arg;
	work.stopped = &phase.stopped;
	phase.work = work;
	phase.work.helper = true;
	if (wanted >= (int64_t) shares)
		wanted = (int) shares - 1;
	if (wanted > 0)
	{
		simd::kernels<uint32_t>();	/* picked before threads share them */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		while (started < wanted)
		{
			pthread_mutex_lock(&phase.mutex);
			phase.running++;
			pthread_mutex_unlock(&phase.mutex);
			if (pthread_create(&handles[started], nullptr, thread_main, &phase) != 0)
			{
				pthread_mutex_lock(&phase.mutex);
				phase.running--;
				pthread_mutex_unlock(&phase.mutex);
				break;
			}
			started++;
		}
		pthread_sigmask(SIG_SETMASK, &before, nullptr);
	}
	take_shares(phase, work);
	wait_for_threads(phase, work);
	for (int i = 0; i < started; i++)
		pthread_join(handles[i], nullptr);
	work.stopped = nullptr;
	return !phase.stopped.load();
}
}
