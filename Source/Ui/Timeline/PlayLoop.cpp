#include "Ui/Timeline/PlayLoop.h"

#include "Core/Streaming/FilePlayer.h"

namespace earshot::ui {

namespace {

constexpr const char* cannotPlay = "Only recordings in the app can be played";

} // namespace

juce::String PlayLoop::playOrStop(double onset, double offset) {
    auto* player = playback_.playable();
    if (player == nullptr) return cannotPlay;
    if (player->playing()) {
        player->stop();
        player->stopLoop();
    } else {
        player->loop(onset, offset);
    }
    return {};
}

juce::String PlayLoop::toggle() {
    auto* player = playback_.playable();
    if (player == nullptr) return cannotPlay;
    const auto& mark = timeline_.mark();
    if (player->looped())
        player->stopLoop();
    else if (mark.exists())
        player->loop(mark.onset(), mark.offset());
    else
        return "Mark what is to be looped first: drag over the spectrogram, or press M";
    return {};
}

} // namespace earshot::ui
