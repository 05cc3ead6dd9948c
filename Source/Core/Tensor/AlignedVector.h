// A std::vector whose values start on a cache line, for the buffers of training.
#pragma once

#include "Core/Tensor/Tensor.h"

#include <cstddef>
#include <new>
#include <vector>

namespace earshot::tensor {

template <typename T>
struct CacheLineAllocator {
    using value_type = T;

    CacheLineAllocator() = default;
    template <typename U>
    CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(Tensor::alignment)));
    }
    void deallocate(T* pointer, std::size_t /*count*/) {
        ::operator delete(pointer, std::align_val_t(Tensor::alignment));
    }
    bool operator==(const CacheLineAllocator&) const { return true; }
};

template <typename T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

} // namespace earshot::tensor
