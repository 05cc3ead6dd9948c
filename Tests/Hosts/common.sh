# What the host scripts share: a folder of their own that goes away with them and with every process they started,
# a limit to each step, and how a test says that it cannot run here.
folder=$(mktemp -d)
export EARSHOT_LOG=off HOME=$folder/home XDG_CONFIG_HOME=$folder/home/.config XDG_CACHE_HOME=$folder/home/.cache XDG_RUNTIME_DIR=$folder
mkdir -p "$HOME"
stop() {
    # Without 0 it would be what the script fails with, and end the cleaning up.
    if [ $# = 0 ]; then return 0; fi
    kill "$@" 2>/dev/null || true
    wait "$@" 2>/dev/null || true
}
# A JACK server (jack.sh) goes after its clients: else it may die without leaving the machine's list of servers, which has
# room for eight.
cleanup() {
    stop $(jobs -p | grep -vx "${jack_server:-none}" || true)
    stop ${jack_server:-}
    rm -rf "$folder"
}
trap cleanup EXIT

# need PROGRAM...: skips the test (exit code 4) where one is not installed.
need() {
    for program in "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "skipped: $program is not installed (see Resources/debian-packages-hosts.txt)"
            exit 4
        fi
    done
}

bounded() { timeout --kill-after=5 "$@"; }

# fail MESSAGE [LOG]
fail() {
    echo "FAILED: $1"
    [ -z "${2:-}" ] || tail -40 "$2"
    exit 1
}

# start_screen: a screen (of another size in $size) with a window manager (another in $EARSHOT_WINDOW_MANAGER, as "kwin_x11"), until the script ends. Its number is its own, and never 0: JUCE takes :0
# where no screen is named, and what runs beside this script would end with its screen.
start_screen() {
    exec 3>"$folder/display"
    Xvfb ":$((100 + $$ % 50000))" -displayfd 3 -screen 0 "${size:-1240x800x24}" -nolisten tcp >"$folder/xvfb.log" 2>&1 &
    until_true 10 test -s "$folder/display" || fail "no screen" "$folder/xvfb.log"
    DISPLAY=:$(cat "$folder/display")
    export DISPLAY
    ${EARSHOT_WINDOW_MANAGER:-openbox} >"$folder/manager.log" 2>&1 &
    until_true 20 xdotool get_num_desktops || fail "no window manager" "$folder/manager.log"
}

lv2_uri() { LV2_PATH=$(dirname "$1") lv2ls; }

# heard CSV LABEL[@ONSET]...: the event log names each of these sounds, within a second of its onset where that is given.
heard() {
    local log=$1
    shift
    [ -s "$log" ] || fail "no events in the log"
    for sound in "$@"; do
        awk -F, -v label="${sound%@*}" -v onset="${sound#*@}" '
            $4 == label && (onset == label || ($2 - onset < 1 && onset - $2 < 1)) { found = 1 }
            END { exit !found }' "$log" || fail "not analysed: $sound" "$log"
    done
}

# until_true SECONDS COMMAND...: waits for a command to succeed.
until_true() {
    local tries=$(($1 * 10))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.1
    done
}
