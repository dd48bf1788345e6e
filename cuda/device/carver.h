/*
 * carver.h
 *	  Cuts one allocation into aligned parts.
 */
#ifndef GPUSORT_CARVER_H
#define GPUSORT_CARVER_H

#include <stddef.h>

namespace gpusort
{

/* Hands out parts of an allocation, one after the other. With a null base it only counts. */
class Carver
{
public:
    explicit Carver(void *base) : base_(static_cast<char *>(base))
    {
    }

    /* The next part, of this many bytes. (Workspace of methods/common.cuh counts entries.) */
    template <typename T>
    T *take_bytes(size_t bytes)
    {
        char *part = base_ ? base_ + used_ : nullptr;
        used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        return reinterpret_cast<T *>(part);
    }

    size_t used() const
    {
        return used_;
    }

private:
    static constexpr size_t kAlignment = 256;
    char *base_;
    size_t used_ = 0;
};

}  // namespace gpusort

#endif /* GPUSORT_CARVER_H */
