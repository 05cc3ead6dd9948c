// What the system says about a process: processor time, resident memory; and measurements in a process of
// their own, so that they begin with nothing loaded, compiled or allocated.
// Linux and macOS; memory is known on Linux only (elsewhere 0).
#pragma once

#include <functional>
#include <vector>

namespace earshot::benchmark {

double processSeconds(); // of processor time, all threads
double threadSeconds();  // of the calling thread

// Bytes; without what was freed, where the C library can hand that back (glibc).
double residentMemory();
double peakMemory(); // the most that was ever resident

int runningThreads(); // of this process; 0 where that is not known

// Calls work() in a fork of this process and returns its numbers. Before any OpenMP team exists: a fork keeps
// none of its threads. Throws earshot::Error when the fork fails.
std::vector<double> inFork(const std::function<std::vector<double>()>& work);

} // namespace earshot::benchmark
