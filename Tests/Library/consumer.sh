#!/usr/bin/env bash
# Installs libearshot into a folder and builds the examples with it, as another program does: by CMake's find_package(), by
# pkg-config, as C99 and C++, and with the static library. What they print is what `earshot` prints.
#   consumer.sh CMAKE BUILD RECORDING
set -euo pipefail
cmake=$1 build=$2 recording=$3
examples=$(dirname "$0")/../../Resources/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset DESTDIR EARSHOT_MODEL
prefix="$folder/a prefix"
for component in libearshot0 libearshot-dev earshot-data; do
    "$cmake" --install "$build" --prefix "$prefix" --component $component >/dev/null
done
library=$(dirname "$(find "$prefix" -name libearshot.so.0)")
"$build/bin/earshot" analyze "$recording" --min-duration 0.1 --format csv --quiet | cut -d, -f2-4 >"$folder/expected"
[ "$(wc -l <"$folder/expected")" -gt 5 ] || { echo "the program finds too little"; exit 1; }

runs=0
check() { # check NAME PROGRAM: it finds the model that was installed, and prints the same events
    LD_LIBRARY_PATH=$library "$2" "$recording" 2>/dev/null | cut -d, -f1-3 | tr -d '"' >"$folder/found"
    tail -n +2 "$folder/expected" | tr -d '"' | diff - <(tail -n +2 "$folder/found") || { echo "$1: other events"; exit 1; }
    runs=$((runs + 1))
    echo "$1: $(($(wc -l <"$folder/found") - 1)) events"
}

"$cmake" -S "$examples" -B "$folder/cmake" -G Ninja -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_BUILD_TYPE=Release >/dev/null
"$cmake" --build "$folder/cmake" >/dev/null
check "find_package" "$folder/cmake/analyze"

export PKG_CONFIG_PATH="$library/pkgconfig"
mapfile -t flags < <(pkg-config --cflags --libs earshot | xargs -n 1)
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$examples/c/analyze.c" "${flags[@]}" -o "$folder/c"
check "pkg-config, C" "$folder/c"
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -x c++ "$examples/c/analyze.c" "${flags[@]}" -o "$folder/c++"
check "pkg-config, C++" "$folder/c++"

if [ -e "$library/libearshot.a" ]; then
    mapfile -t flags < <(pkg-config --static --cflags --libs earshot | xargs -n 1)
    cc -std=c99 "$examples/c/analyze.c" "${flags[@]/#-learshot/-l:libearshot.a}" -o "$folder/static-c"
    ! ldd "$folder/static-c" | grep libearshot || { echo "the static library was not taken"; exit 1; }
    mkdir "$prefix/bin" && cp "$folder/static-c" "$prefix/bin" # it looks for the model from where the program lies
    check "static, C" "$prefix/bin/static-c"

    mkdir "$folder/static"
    version=$(pkg-config --modversion earshot)
    cat >"$folder/static/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(Static LANGUAGES C CXX)
find_package(earshot $version REQUIRED)
add_executable(static "$(realpath "$examples")/c/analyze.c")
target_link_libraries(static PRIVATE Earshot::earshot_static)
END
    "$cmake" -S "$folder/static" -B "$folder/static/build" -G Ninja -D CMAKE_PREFIX_PATH="$prefix" >/dev/null
    "$cmake" --build "$folder/static/build" >/dev/null
    cp "$folder/static/build/static" "$prefix/bin"
    check "static, find_package" "$prefix/bin/static"
fi
[ $runs -ge 3 ]
