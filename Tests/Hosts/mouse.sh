#!/usr/bin/env bash
# The app's view on a screen, used with the mouse alone. EARSHOT_PICTURES names a folder for pictures of its states.
#   mouse.sh EARSHOT_PLUGIN_TESTS RECORDING
set -euo pipefail
source "$(dirname "$0")/common.sh"
need Xvfb openbox xdotool import
start_screen
# The demo lies beside a program, and what is made of it beside the demo.
mkdir "$folder/app" "$folder/bin"
cp "$1" "$2" "$folder/app"
# Without a desktop's file dialogs (zenity, kdialog) JUCE's own opens, whose buttons can be found.
ln -s "$(command -v xdotool)" "$(command -v import)" "$folder/bin"
bounded 500 env PATH="$folder/bin" "$folder/app/$(basename "$1")" "[screen]"
