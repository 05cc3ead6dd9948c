/* Loaded before a program (LD_PRELOAD), it kills the program right before or right after its N-th rename:
   EARSHOT_KILL=before:3. What is on the disk then is what a loss of power could leave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int renames;

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "rename");
    const char* wish = getenv("EARSHOT_KILL");
    const char* colon = wish == NULL ? NULL : strchr(wish, ':');
    const int hit = colon != NULL && atomic_fetch_add(&renames, 1) + 1 == atoi(colon + 1);
    if (hit && wish[0] == 'b') die();
    const int result = real(from, to);
    if (hit) die();
    return result;
}
