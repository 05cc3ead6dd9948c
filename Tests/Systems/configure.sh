#!/usr/bin/env bash
# What CMake makes of other machines and choices: it configures the sources and builds nothing. Stand-ins take the place
# of what it would fetch.
#   configure.sh CMAKE SOURCES
set -euo pipefail
cmake=$1 sources=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

failures=0
configure() { # configure NAME OPTIONS...: NAME.log has what CMake says
    local name=$1
    shift
    "$cmake" -G Ninja -S "$sources" -B "$name" -D EARSHOT_TESTS=OFF -D EARSHOT_PLUGIN=OFF "$@" >"$name.log" 2>&1
}
has() { # has FILE TEXT: CMake breaks lines
    [[ $(tr -s ' \n' ' ' <"$1") != *"$2"* ]] || return 0
    echo "$1 has no '$2':"
    tail -n 20 "$1"
    failures=$((failures + 1))
}

# The default model lies beside the program of each configuration.
configure several -G "Ninja Multi-Config"
has several/CMakeFiles/impl-Release.ninja bin/Release/Models

[ $failures = 0 ]
