#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace earshot::tensor {

#ifdef _OPENMP

namespace {

// What OpenMP gives to this thread's loops at most.
int threadLimit() { return omp_get_max_active_levels() < 1 ? 1 : omp_get_thread_limit(); }

} // namespace

void setThreadCount(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(std::clamp(threads, 1, threadLimit()));
}

int threadCount() {
    if (omp_get_dynamic() != 0 || omp_get_max_threads() > threadLimit())
        setThreadCount(omp_get_max_threads());
    return omp_get_max_threads();
}

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
