// The audio thread's promise as part of a function's signature: it allocates nothing, locks nothing, logs
// nothing and makes no system call.
//
// Clang 20 and newer check marked functions at compile time. The tests check them at run time with every
// compiler (Tests/Support/RealtimeGuard.h), and so does the preset `rtsan` with RealtimeSanitizer's runtime.
#pragma once

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::nonblocking)
#define EARSHOT_REALTIME [[clang::nonblocking]]
#endif
#endif
#ifndef EARSHOT_REALTIME
#define EARSHOT_REALTIME
#endif
