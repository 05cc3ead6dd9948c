#!/usr/bin/env bash
# LV2 does not say in which pixels a plugin's ui:resize counts. suil, which shows X11 editors in GTK 3 hosts (jalv.gtk3), takes
# width and height for GTK's logical pixels: on a desktop with a scale of 2, a window that asks for 600 x 400 gets a place of
# 1200 x 800 physical pixels, of which it fills a quarter. The host names no ui:scaleFactor either, so that an editor cannot know.
# One that draws itself at the desktop's scale and asks for 1200 x 800 gets a place of 2400 x 1600. What helps: read the scale from
# XSETTINGS (Gdk/WindowScalingFactor), ask GTK 3 hosts for logical pixels, be no larger than that when instantiate() returns,
# because suil makes room for the window that it finds, and then take the size of the parent's window.
# Debian 12: jalv (1.6.6), libsuil-0-0 (0.10.18), xvfb, xdotool, x11-utils, xsettingsd, jackd2, gcc, libx11-dev, lv2-dev.
set -euo pipefail
declare -A package=([jalv.gtk3]=jalv [Xvfb]=xvfb [xdotool]=xdotool [xwininfo]=x11-utils [xsettingsd]=xsettingsd [jackd]=jackd2 [gcc]=gcc)
for program in "${!package[@]}"; do
    command -v "$program" >/dev/null || apt-get install -y -qq "${package[$program]}" >/dev/null
done
[ -f /usr/include/X11/Xlib.h ] && [ -f /usr/include/lv2/ui/ui.h ] || apt-get install -y -qq libx11-dev lv2-dev >/dev/null
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/lv2/box.lv2"
cat > "$work/lv2/box.lv2/manifest.ttl" <<'T'
@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix ui: <http://lv2plug.in/ns/extensions/ui#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:findings:box> a lv2:Plugin ; lv2:binary <box.so> ; ui:ui <urn:findings:box:ui> ; rdfs:seeAlso <box.ttl> .
<urn:findings:box:ui> a ui:X11UI ; lv2:binary <box.so> .
T
cat > "$work/lv2/box.lv2/box.ttl" <<'T'
@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
<urn:findings:box> a lv2:Plugin ; doap:name "Box" ; lv2:port [ a lv2:AudioPort, lv2:InputPort ; lv2:index 0 ; lv2:symbol "in" ; lv2:name "In" ] .
T
cat > "$work/box.c" <<'C'
#include <X11/Xlib.h>
#include <lv2/core/lv2.h>
#include <lv2/ui/ui.h>
#include <stdlib.h>
#include <string.h>
static LV2_Handle make(const LV2_Descriptor* d, double r, const char* b, const LV2_Feature* const* f) { return calloc(1, 1); }
static void port(LV2_Handle h, uint32_t i, void* p) {}
static void run(LV2_Handle h, uint32_t n) {}
static const LV2_Descriptor plugin = {"urn:findings:box", make, port, NULL, run, NULL, free, NULL};
const LV2_Descriptor* lv2_descriptor(uint32_t i) { return i == 0 ? &plugin : NULL; }
static Display* display;
static LV2UI_Handle show(const LV2UI_Descriptor* d, const char* u, const char* b, LV2UI_Write_Function w, LV2UI_Controller c,
                         LV2UI_Widget* widget, const LV2_Feature* const* f) {
    Window parent = 0;
    const LV2UI_Resize* resize = NULL;
    for (; *f; ++f) {
        if (!strcmp((*f)->URI, LV2_UI__parent)) parent = (Window)(*f)->data;
        if (!strcmp((*f)->URI, LV2_UI__resize)) resize = (*f)->data;
    }
    display = XOpenDisplay(NULL);
    Window window = XCreateSimpleWindow(display, parent, 0, 0, 600, 400, 0, 0, 0xff0000);
    XStoreName(display, window, "findings box");
    XMapWindow(display, window);
    XSync(display, False);
    if (resize) resize->ui_resize(resize->handle, 600, 400);
    *widget = (LV2UI_Widget)window;
    return calloc(1, 1);
}
static void gone(LV2UI_Handle h) { free(h); }
static const LV2UI_Descriptor ui = {"urn:findings:box:ui", show, gone, NULL, NULL};
const LV2UI_Descriptor* lv2ui_descriptor(uint32_t i) { return i == 0 ? &ui : NULL; }
C
gcc -shared -fPIC -w -o "$work/lv2/box.lv2/box.so" "$work/box.c" -lX11
export LV2_PATH=$work/lv2 HOME=$work JACK_DEFAULT_SERVER=findings-$$ JACK_NO_AUDIO_RESERVATION=1
jackd --no-realtime --name "$JACK_DEFAULT_SERVER" -d dummy -r 48000 -p 512 >"$work/jackd.log" 2>&1 &
# sizes SCALE: the window's size and that of its place, in physical pixels.
sizes() {
    exec 3>"$work/display"
    Xvfb ":$((100 + $$ % 50000 + $1))" -displayfd 3 -screen 0 2800x1800x24 -nolisten tcp >/dev/null 2>&1 &
    local screen=$! settings host id
    for _ in $(seq 50); do [ -s "$work/display" ] && break; sleep 0.1; done
    DISPLAY=:$(cat "$work/display"); export DISPLAY
    echo "Gdk/WindowScalingFactor $1" > "$work/settings"
    xsettingsd -c "$work/settings" >/dev/null 2>&1 & settings=$!
    sleep 1
    jalv.gtk3 urn:findings:box >/dev/null 2>&1 & host=$!
    sleep 6
    id=$(xdotool search --name 'findings box' | head -1)
    local box place
    place=$(xwininfo -id "$(xwininfo -id "$id" -tree | sed -n 's/.*Parent window id: \(0x[0-9a-f]*\).*/\1/p')" | awk '/Width|Height/ { print $2 }')
    box=$(xwininfo -id "$id" | awk '/Width|Height/ { print $2 }')
    echo $box of $place
    kill "$host" "$settings" "$screen" 2>/dev/null
    wait "$host" "$settings" "$screen" 2>/dev/null || true
}
dpkg-query -W -f '${Package} ${Version}\n' jalv libsuil-0-0
one=$(sizes 1) two=$(sizes 2)
echo "scale 1: the window has $one"
echo "scale 2: the window has $two"
[ "$one" = "600 400 of 600 400" ] && [ "$two" = "600 400 of 1200 800" ]
