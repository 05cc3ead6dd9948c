/* Loaded before a program (LD_PRELOAD), it lets each flock() begin up to EARSHOT_LOCK_DELAY microseconds late, as on a
   busy machine, or fail as on a share without locks (EARSHOT_LOCKS=none). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

int flock(int descriptor, int operation) {
    static int (*real)(int, int);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "flock");
    const char* delay = getenv("EARSHOT_LOCK_DELAY");
    if (delay != NULL) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        usleep((unsigned)(now.tv_nsec / 1000) % (unsigned)(atoi(delay) + 1));
    }
    const char* locks = getenv("EARSHOT_LOCKS");
    if (locks != NULL && strcmp(locks, "none") == 0) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return real(descriptor, operation);
}
