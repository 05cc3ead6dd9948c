#!/usr/bin/env bash
# The LV2's editor in JUCE's host, which shows it in an X11 window: opened and closed while another thread processes.
#   editors.sh EARSHOT_HOST_TESTS
set -euo pipefail
source "$(dirname "$0")/common.sh"
need Xvfb openbox xdotool
start_screen
bounded 120 "$1" "strict: the LV2's editor opens and closes in the middle"
