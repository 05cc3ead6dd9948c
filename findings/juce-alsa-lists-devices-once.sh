#!/usr/bin/env bash
# JUCE names an ALSA device by its description. That of "default" comes from alsa-plugins, which asks whether a PulseAudio server
# answers when the configuration is read: while none does, the same device has no description, and JUCE calls it "default" or
# "Default ALSA Output". JUCE's ALSA type lists its devices once: each later scanForDevices() returns at once, so that
# an app that waits for a server or an interface to come back never sees it, and one that opens the device by its name gets "No such
# device" for good if it made its list in between. What helps: a new AudioDeviceManager for each attempt, the former one destroyed
# before it is made (its destructor sets back ALSA's error handler), and the type's default device where the name is gone.
# Debian 12: juce-modules-source (7.0.5), libasound2-dev (1.2.8), libasound2-plugins (1.2.7.1), pulseaudio (16.1), zlib1g-dev, g++.
set -euo pipefail
packages=(g++ juce-modules-source libasound2-dev libasound2-plugins pulseaudio zlib1g-dev)
dpkg-query -W "${packages[@]}" >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
cat > "$work/main.cpp" <<'C'
#include <juce_audio_devices/juce_audio_devices.h>
#include <iostream>
static void show(const char* when, juce::AudioIODeviceType& type) {
    type.scanForDevices();
    std::cout << when << ": " << type.getDeviceNames(true)[type.getDefaultDeviceIndex(true)] << std::endl;
}
int main() {
    juce::ScopedJuceInitialiser_GUI juce;
    std::unique_ptr<juce::AudioIODeviceType> type(juce::AudioIODeviceType::createAudioIODeviceType_ALSA());
    show("without a server", *type);
    std::cin.get(); // the server starts
    show("with a server, the same list", *type);
    type.reset();
    type.reset(juce::AudioIODeviceType::createAudioIODeviceType_ALSA());
    show("with a server, a new list", *type);
}
C
modules=/usr/share/juce/modules
flags=(-std=c++17 -O0 -w "-I$modules" "-I$work" -DJUCE_GLOBAL_MODULE_SETTINGS_INCLUDED=1 -DJUCE_STANDALONE_APPLICATION=1 -DJUCE_JACK=0
       -DJUCE_USE_CURL=0 -DNDEBUG=1)
for module in juce_core juce_events juce_audio_basics juce_audio_devices; do
    g++ "${flags[@]}" -c "$modules/$module/$module.cpp" -o "$work/$module.o"
done
g++ "${flags[@]}" "$work/main.cpp" "$work"/*.o -o "$work/list" -lasound -lz -lpthread -ldl
export HOME=$work XDG_RUNTIME_DIR=$work/run XDG_CONFIG_HOME=$work/config
mkdir -m 700 "$work/run"
mkfifo "$work/input"
"$work/list" <"$work/input" >"$work/names" 2>/dev/null &
list=$!
exec 3>"$work/input"
until [ -s "$work/names" ]; do sleep 0.1; done
pulseaudio -n --daemonize=no --exit-idle-time=-1 --load=module-null-sink --load=module-native-protocol-unix >/dev/null 2>&1 &
for _ in $(seq 50); do [ -S "$work/run/pulse/native" ] && break; sleep 0.1; done
sleep 1
echo >&3
wait "$list"
dpkg-query -W -f '${Package} ${Version}\n' juce-modules-source libasound2 libasound2-plugins pulseaudio
cat "$work/names"
before=$(sed -n 's/^without a server: //p' "$work/names")
same=$(sed -n 's/.*the same list: //p' "$work/names")
new=$(sed -n 's/.*a new list: //p' "$work/names")
[ "$before" = "$same" ] && [ "$new" = "Playback/recording through the PulseAudio sound server" ] && [ "$new" != "$before" ]
