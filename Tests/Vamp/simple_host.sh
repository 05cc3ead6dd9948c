#!/usr/bin/env bash
# What vamp-simple-host (package vamp-examples) prints of a recording through the plugin: the command line's events,
# columns of activations and their strongest classes.
#   simple_host.sh PLUGIN EARSHOT RECORDING
set -euo pipefail
[ -e "$1" ] || { echo "skipped: $1 is not built"; exit 4; }
plugin=$(realpath "$1") earshot=$(realpath "$2") recording=$(realpath "$3")
command -v vamp-simple-host >/dev/null || { echo "skipped: no vamp-simple-host (package vamp-examples)"; exit 4; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export VAMP_PATH=${plugin%/*}
output() { vamp-simple-host "earshot.so:earshot:$1" "$recording" 2>"$1.log" >"$1" || { cat "$1.log"; exit 1; }; }

# onset, offset, label, class_index
LC_ALL=C awk -F'[,:] *' '{ split($3, v, " "); label = substr($3, length(v[1]) + 2)
    printf "%.3f,%.3f,%s,%d\n", $1, $1 + $2, label, v[1] }' <(output events; cat events) >of_host
"$earshot" analyze "$recording" --format csv | LC_ALL=C awk -F, 'NR > 1 { printf "%.3f,%.3f,%s,%d\n", $2, $3, $4, $5 }' >of_program
[ "$(wc -l <of_program)" -gt 4 ] || { echo "few events:"; cat of_program; exit 1; }
diff of_host of_program || { echo "< host, > command line"; exit 1; }

# A line for each column: time and probabilities, which the strongest class has the highest of.
output activations
output strongest
columns=$(wc -l <activations)
[ "$columns" -gt 400 ] && [ "$columns" = "$(wc -l <strongest)" ] || {
    echo "$columns columns, $(wc -l <strongest) strongest"
    exit 1
}
awk '{ most = $2; for (i = 3; i <= NF; ++i) if ($i > most) most = $i; print $1, most }' activations >most
diff most <(awk '{ print $1, $2 }' strongest) || { echo "< highest of the activations, > strongest"; exit 1; }
grep -q ' Speech$' strongest && grep -q ' Flute$' strongest
vamp-simple-host --list-outputs >listed
diff listed <(printf 'vamp:earshot:earshot:%s\n' events activations strongest)
echo "$(wc -l <of_host) events, $columns columns"
