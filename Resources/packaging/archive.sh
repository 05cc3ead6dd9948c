#!/usr/bin/env bash
# Makes the relocatable archive earshot-VERSION-linux-x86_64.tar.xz and SHA256SUMS. It runs where none of Earshot's
# libraries is installed. Build it on Debian 12, so that it runs on every Linux that is as new or newer.
#
#     Resources/packaging/archive.sh [FOLDER]     FOLDER: where all is built (default: build/archive)
#
# Programs and plugins have their libraries inside, as static ones. oneDNN and libgomp are shared: they lie in lib/ and in
# each plugin's bundle, and are found from where the program or plugin lies. oneDNN has a name of its own, so that a host's
# other version is never taken for it. librsvg stays out, with the thirty libraries it stands on: pictures are SVG.
# It needs what static-libraries.sh needs, and patchelf.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v patchelf >/dev/null || { echo "archive.sh: install patchelf" >&2; exit 2; }
build=${1:-build/archive}
mkdir -p "$build"
build=$(realpath "$build")
static=$build/static-libraries

[ -e "$static/libsndfile.a" ] || Resources/packaging/static-libraries.sh "$static"
cmake -G Ninja -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D EARSHOT_TESTS=OFF -D EARSHOT_STATIC_LIBRARIES="$static"
cmake --build "$build"

version=$(sed -nE 's/^CMAKE_PROJECT_VERSION:.*=//p' "$build/CMakeCache.txt")
name=earshot-$version-linux-$(uname -m)
root=$build/archive/$name
rm -rf "$root"
DESTDIR='' cmake --install "$build" --prefix "$root" --strip >/dev/null
# The bundles stand on top: they are what a user copies. The manual's links to the models' README stay right.
mv "$root"/lib/vst3/Earshot.vst3 "$root"/lib/lv2/Earshot.lv2 "$root"
rmdir "$root"/lib/{vst3,lv2}
library=$(find "$root/lib" -name "libearshot.so.*.*.*")
vst3=$(dirname "$(find "$root/Earshot.vst3" -name Earshot.so)")
strip --strip-unneeded "$root"/bin/* "$library" "$vst3/Earshot.so" "$root/Earshot.lv2/libEarshot.so"

# The shared libraries, each with its folder as the origin of the others.
dnnl=$(ldd "$root/bin/earshot" | awk '/libdnnl/ { print $3 }')
opencl=$(ldd "$dnnl" | awk '/libOpenCL/ { print $3 }')
gomp=$(ldd "$dnnl" | awk '/libgomp/ { print $3 }')
for folder in "$root/lib" "$vst3" "$root/Earshot.lv2"; do
    mkdir -p "$folder"
    cp -L "$gomp" "$folder/libgomp.so.1"
    cp -L "$dnnl" "$folder/libearshot-dnnl.so"
    patchelf --set-soname libearshot-dnnl.so "$folder/libearshot-dnnl.so"
    if [ -n "$opencl" ]; then
        cp -L "$opencl" "$folder/libearshot-opencl.so"
        patchelf --set-soname libearshot-opencl.so "$folder/libearshot-opencl.so"
        patchelf --replace-needed "$(basename "$opencl")" libearshot-opencl.so "$folder/libearshot-dnnl.so"
    fi
    # shellcheck disable=SC2016 # the loader reads $ORIGIN
    patchelf --set-rpath '$ORIGIN' "$folder/libearshot-dnnl.so"
    chmod 644 "$folder"/lib*.so*
done
for binary in "$root"/bin/earshot "$root"/bin/earshot-app "$library" "$vst3/Earshot.so" "$root/Earshot.lv2/libEarshot.so"; do
    patchelf --replace-needed "$(basename "$dnnl")" libearshot-dnnl.so "$binary"
    # shellcheck disable=SC2016
    case $binary in
        */bin/*) patchelf --set-rpath '$ORIGIN/../lib' "$binary" ;;
        *) patchelf --set-rpath '$ORIGIN' "$binary" ;;
    esac
done

# What is left to the system, as README-first.txt lists it: anything else is a mistake here.
needed=$(find "$root" -type f \( -path '*/bin/*' -o -name '*.so*' \) -exec objdump -p {} + 2>/dev/null |
    awk '$1 == "NEEDED" { print $2 }' | grep -vE '^lib(earshot-|gomp)' | sort -u | paste -sd' ')
glibc=$(find "$root" -type f \( -path '*/bin/*' -o -name '*.so*' \) -exec objdump -T {} + 2>/dev/null |
    grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1 | sed s/GLIBC_//)
for library in $needed; do
    case $library in
        libc.so.6 | libm.so.6 | ld-linux-x86-64.so.2 | libstdc++.so.6 | libgcc_s.so.1 | libasound.so.2 | libfreetype.so.6 | \
            libfontconfig.so.1) ;;
        *) echo "archive.sh: $library is needed of the system, which README-first.txt does not say" >&2; exit 1 ;;
    esac
done

documents=$root/share/doc/earshot
{
    echo
    echo "Inside the programs and plugins of the archive, from $(. /etc/os-release && echo "$PRETTY_NAME"); each under the"
    echo "licence that follows:"
    for package in libdnnl-dev libgomp1 ocl-icd-libopencl1 libfftw3-dev libsndfile1-dev libflac-dev libogg-dev libvorbis-dev \
        libopus-dev libsoxr-dev libzip-dev libsqlite3-dev libssl-dev libutf8proc-dev libfmt-dev libpng-dev libjpeg62-turbo-dev \
        zlib1g-dev libcli11-dev nlohmann-json3-dev; do
        printf '\n==== %s ====\n' "$package"
        cat "/usr/share/doc/$package/copyright"
    done
    for source in mpg123 lame; do
        printf '\n==== %s ====\n' "$source"
        cat "$static"/sources/"$source"-*/debian/copyright
    done
} >>"$documents/copyright"
sed -e "s/@VERSION@/$version/" -e "s/@GLIBC@/$glibc/" Resources/packaging/README-first.txt >"$root/README-first.txt"
cp LICENSE "$root/LICENSE"

# Two builds of one commit make one archive: names in order, and the commit's date.
date=$(git log -1 --format=%ct 2>/dev/null || date +%s)
cd "$build/archive"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -c "$name" | xz -9 -T1 >"$name.tar.xz"
sha256sum "$name.tar.xz" >SHA256SUMS
echo "$build/archive/$name.tar.xz: $(stat -c %s "$name.tar.xz") bytes, unpacked $(du -sb "$name" | cut -f1);" \
    "needs glibc $glibc and $needed"
