#!/usr/bin/env bash
# listen.sh EARSHOT RECORDING UNIT: `earshot listen` on a JACK server without a sound card, beside `earshot analyze` of
# what it heard: the same events, at the same distance. Then the server ends and comes back, and SIGTERM ends it. systemd
# accepts the example of a unit.
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"
. "$here/jack.sh"
earshot=$1 recording=$2 unit=$3
# The pause in the speech lies at the threshold: where the windows lie decides whether it is one event or two.
options=(--threshold 0.3 --merge-gap 0.5 --only Speech,Flute,Tom,Clarinet --format csv)

# Rows without file and time of day, their times from the first onset on, to a hundredth.
rows() {
    grep -v '^#\|^file,' "$1" | sort -t, -k2,2n | awk -F, '{ if (NR == 1) first = $2
        printf "%.1f %.1f %s\n", $2 - first, $3 - first, $4 }'
}
events() { grep -vc '^#\|^file,' "$1" || true; }
has_events() { [ "$(events "$folder/out.csv")" -ge "$1" ]; }

start_jack
"$earshot" listen jack:none-yet --event-log "$folder/none.csv" >"$folder/none" 2>&1 && fail "no port is no error" "$folder/none"
grep -q "no port that gives audio" "$folder/none" || fail "no port is not said" "$folder/none"

"$earshot" listen jack --channels 2 --event-log "$folder/log.csv" "${options[@]}" >"$folder/out.csv" 2>"$folder/errors" &
listener=$!
until_true 30 has_port earshot:in_2 || fail "no ports" "$folder/errors"
play "$recording" 35 earshot
until_true 30 has_events 4 || fail "no events" "$folder/errors"

kill "$jack_server"; wait "$jack_server" || true
until_true 15 grep -q "gives no audio any more" "$folder/errors" || fail "a server that ended is not noticed" "$folder/errors"
before=$(events "$folder/out.csv")
cp "$folder/out.csv" "$folder/first.csv"
start_jack
until_true 20 grep -q "is back" "$folder/errors" || fail "a server that is back is not noticed" "$folder/errors"
until_true 20 has_port earshot:in_2 || fail "no ports after the server came back" "$folder/errors"
play "$recording" 10 earshot # to the end of its speech
sleep 2
kill -TERM "$listener"
wait "$listener" && code=0 || code=$?
[ "$code" = 0 ] || fail "SIGTERM ended it with $code" "$folder/errors"
after=$(($(events "$folder/out.csv") - before))
[ "$after" -ge 1 ] || fail "no events after the server came back" "$folder/errors"
grep -q "events in " "$folder/errors" || fail "no summary" "$folder/errors"
grep -q "^# jack gives no audio any more" "$folder/log.csv" || fail "the log has no line for the gap" "$folder/log.csv"
# But for its last column, the instance.
[ "$(grep -v '^#' "$folder/log.csv" | sed 's/,[^,]*$//')" = "$(cat "$folder/out.csv")" ] || fail "the log is not what was printed" "$folder/log.csv"

"$earshot" analyze "$recording" "${options[@]}" >"$folder/file.csv" 2>/dev/null
# Windows lie elsewhere in the stream: times may differ by two columns.
[ "$(rows "$folder/first.csv" | cut -d' ' -f3 | sort)" = "$(rows "$folder/file.csv" | cut -d' ' -f3 | sort)" ] ||
    fail "other sounds than in the file: $(rows "$folder/first.csv")" "$folder/file.csv"

if command -v systemd-analyze >/dev/null; then
    sed "s|^ExecStart=[^ ]*|ExecStart=$earshot|; /^Documentation/d" "$unit" >"$folder/earshot-listen.service"
    systemd-analyze verify "$folder/earshot-listen.service" || fail "systemd refuses the unit"
fi
echo "live: $before events, $after after the server came back"
