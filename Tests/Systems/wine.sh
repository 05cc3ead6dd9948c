#!/usr/bin/env bash
# Tries the program for Windows under Wine: its tests with each instruction set, the demo, names that are not ASCII, line
# ends, and a batch that is ended and goes on. It prints a line for each step; the last says how all of them went.
#
#     Tests/Systems/wine.sh [BUILD]     default: build/windows, of the preset `windows`
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build/windows}")
model=$PWD/Models/earshot-default.safetensors demo=$PWD/Resources/demo.flac
folder=$(mktemp -d)
trap 'wineserver -k || true; rm -rf "$folder"' EXIT
export WINEPREFIX=$folder/prefix WINEDEBUG=-all LC_ALL=C.UTF-8 # names are UTF-8
wine wineboot >/dev/null 2>&1 || true
cd "$folder"

good=0 bad=0
step() { # step NAME COMMAND...: its output is shown if it fails
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$folder/log" 2>&1; then
        good=$((good + 1))
        echo "$name: $((SECONDS - start)) s. $(grep -aE 'All tests passed|test cases:' "$folder/log" | tail -n 1)"
    else
        bad=$((bad + 1))
        echo "$name: FAILED"
        tail -n 30 "$folder/log"
    fi
}
earshot() { wine "$build/bin/earshot.exe" "$@"; }

step version grep -q '^earshot [0-9]' <(earshot --version)
step tests wine "$build/bin/earshot_tests.exe" '~[slow]'
for isa in SSE41 AVX AVX2 AVX2_VNNI AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_AMX; do
    step "[golden] with $isa" env DNNL_MAX_CPU_ISA=$isa wine "$build/bin/earshot_tests.exe" '[golden]~[slow]'
done

demo() { # with the model that lies beside the program
    earshot analyze "$demo" --format csv --output events.csv &&
        grep -q Speech events.csv && grep -q Clarinet events.csv && ! grep -q $'\r\r' events.csv
}
step demo demo

names() {
    mkdir -p 'Geräusche 犬 ñ'
    cp "$demo" 'Geräusche 犬 ñ/čuk.flac'
    earshot analyze 'Geräusche 犬 ñ' --model "$model" --output-dir 'Ergebnis ø' --format csv &&
        grep -q 'čuk.flac' 'Ergebnis ø'/*.csv && grep -q Speech 'Ergebnis ø'/*.csv
}
step "names that are not ASCII" names

line_ends() { # a list of recordings
    cp "$demo" one.flac && cp "$demo" two.flac
    printf 'one.flac\r\ntwo.flac\r\n' >list.txt
    earshot analyze --list list.txt --model "$model" --format csv --output crlf.csv &&
        grep -q '^"\?one.flac' crlf.csv && grep -q '^"\?two.flac' crlf.csv
}
step "line ends of Windows" line_ends

batch() {
    local i
    mkdir recordings
    for i in $(seq 12); do cp "$demo" "recordings/$i.flac"; done
    earshot analyze recordings --model "$model" --output-dir whole --format csv || return
    earshot analyze recordings --model "$model" --output-dir ended --format csv &
    while [ "$(find ended -name '*.csv' 2>/dev/null | wc -l)" -lt 3 ]; do
        kill -0 $! 2>/dev/null || return # it ended before anyone ended it
        sleep 0.1
    done
    wine taskkill /F /IM earshot.exe
    wait $! || true
    earshot analyze recordings --model "$model" --output-dir ended --format csv &&
        diff -r --exclude .earshot whole ended
}
step "a batch that TerminateProcess ends goes on" batch

echo "wine: $good steps passed, $bad failed"
[ "$bad" = 0 ]
