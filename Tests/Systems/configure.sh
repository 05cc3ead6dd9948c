#!/usr/bin/env bash
# What CMake makes of other machines and choices: it configures the sources and builds nothing. Stand-ins take the place
# of what it would fetch.
#   configure.sh CMAKE SOURCES PLUGIN     PLUGIN: ON or OFF
set -euo pipefail
cmake=$1 sources=$2 plugin=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

failures=0
configure() { # configure NAME OPTIONS...: NAME.log has what CMake says
    local name=$1
    shift
    "$cmake" -G Ninja -S "$sources" -B "$name" -D EARSHOT_TESTS=OFF -D EARSHOT_PLUGIN=OFF "$@" >"$name.log" 2>&1 && return
    tail -n 20 "$name.log"
    return 1
}
has() { # has FILE TEXT: CMake breaks lines
    [[ $(tr -s ' \n' ' ' <"$1") != *"$2"* ]] || return 0
    echo "$1 has no '$2':"
    tail -n 20 "$1"
    failures=$((failures + 1))
}
lacks() { # lacks FILE TEXT
    ! grep -F -e "$2" "$1" || failures=$((failures + 1))
}

# The default model lies beside the program of each configuration. BUILD_TESTING leaves tests out.
configure several -G "Ninja Multi-Config" -U EARSHOT_TESTS -D BUILD_TESTING=OFF
has several/CMakeFiles/impl-Release.ninja bin/Release/Models
has several/CMakeCache.txt EARSHOT_TESTS:BOOL=OFF

# oneDNN is older than the policies of its options, and than CMake 4 wants: it takes the options when it is first configured.
mkdir onednn
cat >onednn/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 2.8.12)
project(oneDNN CXX)
set(DNNL_LIBRARY_TYPE SHARED CACHE STRING "")
set(DNNL_CPU_RUNTIME OMP CACHE STRING "")
message(STATUS "a ${DNNL_LIBRARY_TYPE} oneDNN with ${DNNL_CPU_RUNTIME}, policies of ${CMAKE_POLICY_VERSION_MINIMUM}")
add_library(dnnl INTERFACE)
END
stand_ins=()
for pair in fftw:fftw3f sndfile:sndfile soxr:soxr libzip:zip libpng:png_static utf8proc:utf8proc sqlite:sqlite; do
    name=${pair%:*}
    mkdir "$name"
    printf 'cmake_minimum_required(VERSION 3.5)\nproject(%s C)\nadd_library(%s INTERFACE)\n' "$name" "${pair#*:}" >"$name/CMakeLists.txt"
    stand_ins+=(-D "FETCHCONTENT_SOURCE_DIR_${name^^}=$folder/$name")
done
touch sqlite/sqlite3.c
PKG_CONFIG_LIBDIR=$folder/none configure fetched -D CMAKE_DISABLE_FIND_PACKAGE_dnnl=ON \
    -D CMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON -D FETCHCONTENT_SOURCE_DIR_ONEDNN="$folder/onednn" "${stand_ins[@]}"
has fetched.log "read no FLAC"
has fetched.log "read no MP3"
has fetched.log "a STATIC oneDNN with SEQ, policies of 3.5"

# What is not fetched is named.
configure lacking -D CMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON >/dev/null && failures=$((failures + 1))
has lacking.log "OpenSSL is not installed, and it is not fetched: install its headers (libssl-dev"

# The copyright is that of the JUCE that is inside, and an old JUCE is refused. Plugins go where hosts look.
if [ "$plugin" = ON ]; then
    mkdir -p juce/modules/juce_core
    cat >juce/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(JUCE LANGUAGES C CXX)
find_package(JUCE CONFIG REQUIRED)
set_target_properties(juce_core PROPERTIES INTERFACE_JUCE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/modules)
END
    echo "  version:            8.0.12" >juce/modules/juce_core/juce_core.h
    configure newer -D EARSHOT_PLUGIN=ON -D EARSHOT_PLUGIN_FOLDER=lib64 -D FETCHCONTENT_SOURCE_DIR_JUCE="$folder/juce"
    has newer/Source/Plugin/cmake_install.cmake lib64/vst3
    has newer/packaging/copyright "contain JUCE 8.0.12"
    has newer/packaging/copyright "License: AGPL-3"
    lacks newer/packaging/copyright "Files: JUCE/modules"
    echo "  version:            7.0.4" >juce/modules/juce_core/juce_core.h
    configure older -D EARSHOT_PLUGIN=ON -D FETCHCONTENT_SOURCE_DIR_JUCE="$folder/juce" >/dev/null && failures=$((failures + 1))
    has older.log "is of JUCE '7.0.4', but 7.0.5 or newer is needed"
fi
lacks several/packaging/copyright JUCE

[ $failures = 0 ]
