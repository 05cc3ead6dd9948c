// The inner product of two vectors in double precision, summed in lanes, which compilers turn into vectors.
// A pure function: any thread.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <span>

namespace earshot::tensor {

// a, b: of the same size
inline double dot(std::span<const float> a, std::span<const float> b) {
    assert(a.size() == b.size());
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= a.size(); i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    for (; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

} // namespace earshot::tensor
