// What the stand-ins for the C library's functions (StandIns.cpp) ask Faults.cpp. Any thread.
#pragma once

#include "Failures/Faults.h"

#include <span>

#include <dlfcn.h>

namespace earshot::faults {

// Whether this call is to fail, and how.
struct Verdict {
    bool fails = false;
    Failure failure = Failure::memory;
};
// failures: the ways in which the function can fail.
Verdict judge(const char* function, std::span<const Failure> failures);

// While recording, remembers what `from` holds, which gets the name `to` now.
void noteRename(const char* from, const char* to);

// The function that a stand-in stands for.
template <typename Function>
Function* real(const char* function) {
    // Of realpath there is an older version, which dlsym would find.
    void* symbol = ::dlvsym(RTLD_NEXT, function, "GLIBC_2.3");
    if (symbol == nullptr) symbol = ::dlsym(RTLD_NEXT, function);
    return reinterpret_cast<Function*>(symbol);
}

} // namespace earshot::faults
