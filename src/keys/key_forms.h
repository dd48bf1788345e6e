/*
 * key_forms.h
 *	  Loops over keys that are compiled once per key form.
 */
#ifndef GPUSORT_KEY_FORMS_H
#define GPUSORT_KEY_FORMS_H

#include "keys/key_encoding.h"

/* Calls an inline function with the form as a constant: its loops are compiled once for each form. */
#define GPUSORT_WITH_FORM(form, function, ...) \
		case form: \
			function(form, __VA_ARGS__); \
			break
#define GPUSORT_WITH_CONSTANT_FORM(form, function, ...) \
	switch (form) \
	{ \
		GPUSORT_WITH_FORM(GPUSORT_KEY_INT16, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_INT32, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_UINT32, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_INT64, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_UINT64, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_FLOAT32, function, __VA_ARGS__); \
		GPUSORT_WITH_FORM(GPUSORT_KEY_FLOAT64, function, __VA_ARGS__); \
		default: \
			elog(ERROR, "unknown key form: %d", (int) (form)); \
	}

#endif							/* GPUSORT_KEY_FORMS_H */
