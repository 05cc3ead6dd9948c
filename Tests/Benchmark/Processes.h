// The system's numbers about a process (processor time, resident memory), and measurements in a process of
// their own, which begins with nothing loaded, compiled or allocated. Linux and macOS; memory is known on
// Linux only (elsewhere 0).
#pragma once

#include <functional>
#include <vector>

namespace earshot::benchmark {

double processSeconds(); // of processor time, all threads
double threadSeconds();  // of the calling thread

// Bytes. Freed memory is returned to the system first, if the C library can do so (glibc).
double residentMemory();
double peakMemory(); // the most that was ever resident

int runningThreads(); // of this process; 0 where that is not known

// Calls work() in a fork of this process and returns its numbers. Call it before any OpenMP team exists,
// because a fork keeps none of its threads. Throws earshot::Error when the fork fails.
std::vector<double> inFork(const std::function<std::vector<double>()>& work);

} // namespace earshot::benchmark
