/* Loaded before a program (LD_PRELOAD), it kills the program right before or right after its N-th rename:
   EARSHOT_KILL=before:3, or its N-th write or removal: EARSHOT_KILL_CALL=write, unlink. What is on the disk then is
   what a loss of power could leave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int calls;

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Whether this call is the one; if so, the program is dead by now if it was to die before. */
static int begin(const char* name) {
    const char* call = getenv("EARSHOT_KILL_CALL");
    const char* wish = getenv("EARSHOT_KILL");
    const char* colon = wish == NULL ? NULL : strchr(wish, ':');
    if (colon == NULL || strcmp(call == NULL ? "rename" : call, name) != 0) return 0;
    const int hit = atomic_fetch_add(&calls, 1) + 1 == atoi(colon + 1);
    if (hit && wish[0] == 'b') die();
    return hit;
}

int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "rename");
    const int hit = begin("rename");
    const int result = real(from, to);
    if (hit) die();
    return result;
}

int unlink(const char* file) {
    static int (*real)(const char*);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "unlink");
    const int hit = begin("unlink");
    const int result = real(file);
    if (hit) die();
    return result;
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
    static ssize_t (*real)(int, const void*, size_t);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "write");
    const int hit = begin("write");
    const ssize_t result = real(descriptor, bytes, count);
    if (hit) die();
    return result;
}
