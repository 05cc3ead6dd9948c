#include "Ui/Panels/InputLevel.h"

#include "Ui/Panels/Widgets.h"
#include "Ui/Theme.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

using streaming::SpectrogramHistory;

constexpr float silentDecibels = -60.0f; // a microphone's own noise is louder
constexpr float emptyAt = -60.0f, fullAt = 25.0f;

std::int64_t framesIn(const SpectrogramHistory& history, double seconds) {
    return history.secondsPerFrame() > 0.0 ? static_cast<std::int64_t>(seconds / history.secondsPerFrame())
                                           : 0;
}

} // namespace

float newestDecibels(const SpectrogramHistory& history, double seconds) {
    constexpr float range = SpectrogramHistory::maxDecibels - SpectrogramHistory::minDecibels;
    if (history.bands() < 1) return SpectrogramHistory::minDecibels;
    std::vector<std::uint8_t> bands(static_cast<std::size_t>(history.bands()));
    const auto end = history.frames();
    history.largest(std::max(history.firstKept(), end - framesIn(history, seconds)), end, bands);
    return SpectrogramHistory::minDecibels +
           range * static_cast<float>(*std::ranges::max_element(bands)) / 255.0f;
}

bool isSilent(const SpectrogramHistory& history, double seconds) {
    return history.bands() > 0 && history.frames() > 0 && history.frames() >= framesIn(history, seconds) &&
           newestDecibels(history, seconds) <= silentDecibels;
}

InputLevel::InputLevel() {
    describe(*this, "Input level");
    setInterceptsMouseClicks(false, false);
}

void InputLevel::show(float decibels) {
    const float part = std::clamp((decibels - emptyAt) / (fullAt - emptyAt), 0.0f, 1.0f);
    const int filled = juce::roundToInt(part * width);
    if (std::exchange(filled_, filled) != filled) repaint();
}

void InputLevel::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    graphics.setColour(palette.raised);
    graphics.fillRoundedRectangle(area, area.getHeight() / 2.0f);
    graphics.setColour(palette.fine);
    graphics.reduceClipRegion(getLocalBounds().withWidth(filled_));
    graphics.fillRoundedRectangle(area, area.getHeight() / 2.0f);
}

} // namespace earshot::ui
