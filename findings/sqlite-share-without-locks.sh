#!/usr/bin/env bash
# On a share that has no fcntl locks (as NFS without its lock service) SQLite says "database is locked"
# (SQLITE_BUSY), the words for a file that another program holds: its unix VFS maps ENOLCK to SQLITE_BUSY, not to an I/O error.
# It also waits for the whole busy timeout, for a lock that will never come. Whoever tells people to
# close the other program sends them looking for one that is not there. flock() may work on the same share, so that a test of it
# says nothing. To tell the two apart, try fcntl(F_SETLK) on a file of your own beside the database, never on the database:
# closing any descriptor of it gives up all locks of the process (https://www.sqlite.org/howtocorrupt.html).
# Debian 12: gcc, sqlite3. The share is played by a preloaded library.
set -euo pipefail
for program in gcc sqlite3; do
    command -v "$program" >/dev/null || apt-get install -y -qq gcc libc6-dev sqlite3 >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
cat > share.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
static int call(int file, int command, void* argument) {
    static int (*next)(int, int, ...);
    if (!next) next = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
    if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) { errno = ENOLCK; return -1; }
    return next(file, command, argument);
}
int fcntl64(int f, int c, ...) { va_list v; va_start(v, c); void* a = va_arg(v, void*); va_end(v); return call(f, c, a); }
int fcntl(int f, int c, ...) { va_list v; va_start(v, c); void* a = va_arg(v, void*); va_end(v); return call(f, c, a); }
C
gcc -shared -fPIC -o share.so share.c -ldl
begin=$(date +%s%N)
said=$(LD_PRELOAD=$work/share.so sqlite3 -cmd '.timeout 2000' a.sqlite 'CREATE TABLE t (x)' 2>&1 || true)
took=$(( ($(date +%s%N) - begin) / 1000000 ))
echo "SQLite $(sqlite3 --version | cut -d' ' -f1), a folder without fcntl locks, nobody else there, busy timeout 2 s:"
echo "  \"$said\" after $took ms"
flock -n a.sqlite true && echo "  flock on the same file works"
sqlite3 a.sqlite 'CREATE TABLE t (x)' && echo "  without the library the table is made"
[[ $said == *"database is locked"* && $took -ge 1900 ]]
