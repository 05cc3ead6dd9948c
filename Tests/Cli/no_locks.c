// LD_PRELOAD: no file system has record locks, as a network share without its lock service.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

static int call(int file, int command, void* argument) {
    static int (*next)(int, int, ...);
    if (next == NULL) next = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
        errno = ENOLCK;
        return -1;
    }
    return next(file, command, argument);
}

#define FORWARD(name)                                                                                        \
    int name(int file, int command, ...) {                                                                   \
        va_list arguments;                                                                                   \
        va_start(arguments, command);                                                                        \
        void* argument = va_arg(arguments, void*);                                                           \
        va_end(arguments);                                                                                   \
        return call(file, command, argument);                                                                \
    }
FORWARD(fcntl)
FORWARD(fcntl64)
