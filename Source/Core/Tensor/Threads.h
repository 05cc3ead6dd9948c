// The number of threads of a pass, and loops over them. oneDNN and our own loops share one OpenMP team, which
// belongs to the calling thread. So every thread that runs a network sets its count first.
//
// This file alone decides the count. OpenMP keeps one for each thread, and may give fewer threads than it
// says: up to OMP_THREAD_LIMIT, one with OMP_MAX_ACTIVE_LEVELS=0, and what it likes with OMP_DYNAMIC=true.
// oneDNN shares its work among the threads that OpenMP says, and what the missing ones should compute stays
// as it was. So the count that is set here is one that OpenMP gives. Whoever calls oneDNN asks threadCount()
// first, which sees to that also on threads that have set no count.
#pragma once

#include <cstdint>

namespace earshot::tensor {

// Sets the count for oneDNN and parallelFor when this thread calls them: at least 1, and at most what OpenMP
// gives.
void setThreadCount(int threads);
// The threads that oneDNN and parallelFor get when this thread calls them.
int threadCount();
// Cores that this process may use (within its CPU affinity), at least 1.
int availableCores();

// Sets a count for the calling thread during its life.
class ThreadCountScope {
  public:
    explicit ThreadCountScope(int threads)
        : before_(threadCount()) {
        setThreadCount(threads);
    }
    ~ThreadCountScope() { setThreadCount(before_); }
    ThreadCountScope(const ThreadCountScope&) = delete;
    ThreadCountScope& operator=(const ThreadCountScope&) = delete;

  private:
    int before_;
};

// Calls body(context, i) for 0 <= i < count, split over threadCount() threads in contiguous runs.
// Allocates nothing. Prefer the template below.
void parallelFor(std::int64_t count, void (*body)(void* context, std::int64_t index, int thread),
                 void* context);

template <typename Body>
void parallelFor(std::int64_t count, Body&& body) {
    parallelFor(
        count,
        [](void* context, std::int64_t index, int thread) { (*static_cast<Body*>(context))(index, thread); },
        static_cast<void*>(&body));
}

} // namespace earshot::tensor
