/*
 * gpusort_test.h
 *	  What the files of the test module share.
 */
#ifndef GPUSORT_TEST_H
#define GPUSORT_TEST_H

extern void test_aggregate_calls_init(void);
extern void test_sort_owner_init(void);

#endif							/* GPUSORT_TEST_H */
