/*
 * workspace.cuh
 *	  Cuts an allocation of device memory into aligned parts.
 */
#ifndef GPUSORT_WORKSPACE_CUH
#define GPUSORT_WORKSPACE_CUH

#include <stddef.h>
#include <stdint.h>

namespace gpusort
{

/* Hands out parts of an allocation, one after the other. Over nullptr it only counts bytes. */
class Workspace
{
public:
    explicit Workspace(void *base) : base_(static_cast<char *>(base))
    {
    }

    /* The next part, of `count` entries. */
    template <class T>
    T *take(uint64_t count)
    {
        size_t offset = used_;
        used_ += (count * sizeof(T) + 255) / 256 * 256;
        return base_ == nullptr ? nullptr : reinterpret_cast<T *>(base_ + offset);
    }

    size_t used() const
    {
        return used_;
    }

    /* Bytes from the start of a part to the end of the last one; 0 over nullptr. */
    size_t bytes_from(const void *piece) const
    {
        return base_ == nullptr ? 0 : base_ + used_ - static_cast<const char *>(piece);
    }

private:
    char *base_;
    size_t used_ = 0;
};

}  // namespace gpusort

#endif /* GPUSORT_WORKSPACE_CUH */
