#!/usr/bin/env bash
# Ardour 7, without a display: scans the plugin, puts it on a track, exports. What comes out with the plugin active
# must be, bit for bit, what comes out with it bypassed, and the plugin must have heard the demo's sounds.
#   ardour.sh VST3|LV2 BUNDLE RECORDING.flac LABEL[@ONSET]...
set -euo pipefail
source "$(dirname "$0")/common.sh"
kind=$1 bundle=$(realpath "$2") recording=$3
shift 3
need ardour7-lua ardour7-export

export SESSION=$folder/session RECORDING=$recording KIND=$kind
case $kind in
VST3)
    mkdir -p "$HOME/.vst3"
    ln -s "$bundle" "$HOME/.vst3/"
    export PLUGIN=Earshot
    scanner=/usr/lib/ardour7/ardour-vst3-scanner
    LD_LIBRARY_PATH=/usr/lib/ardour7 bounded 60 "$scanner" -f "$HOME/.vst3/$(basename "$bundle")" >"$folder/scan.log" 2>&1 ||
        fail "Ardour's scanner refuses the plugin" "$folder/scan.log"
    ;;
LV2)
    export LV2_PATH=$(dirname "$bundle"):/usr/lib/lv2
    PLUGIN=$(lv2_uri "$bundle")
    export PLUGIN
    ;;
esac

# Ardour 7.3 aborts or hangs now and then when it ends, without any plugin as well: then once more.
ardour() {
    local status
    for _ in 1 2 3 4 5; do
        status=0
        bounded 60 "$@" >"$folder/ardour.log" 2>&1 || status=$?
        case $status in 134 | 124 | 137) ;; *) break ;; esac
        rm -f "${EARSHOT_EVENT_LOG:-}"
    done
    return $status
}

make_session() {
    rm -rf "$SESSION"
    bounded 60 ardour7-lua "$(dirname "$0")/ardour.lua"
}
export -f make_session bounded
ardour bash -c make_session "$0" || fail "no session" "$folder/ardour.log"
[ -f "$SESSION/bypassed.ardour" ] || fail "no session" "$folder/ardour.log"
# The headers hold the time of day; the samples are what follows "data".
samples() { LC_ALL=C grep -obUa -m1 data "$1" | head -1 | cut -d: -f1; }
export_state() {
    rm -f "$folder/$1.wav" "$folder/$1.csv"
    EARSHOT_EVENT_LOG=$folder/$1.csv ardour ardour7-export -b float -o "$folder/$1.wav" "$SESSION" "$1" ||
        fail "no export of the $1 session" "$folder/ardour.log"
    tail -c +"$(($(samples "$folder/$1.wav") + 9))" "$folder/$1.wav" >"$folder/$1.raw"
}

# Ardour 7.3 exports something else now and then, also the same session twice with the plugin bypassed. A plugin that
# changes the audio never gives what comes out without it.
for _ in 1 2 3 4 5; do
    export_state active
    export_state bypassed
    if same=$(cmp "$folder/active.raw" "$folder/bypassed.raw" 2>&1); then break; fi
done
[ "$(stat -c %s "$folder/active.raw")" -gt 1000000 ] || fail "the export is too short"
cmp -s "$folder/active.raw" <(head -c "$(stat -c %s "$folder/active.raw")" /dev/zero) && fail "the export is silent"
[ -z "$same" ] || fail "the plugin changes the audio: $same"
heard "$folder/active.csv" "$@"
echo "$kind in Ardour: audio unchanged, $(grep -c '^live,' "$folder/active.csv") events"
