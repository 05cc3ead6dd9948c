#include "Ui/Timeline/SpectrogramView.h"

#include <cmath>
#include <vector>

namespace earshot::ui {

namespace {

constexpr float labelHeight = 14.0f;

juce::String frequencyText(double hertz) {
    return hertz >= 1000.0 ? juce::String(juce::roundToInt(hertz / 1000.0)) + " k"
                           : juce::String(juce::roundToInt(hertz));
}

} // namespace

SpectrogramView::SpectrogramView(Watcher& watcher, TimeAxis& axis)
    : watcher_(watcher)
    , axis_(axis) {
    setInterceptsMouseClicks(false, false);
    setOpaque(true);
    setTitle("Spectrogram");
}

void SpectrogramView::heardMore(const Watcher::Changes& changes) {
    if (changes.replaced) image_.clear();
    if (changes.columns || changes.replaced) repaint();
}

double SpectrogramView::hertzAt(int y) const {
    return imageOf(watcher_.history().spectrogram).frequency((y + 0.5) / juce::jmax(1, getHeight()));
}

void SpectrogramView::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto& history = watcher_.history().spectrogram;
    graphics.setColour(palette.background);
    graphics.fillRect(history.frames() == 0 ? getLocalBounds() : getLocalBounds().withWidth(size::laneNames));
    paintFrequencies(graphics, palette);
    if (history.frames() == 0) return;
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto grid = PixelGrid::of(axis_, strip().getWidth(), scale);
    const int height = static_cast<int>(std::ceil(static_cast<float>(getHeight()) * scale));
    image_.update(history, grid, height, palette);
    graphics.reduceClipRegion(strip());
    graphics.setOpacity(1.0f);
    graphics.setImageResamplingQuality(juce::Graphics::lowResamplingQuality);
    graphics.drawImageTransformed(
        image_.image(),
        juce::AffineTransform::scale(1.0f / scale).translated(static_cast<float>(strip().getX()), 0.0f));
}

void SpectrogramView::paintFrequencies(juce::Graphics& graphics, const Palette& palette) const {
    const auto column = getLocalBounds().withWidth(size::laneNames);
    if (!graphics.getClipBounds().intersects(column)) return;
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(11.0f));
    graphics.drawText("Spectrogram", column.withTrimmedLeft(4).withHeight(20),
                      juce::Justification::centredLeft, false);
    const auto& history = watcher_.history().spectrogram;
    if (history.frames() == 0) return;
    graphics.setFont(Theme::font(10.0f));
    const auto height = static_cast<float>(getHeight());
    std::vector<float> taken;
    for (const double hertz : {history.highHz(), history.lowHz(), 1000.0, 4000.0, 250.0}) {
        if (hertz < history.lowHz() || hertz > history.highHz()) continue;
        const auto at = static_cast<float>(imageOf(history).position(hertz)) * height;
        const float y =
            juce::jlimit(labelHeight / 2.0f, juce::jmax(labelHeight / 2.0f, height - labelHeight / 2.0f), at);
        bool free = true;
        for (const float other : taken) free = free && std::abs(other - y) >= labelHeight;
        if (!free) continue;
        taken.push_back(y);
        graphics.drawText(frequencyText(hertz),
                          juce::Rectangle<float>(0.0f, y - labelHeight / 2.0f,
                                                 static_cast<float>(size::laneNames) - 8.0f, labelHeight),
                          juce::Justification::centredRight, false);
    }
}

} // namespace earshot::ui
