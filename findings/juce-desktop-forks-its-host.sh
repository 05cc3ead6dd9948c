#!/usr/bin/env bash
# The first use of juce::Desktop on Linux, which the first editor of a plugin makes, asks for the dark mode: without XSETTINGS it runs
# /usr/bin/gsettings, also without a display. juce::ChildProcess forks the host for that, and its child builds the list of
# arguments before exec: it allocates, which POSIX allows no child of a process with threads. glibc's malloc survives it. An
# allocator without handlers for fork does not: AddressSanitizer of GCC 12, another thread allocating at that moment, leaves a child
# that spins for ever at 100 %, while the test that started it passes, and all that follows is slower. What helps: make the Desktop
# before there are threads.
# Debian 12: juce-modules-source (7.0.5), libglib2.0-bin (2.74), g++.
set -euo pipefail
packages=(g++ juce-modules-source libglib2.0-bin libfreetype-dev libx11-dev libxext-dev libxinerama-dev libxrandr-dev libxcursor-dev
          libpng-dev libjpeg-dev zlib1g-dev)
dpkg-query -W "${packages[@]}" >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.cpp" <<'C'
#include <juce_gui_basics/juce_gui_basics.h>
int main() {
    const juce::ScopedJuceInitialiser_GUI juce;
    juce::Desktop::getInstance();
}
C
# Says what a forked child allocates before it becomes another program.
cat >"$work/watch.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
extern void* __libc_malloc(size_t);
extern void* __libc_realloc(void*, size_t);
static int child, out; // the child's own standard error is /dev/null
static void say(const char* text) { if (write(out, text, strlen(text)) < 0) _exit(1); }
static void forked(void) { child = 1; say("fork\n"); }
__attribute__((constructor)) static void begin(void) { out = dup(2); pthread_atfork(NULL, NULL, forked); }
void* malloc(size_t size) { if (child) say("the child allocates\n"); return __libc_malloc(size); }
void* realloc(void* old, size_t size) { if (child) say("the child allocates\n"); return __libc_realloc(old, size); }
int execvp(const char* file, char* const arguments[]) {
    say("exec "); say(file); say("\n");
    return ((int (*)(const char*, char* const[]))dlsym(RTLD_NEXT, "execvp"))(file, arguments);
}
C
modules=/usr/share/juce/modules
flags=(-std=c++17 -O0 -w "-I$modules" -I/usr/include/freetype2 -DJUCE_GLOBAL_MODULE_SETTINGS_INCLUDED=1 -DJUCE_STANDALONE_APPLICATION=1
       -DJUCE_USE_CURL=0 -DNDEBUG=1)
for module in juce_core juce_events juce_data_structures juce_graphics juce_gui_basics; do
    g++ "${flags[@]}" -c "$modules/$module/$module.cpp" -o "$work/$module.o"
done
g++ "${flags[@]}" "$work/main.cpp" "$work"/*.o -o "$work/desktop" -lfreetype -lpng -ljpeg -lz -lpthread -ldl
gcc -shared -fPIC -w "$work/watch.c" -o "$work/watch.so" -ldl
env -u DISPLAY LD_PRELOAD="$work/watch.so" "$work/desktop" 2>"$work/said" >/dev/null
dpkg-query -W -f '${Package} ${Version}\n' juce-modules-source libglib2.0-bin
uniq "$work/said"
[ "$(sed -n '/^fork/,/^exec/p' "$work/said" | uniq)" = $'fork\nthe child allocates\nexec /usr/bin/gsettings' ]
