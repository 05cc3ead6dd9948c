// The number of threads of a pass, and loops over them. oneDNN and our own loops share one OpenMP team, which
// belongs to the calling thread. So every thread that runs a network sets its count first.
#pragma once

#include <cstdint>

namespace earshot::tensor {

// Sets the count for oneDNN and parallelFor when this thread calls them. At least 1.
void setThreadCount(int threads);
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
