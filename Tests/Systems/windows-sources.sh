#!/usr/bin/env bash
# Gets the sources of the libraries that the preset `windows` builds, from Debian's source packages, and builds the codecs of
# libsndfile, which have build systems of their own.
#
#     Tests/Systems/windows-sources.sh [FOLDER]     default: build/systems/windows
#
# EARSHOT_MIRROR is Debian's mirror (default: http://deb.debian.org/debian). It needs g++-mingw-w64-x86-64-posix, libz-mingw-w64-dev,
# libboost-dev, tcl, make and cmake, and no root.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../../build/systems/windows}")
mirror=${EARSHOT_MIRROR:-http://deb.debian.org/debian}
host=x86_64-w64-mingw32
prefix=$folder/prefix
mkdir -p "$folder/apt/partial" "$folder/none" "$prefix/include" "$folder/src"
cd "$folder/src"

# oneDNN of Debian 13: that of Debian 12 does not know MinGW.
printf 'deb-src %s bookworm main\ndeb-src %s trixie main\n' "$mirror" "$mirror" >"$folder/sources.list"
apt=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/apt"
     -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache=)
apt-get "${apt[@]}" update -qq
get() { # get PACKAGE[/RELEASE]: the upstream sources alone, without Debian's changes
    apt-get "${apt[@]}" source --download-only -qq "$1" || ls ./"${1%/*}"_*.orig.tar.* >/dev/null # these are enough
}
for package in fftw3 libsndfile libsoxr libzip libpng1.6 sqlite3 utf8proc fmtlib nlohmann-json3 cli11 catch2 libogg libvorbis flac \
               opus mpg123 lame; do get "$package/bookworm"; done
get onednn/trixie
for archive in *.orig.tar.*; do
    case $archive in *.asc) continue ;; esac
    name=${archive%%_*}
    [ -d "$name" ] || { mkdir "$name" && tar -C "$name" --strip-components=1 -xf "$archive"; }
done

# The codecs, static.
export CFLAGS="-O2 -Wa,-muse-unaligned-vector-move" PKG_CONFIG_LIBDIR=$folder/none
autotools() { # autotools FOLDER OPTIONS...
    local name=$1 build=$folder/build-$1
    shift
    [ ! -e "$build/done" ] || return 0
    mkdir -p "$build"
    (cd "$build" && "$folder/src/$name/configure" --host=$host --prefix="$prefix" --enable-static --disable-shared "$@" &&
        make -j"$(nproc)" && make install) >"$build.log" 2>&1 || { tail -20 "$build.log"; exit 1; }
    touch "$build/done"
}
export CPPFLAGS=-I$prefix/include LDFLAGS=-L$prefix/lib
autotools libogg
autotools libvorbis --disable-oggtest --disable-docs --disable-examples
autotools flac --disable-cpplibs --disable-programs --disable-examples --disable-doxygen-docs --disable-thorough-tests --with-ogg="$prefix"
autotools opus --disable-extra-programs --disable-doc
autotools mpg123 --enable-libmpg123 --disable-components --enable-int-quality
autotools lame --disable-frontend --disable-decoder

# SQLite as one file, Boost's headers (they are the same for all systems).
[ -e sqlite3/sqlite3.c ] || (cd sqlite3 && CFLAGS=-O2 CPPFLAGS= LDFLAGS= ./configure >/dev/null && make sqlite3.c sqlite3.h >/dev/null)
[ -e "$prefix/include/boost" ] || cp -r /usr/include/boost "$prefix/include/boost"

{
    for pair in onednn:onednn fftw:fftw3 sndfile:libsndfile soxr:libsoxr libzip:libzip libpng:libpng1.6 sqlite:sqlite3 \
                utf8proc:utf8proc fmt:fmtlib nlohmann_json:nlohmann-json3 CLI11:cli11 Catch2:catch2; do
        name=${pair%%:*}
        echo "set(FETCHCONTENT_SOURCE_DIR_${name^^} $folder/src/${pair##*:} CACHE PATH \"\")"
    done
} >"$folder/sources.cmake"
echo "$folder is ready: cmake --preset windows -D EARSHOT_SYSROOT=$folder"
