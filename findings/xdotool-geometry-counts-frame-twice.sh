#!/usr/bin/env bash
# A window's position by `xdotool getwindowgeometry` is wrong by the window manager's frame. The position in the frame is added to the
# position on the screen, which has it already: xwininfo's absolute position is right. A script that clicks at the printed position
# misses by the width of the border and the height of the title, so that small buttons at the edge seem to do nothing. What helps:
# clicks relative to the window (`mousemove --window ID X Y`), which are exact, or xwininfo's position.
# Debian 12: xdotool (3.20160805.1), openbox (3.6.1), xvfb, x11-utils.
set -euo pipefail
declare -A package=([Xvfb]=xvfb [xdotool]=xdotool [openbox]=openbox [xwininfo]=x11-utils [xmessage]=x11-utils)
for program in "${!package[@]}"; do
    command -v "$program" >/dev/null || apt-get install -y -qq --no-install-recommends "${package[$program]}" >/dev/null
done
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME=$work
exec 3>"$work/display"
Xvfb ":$((100 + $$ % 50000))" -displayfd 3 -screen 0 1000x700x24 -nolisten tcp >/dev/null 2>&1 &
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
DISPLAY=:$(cat "$work/display")
export DISPLAY
openbox >/dev/null 2>&1 &
for _ in $(seq 100); do xdotool get_num_desktops >/dev/null 2>&1 && break; sleep 0.1; done
xmessage -name findings "a window with a frame" >/dev/null 2>&1 &
window=$(xdotool search --sync --onlyvisible --name findings | head -1)
xdotool windowmove --sync "$window" 200 150
sleep 1
said=$(xdotool getwindowgeometry --shell "$window" | sed -n 's/^X=//p; s/^Y=//p' | paste -sd' ')
real=$(xwininfo -id "$window" | sed -n 's/^ *Absolute upper-left [XY]: *//p' | paste -sd' ')
frame=$(xwininfo -id "$window" | sed -n 's/^ *Relative upper-left [XY]: *//p' | paste -sd' ')
xdotool mousemove --window "$window" 0 0
pointer=$(xdotool getmouselocation --shell | sed -n 's/^X=//p; s/^Y=//p' | paste -sd' ')
printf 'xdotool %s, openbox %s\n' "$(dpkg-query -W -f '${Version}' xdotool)" "$(dpkg-query -W -f '${Version}' openbox)"
printf 'on the screen (xwininfo): %s\nin its frame: %s\nxdotool getwindowgeometry: %s\npointer after mousemove --window ID 0 0: %s\n' \
    "$real" "$frame" "$said" "$pointer"
read -r x y <<<"$real"
read -r dx dy <<<"$frame"
[ "$dx $dy" != "0 0" ] || { echo "the window has no frame here: this shows nothing"; exit 1; }
[ "$said" = "$((x + dx)) $((y + dy))" ] && [ "$pointer" = "$real" ] || { echo "CHANGED"; exit 1; }
echo "getwindowgeometry counts the frame twice"
