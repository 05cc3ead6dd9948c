#!/usr/bin/env bash
# The LV2's editor in jalv on GTK 3, which names no scale, on a desktop with a scale of 2: it fills its window.
#   scale.sh BUNDLE
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/jack.sh"
need Xvfb openbox xdotool xwininfo xsettingsd dump_xsettings jalv.gtk3 lv2ls
export LV2_PATH=$(dirname "$1"):/usr/lib/lv2
uri=$(lv2_uri "$1")
size=2800x1800x24 start_screen
start_jack
printf 'Gdk/WindowScalingFactor 2\n' >"$folder/xsettings"
xsettingsd -c "$folder/xsettings" >"$folder/xsettingsd.log" 2>&1 &
until_true 10 dump_xsettings || fail "no settings" "$folder/xsettingsd.log"
jalv.gtk3 "$uri" >"$folder/jalv.log" 2>&1 &

# The widths and heights of jalv's windows, without repetition: its own with the menu, and the place of the editor with all
# that is in it.
window() { xdotool search --onlyvisible --name Earshot | head -1; }
sizes() {
    local id
    id=$(window)
    [ -n "$id" ] && xwininfo -id "$id" -tree | grep -o '[0-9]*x[0-9]*+' | tr -d + | sort -u
}
# fills SIZE: it is the only one. A pattern, because the menu's height is the desktop's.
fills() { [[ "$(sizes | grep -vx 1x1 | tr '\n' ' ')" == $1\  ]]; }
until_true 30 fills 2400x1440 || fail "the editor is not as large as it should be: $(sizes | tr '\n' ' ')" "$folder/jalv.log"
xdotool windowsize "$(window)" 2600 1600
until_true 10 fills '2600x15[0-9][0-9]' || fail "the editor does not fill a larger window: $(sizes | tr '\n' ' ')" "$folder/jalv.log"
echo "jalv on GTK 3: the editor fills its window at a scale of 2"
