#!/usr/bin/env bash
# jalv runs the LV2 over JACK; the plugin must hear what is played to it in real time.
#   jalv.sh BUNDLE RECORDING LABEL...
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/jack.sh"
bundle=$1 recording=$2
shift 2
need jalv lv2ls
start_jack
export LV2_PATH=$(dirname "$bundle"):/usr/lib/lv2
uri=$(lv2_uri "$bundle")
# jalv ends when its input does: a pipe that stays open keeps it.
mkfifo "$folder/input"
EARSHOT_EVENT_LOG=$folder/events.csv jalv -n earshot "$uri" <"$folder/input" >"$folder/jalv.log" 2>&1 &
exec 3>"$folder/input"
until_true 20 has_port earshot || fail "jalv did not start the plugin" "$folder/jalv.log"
play "$recording" 16 earshot
exec 3>&-
until_true 10 test -s "$folder/events.csv" || fail "no events" "$folder/jalv.log"
heard "$folder/events.csv" "$@"
echo "jalv: $(grep -c '^live,' "$folder/events.csv") events"
