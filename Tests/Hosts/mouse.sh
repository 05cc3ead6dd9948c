#!/usr/bin/env bash
# The app's view on a screen, used with the mouse alone. EARSHOT_PICTURES names a folder for pictures of its states.
#   mouse.sh EARSHOT_PLUGIN_TESTS RECORDING
set -euo pipefail
source "$(dirname "$0")/common.sh"
need Xvfb openbox xdotool import
start_screen
# The demo lies beside a program, and what is made of it beside the demo.
cp "$1" "$2" "$folder"
bounded 500 "$folder/$(basename "$1")" "[screen]"
