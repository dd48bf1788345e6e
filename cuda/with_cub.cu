/*
 * with_cub.cu
 *	  The sorts that use CUB, compiled as one: its headers take several seconds of each file that includes them.
 */
#include "methods/numbers.cu"
#include "published/matrix.cu"
#include "published/tagged.cu"
