#!/usr/bin/env bash
# Builds static libraries that Debian has only as shared ones, or as static ones that no plugin can hold (not compiled as
# -fPIC), from Debian's sources of the same versions. The relocatable archive (archive.sh) has them inside, so that a plugin
# cannot meet a host's other versions.
#
#     Resources/packaging/static-libraries.sh FOLDER     the .a files are put there
#
# EARSHOT_MIRROR is Debian's mirror (default: http://deb.debian.org/debian). It needs dpkg-dev, cmake, ninja and make.
set -euo pipefail
mkdir -p "${1:?name a folder}"
folder=$(realpath "$1")
mirror=${EARSHOT_MIRROR:-http://deb.debian.org/debian}
# shellcheck source=/dev/null
. /etc/os-release
work=$folder/sources
mkdir -p "$work/lists/partial"
cd "$work"

# Sources are fetched with lists of their own: nothing of this system is changed.
{
    echo "deb-src $mirror $VERSION_CODENAME main"
    echo "deb-src $mirror $VERSION_CODENAME-updates main"
    echo "deb-src ${mirror%/debian}/debian-security $VERSION_CODENAME-security main"
} >sources.list
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
"${apt[@]}" update
sources() { # sources NAME: fetches and unpacks it, enters its folder
    cd "$work"
    rm -rf "$1"-*/
    # A mirror may lack the newest version, and what upstream signed a version with: then the release's own version, and what
    # apt has checked by its hashes.
    "${apt[@]}" source --download-only "$1" || "${apt[@]}" source --download-only "$1/$VERSION_CODENAME" || true
    rm -f "$1"_*.asc
    dpkg-source --no-check -x "$1"_*.dsc >/dev/null
    cd "$1"-*/
}
flags="-O2 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections"
configured() { # configured OPTIONS...
    ./configure --quiet --prefix="$work/prefix" --disable-shared --enable-static --with-pic CFLAGS="$flags" "$@" &&
        make -s -j"$jobs" && make -s install
}
with_cmake() { # with_cmake OPTIONS...
    cmake -S . -B b -G Ninja -D CMAKE_BUILD_TYPE=Release -D BUILD_SHARED_LIBS=OFF -D CMAKE_POSITION_INDEPENDENT_CODE=ON \
        -D CMAKE_C_FLAGS="$flags" -D CMAKE_CXX_FLAGS="$flags" "$@" && ninja -C b -j"$jobs"
}
jobs=${EARSHOT_JOBS:-$(nproc)}
keep() { cp "$@" "$folder"; }

sources fmtlib
with_cmake -D FMT_TEST=OFF -D FMT_DOC=OFF && keep b/libfmt.a
sources libsoxr
with_cmake -D BUILD_TESTS=OFF -D BUILD_EXAMPLES=OFF -D WITH_OPENMP=OFF -D WITH_LSR_BINDINGS=OFF && keep b/src/libsoxr.a
sources libzip
with_cmake -D BUILD_TOOLS=OFF -D BUILD_REGRESS=OFF -D BUILD_EXAMPLES=OFF -D BUILD_DOC=OFF -D ENABLE_BZIP2=OFF \
    -D ENABLE_LZMA=OFF -D ENABLE_ZSTD=OFF -D ENABLE_GNUTLS=OFF -D ENABLE_OPENSSL=OFF -D ENABLE_MBEDTLS=OFF && keep b/lib/libzip.a
sources zlib
CFLAGS="$flags" ./configure --static >/dev/null && make -s -j"$jobs" libz.a && keep libz.a
sources libpng1.6
configured --disable-tools && keep "$work/prefix/lib/libpng16.a" && ln -sf libpng16.a "$folder/libpng.a"
sources libjpeg-turbo
with_cmake -D ENABLE_SHARED=OFF -D WITH_SIMD=OFF -D WITH_TURBOJPEG=OFF && keep b/libjpeg.a
sources libogg
configured && keep "$work/prefix/lib/libogg.a"
sources opus
configured --disable-doc --disable-extra-programs && keep "$work/prefix/lib/libopus.a"
sources mpg123
configured --disable-components --enable-libmpg123 && keep "$work/prefix/lib/libmpg123.a"
sources lame
configured --disable-frontend --disable-decoder && keep "$work/prefix/lib/libmp3lame.a"
sources libsndfile
with_cmake -D BUILD_PROGRAMS=OFF -D BUILD_EXAMPLES=OFF -D BUILD_TESTING=OFF -D ENABLE_CPACK=OFF -D ENABLE_MPEG=ON \
    -D CMAKE_PREFIX_PATH="$work/prefix" && keep b/libsndfile.a
ls -l "$folder"/*.a
