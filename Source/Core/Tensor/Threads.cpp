#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace earshot::tensor {

#ifdef _OPENMP

void setThreadCount(int threads) { omp_set_num_threads(std::max(1, threads)); }

int threadCount() { return omp_get_max_threads(); }

int availableCores() { return std::max(1, omp_get_num_procs()); }

void parallelFor(std::int64_t count, void (*body)(void*, std::int64_t, int), void* context) {
    if (threadCount() == 1 || count < 2) {
        for (std::int64_t i = 0; i < count; ++i) body(context, i, 0);
        return;
    }
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) body(context, i, omp_get_thread_num());
}

#else

void setThreadCount(int) {}

int threadCount() { return 1; }

int availableCores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void parallelFor(std::int64_t count, void (*body)(void*, std::int64_t, int), void* context) {
    for (std::int64_t i = 0; i < count; ++i) body(context, i, 0);
}

#endif

} // namespace earshot::tensor
