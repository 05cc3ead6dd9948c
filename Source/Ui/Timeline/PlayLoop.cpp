#include "Ui/Timeline/PlayLoop.h"

#include "Core/Streaming/FilePlayer.h"

namespace earshot::ui {

juce::String PlayLoop::playOrStop(double onset, double offset) {
    auto* player = playback_.playable();
    if (player != nullptr && player->playing()) {
        player->stop();
        player->stopLoop();
        return {};
    }
    auto why = viewModel_.whyNotPlayed();
    if (why.isEmpty()) player->loop(onset, offset);
    return why;
}

juce::String PlayLoop::toggle() {
    auto* player = playback_.playable();
    if (player != nullptr && player->looped()) {
        player->stopLoop();
        return {};
    }
    auto why = viewModel_.whyNotPlayed();
    if (why.isNotEmpty()) return why;
    const auto& mark = timeline_.mark();
    if (!mark.exists()) return "Mark what is to be looped first: drag over the spectrogram, or press M";
    player->loop(mark.onset(), mark.offset());
    return {};
}

} // namespace earshot::ui
