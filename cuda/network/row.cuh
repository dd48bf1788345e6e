/*
 * row.cuh
 *	  Sorting networks over the registers of one lane.
 *
 * A lane holds a row of ROW elements, 8, 16, 24 or 32.  sort_row is
 * M. W. Green's network for 16 elements, joined by K. E. Batcher's odd-even merges;
 * for rows that are no power of two the comparators beyond the row's end fall
 * away.  merge_row sorts a bitonic row by halvers.
 *
 * Everything is unrolled, and every register index is a constant.
 */
#ifndef GPUSORT_NETWORK_ROW_CUH
#define GPUSORT_NETWORK_ROW_CUH

#include <stdint.h>

#include <utility>

#include "network/elements.cuh"

namespace gpusort
{

/* Comparators of a network in the order in which they run. */
template <int MOST>
struct Comparators {
    int count;
    uint8_t low[MOST], high[MOST];

    constexpr void add(int a, int b)
    {
        low[count] = a;
        high[count] = b;
        count++;
    }
};

/* Green's 60 comparators for 16 elements, as pairs of hexadecimal digits. */
constexpr char green16[] =
    "0123456789abcdef"
    "0246"
    "8ace"
    "1357"
    "9bdf"
    "048c"
    "159d"
    "26ae"
    "37bf"
    "08192a3b4c5d6e7f"
    "5a693cde487b12"
    "147d28be"
    "24569abd387c"
    "68ac3579"
    "345678"
    "9abc"
    "6789";

/* The fewest comparators that sort 3 elements that are bitonic, wherever they turn. */
constexpr char bitonic3[] = "010212";

constexpr int hex_digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c - '0';
}

/* HALVES: each half by itself, the upper one downwards, which makes the row bitonic. */
template <int ROW, bool HALVES>
constexpr Comparators<256> row_network()
{
    Comparators<256> network{};
    constexpr int size = ROW <= 16 ? 16 : 32;

    for (int first = 0; first < ROW; first += 16)
        for (int i = 0; i + 1 < int(sizeof(green16)) - 1; i += 2)
            if (first + hex_digit(green16[i + 1]) < ROW) {
                const int low = first + hex_digit(green16[i]), high = first + hex_digit(green16[i + 1]);

                if (HALVES && first >= ROW / 2)
                    network.add(high, low);
                else
                    network.add(low, high);
            }

    for (int run = HALVES ? size : 16; run < size; run *= 2)
        for (int first = 0; first < ROW; first += 2 * run) {
            for (int i = 0; i < run; i++)
                if (first + i + run < ROW)
                    network.add(first + i, first + i + run);
            for (int stride = run / 2; stride > 0; stride /= 2)
                for (int i = stride; i < 2 * run - stride; i++)
                    if ((i / stride) % 2 == 1 && first + i + stride < ROW)
                        network.add(first + i, first + i + stride);
        }
    return network;
}

template <int ROW>
constexpr Comparators<256> merge_network()
{
    Comparators<256> network{};
    int span = ROW;

    for (; span % 2 == 0; span /= 2)
        for (int i = 0; i < ROW; i++)
            if (i % span < span / 2)
                network.add(i, i + span / 2);
    for (int first = 0; span > 1 && first < ROW; first += span)
        for (const char *pair = bitonic3; *pair != 0; pair += 2)
            network.add(first + hex_digit(pair[0]), first + hex_digit(pair[1]));
    return network;
}

template <int ROW>
struct RowNetworks {
    static constexpr Comparators<256> sort = row_network<ROW, false>();
    static constexpr Comparators<256> sort_halves = row_network<ROW, true>();
    static constexpr Comparators<256> merge = merge_network<ROW>();
};

enum class RowNetwork { SORT, SORT_HALVES, MERGE };

template <class Element, int ROW, RowNetwork NETWORK, int... I>
__device__ __forceinline__ void run_network(typename Element::Code (&row)[ROW], const NetworkFactors &factors,
                                            std::integer_sequence<int, I...>)
{
    constexpr Comparators<256> network = NETWORK == RowNetwork::SORT          ? RowNetworks<ROW>::sort
                                         : NETWORK == RowNetwork::SORT_HALVES ? RowNetworks<ROW>::sort_halves
                                                                              : RowNetworks<ROW>::merge;

    (Element::template exchange<I % 6>(row[network.low[I]], row[network.high[I]], factors), ...);
}

template <class Element, int ROW>
__device__ __forceinline__ void sort_row(typename Element::Code (&row)[ROW], const NetworkFactors &factors)
{
    run_network<Element, ROW, RowNetwork::SORT>(row, factors,
                                                std::make_integer_sequence<int, RowNetworks<ROW>::sort.count>());
}

/* Leaves a row of 32 to merge_row. */
template <class Element, int ROW>
__device__ __forceinline__ void sort_halves(typename Element::Code (&row)[ROW], const NetworkFactors &factors)
{
    static_assert(ROW == 32, "halves of 16");
    run_network<Element, ROW, RowNetwork::SORT_HALVES>(
        row, factors, std::make_integer_sequence<int, RowNetworks<ROW>::sort_halves.count>());
}

template <class Element, int ROW>
__device__ __forceinline__ void merge_row(typename Element::Code (&row)[ROW], const NetworkFactors &factors)
{
    run_network<Element, ROW, RowNetwork::MERGE>(row, factors,
                                                 std::make_integer_sequence<int, RowNetworks<ROW>::merge.count>());
}

}  // namespace gpusort

#endif /* GPUSORT_NETWORK_ROW_CUH */
