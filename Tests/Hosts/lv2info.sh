#!/usr/bin/env bash
# lv2info reads the LV2's metadata without a complaint.
#   lv2info.sh BUNDLE
set -euo pipefail
source "$(dirname "$0")/common.sh"
need lv2info lv2ls
export LV2_PATH=$(dirname "$1"):/usr/lib/lv2
uri=$(lv2_uri "$1")
[ "$(wc -l <<<"$uri")" = 1 ] || fail "expected one plugin, found: $uri"
bounded 20 lv2info "$uri" >"$folder/info" 2>"$folder/complaints" || fail "lv2info failed" "$folder/complaints"
[ ! -s "$folder/complaints" ] || fail "lv2info complains" "$folder/complaints"
grep -q "Name: *Earshot" "$folder/info" || fail "no name" "$folder/info"
grep -q "a lv2:AnalyserPlugin" "$1/dsp.ttl" || fail "no analyser" "$1/dsp.ttl" # lv2info knows the classes that are installed
grep -qE "doap:license <https://www.gnu.org/licenses/a?gpl-3.0>" "$1/dsp.ttl" || fail "no licence" "$1/dsp.ttl"
# The last choice of a list is the port's or parameter's largest value.
awk '/lv2:maximum/ { largest = $2 } /rdf:value/ { choice = $2 }
     /] \.$/ { if (choice != largest) exit 1; ++lists } END { exit lists < 5 }' "$1/dsp.ttl" || fail "wrong choices" "$1/dsp.ttl"
if grep -q "Author Email" "$folder/info" || grep -q pset:Preset "$1/manifest.ttl"; then
    fail "an address or a preset that is none" "$folder/info"
fi
cat "$folder/info"
