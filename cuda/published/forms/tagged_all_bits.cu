/*
 * tagged_all_bits.cu
 *	  STA as published: Thrust sorts all 32 bits of the tags.
 */
#include "published/forms/forms.cuh"
#include "published/tagged.cuh"

namespace gpusort
{

cudaError_t tagged_sort_all_bits(const SegmentBatch &batch, void *workspace, cudaStream_t stream)
{
    return sort_with_tag_bits(batch, 32, workspace, stream);
}

}  // namespace gpusort
