#!/usr/bin/env bash
# The live example on a JACK server without a sound card: it prints the demo's sounds soon after they begin, and ends by
# itself and by SIGTERM.
#   live.sh HEADER_FOLDER LIBRARY RECORDING
set -euo pipefail
here=$(dirname "$0")
. "$here/../Hosts/common.sh"
. "$here/../Hosts/jack.sh"
headers=$1 library=$2 recording=$3
need pkg-config ecasound
pkg-config --exists jack || { echo "skipped: JACK's headers are not installed"; exit 4; }
mapfile -t jack < <(pkg-config --cflags --libs jack | xargs -n 1)
c++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Werror -I "$headers" "$here/../../Resources/examples/cpp/live.cpp" "$library" \
    "${jack[@]}" -pthread -Wl,-rpath,"$(dirname "$library")" -o "$folder/live"

"$folder/live" 1 >"$folder/none" 2>&1 && fail "no server is no error" "$folder/none"
grep -q "JACK does not run" "$folder/none" || fail "no server is not said" "$folder/none"

start_jack
"$folder/live" 22 >"$folder/sounds" 2>"$folder/errors" &
live=$!
until_true 30 has_port earshot-live:in || fail "no port" "$folder/errors"
play "$recording" 15 earshot-live
wait "$live" && code=0 || code=$?
[ "$code" = 0 ] || fail "it ended with $code" "$folder/errors"
for sound in Speech Flute; do
    for sign in + -; do
        grep -qE "^ *[0-9.]+ s  [$sign] $sound\$" "$folder/sounds" || fail "not printed: $sign $sound" "$folder/sounds"
    done
done
[ "$(grep -c ' + ' "$folder/sounds")" = "$(grep -c ' - ' "$folder/sounds")" ] || fail "some have no end" "$folder/sounds"
[ ! -s "$folder/errors" ] || fail "complaints" "$folder/errors"

"$folder/live" >"$folder/sounds" 2>"$folder/errors" &
live=$!
until_true 30 has_port earshot-live:in || fail "no port" "$folder/errors"
kill -TERM "$live"
wait "$live" && code=0 || code=$?
[ "$code" = 0 ] || fail "SIGTERM ended it with $code" "$folder/errors"
