// The promise of the audio thread, in a function's signature: it allocates nothing, locks nothing, logs
// nothing and makes no system call.
//
// Clang 20 and newer hold what is marked to it at compile time; the tests hold it at run time with every
// compiler (Tests/Support/RealtimeGuard.h), and the preset `rtsan` with RealtimeSanitizer's runtime.
#pragma once

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::nonblocking)
#define EARSHOT_REALTIME [[clang::nonblocking]]
#endif
#endif
#ifndef EARSHOT_REALTIME
#define EARSHOT_REALTIME
#endif
