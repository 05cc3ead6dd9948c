#!/usr/bin/env bash
# The desktop app on a real screen (Xvfb) with a real audio stream (JACK's dummy driver) and no sound card: while
# a recording plays into it, the picture must show sounds and the event log must name them. Ended by a signal, it stores its
# settings. The keys work before any click.
#   live.sh APP RECORDING PICTURE.png LABEL...
set -euo pipefail
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/jack.sh"
app=$1 recording=$2 picture=$3
shift 3
need Xvfb import convert compare openbox xdotool
start_jack

start_screen

mkdir -p "$HOME/.config/Earshot"
cat >"$HOME/.config/Earshot/Earshot.settings" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<PROPERTIES>
  <VALUE name="audioSetup">
    <DEVICESETUP deviceType="JACK" audioInputDeviceName="system" audioOutputDeviceName="system"/>
  </VALUE>
</PROPERTIES>
XML
EARSHOT_EVENT_LOG=$folder/events.csv "$app" >"$folder/app.log" 2>&1 &
running=$!
until_true 30 has_port Earshot || fail "the app opened no JACK client" "$folder/app.log"
until_true 20 xdotool search --name Earshot || fail "the app shows no window" "$folder/app.log"
sleep 2 # JUCE soon replaces its first one
window=$(xdotool search --name Earshot | tail -1)

# A panel over the picture changes far more of it than a quiet stream does.
look() { import -window "$window" "$folder/$1.png"; }
shows_panel() { look now && [ "$(compare -metric AE "$folder/before.png" "$folder/now.png" null: 2>&1)" -gt 50000 ]; }
look before
xdotool key t
until_true 5 shows_panel || fail "T opens no panel before a click"
xdotool key Escape

play "$recording" 26 Earshot &
player=$!
sleep 25
kill -0 $running 2>/dev/null || fail "the app is gone" "$folder/app.log"
xdotool mousemove 1239 799 # no tooltip in the picture
sleep 0.5
import -window "$window" "$picture"
wait $player

# A blank or frozen picture has few colours; the heat map and spectrogram have hundreds.
colours=$(convert "$picture" -format %k info:)
[ "$colours" -gt 300 ] || fail "the picture is blank: $colours colours"
heard "$folder/events.csv" "$@"

# Asked to end, as at the end of a desktop session, it stores what the user chose.
kill $running
wait $running || fail "the app ended with $?" "$folder/app.log"
grep -q 'name="windowPlace"' "$HOME/.config/Earshot/Earshot.settings" || fail "the app stored no place of its window"
echo "live: $(grep -c '^live,' "$folder/events.csv") events, $colours colours in $picture"
