#include "Ui/Timeline/SpectrogramView.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace earshot::ui {

namespace {

constexpr float labelHeight = 14.0f;
constexpr int captionWidth = 104, captionHeight = 22;

juce::String frequencyText(double hertz) {
    return hertz >= 1000.0 ? juce::String(juce::roundToInt(hertz / 1000.0)) + " kHz"
                           : juce::String(juce::roundToInt(hertz)) + " Hz";
}

using streaming::SpectrogramHistory;

// The levels at the ramp's quiet end and at its loud one, in dB, by contrast.
struct Levels {
    float min, max;
};
constexpr std::array<Levels, 3> levels{{{-72.0f, 32.0f}, {-52.0f, 22.0f}, {-36.0f, 12.0f}}};

// The frequencies that the menu offers, in Hz.
struct Frequencies {
    const char* name;
    double min, max;
};
constexpr std::array<Frequencies, 7> offered{{{"All", 0.0, 0.0},
                                              {"Up to 8 kHz", 0.0, 8000.0},
                                              {"Up to 4 kHz", 0.0, 4000.0},
                                              {"Up to 2 kHz", 0.0, 2000.0},
                                              {"Up to 1 kHz", 0.0, 1000.0},
                                              {"From 1 kHz", 1000.0, 1e6},
                                              {"From 4 kHz", 4000.0, 1e6}}};

// Maps a byte of the history to a colour.
std::array<juce::PixelRGB, 256> colourTable(const Palette& palette, int contrast) {
    constexpr float range = SpectrogramHistory::maxDecibels - SpectrogramHistory::minDecibels;
    const int row = contrast + 1;
    const auto [quietest, loudest] = levels[static_cast<std::size_t>(row)];
    std::array<juce::PixelRGB, 256> table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const float decibels = SpectrogramHistory::minDecibels + range * static_cast<float>(i) / 255.0f;
        const float level = std::clamp((decibels - quietest) / (loudest - quietest), 0.0f, 1.0f);
        table[i].set(palette.ramp[static_cast<std::size_t>(std::lround(level * 255.0f))]);
    }
    return table;
}

} // namespace

SpectrogramRange SpectrogramRange::of(const ViewSettings& view, const SpectrogramHistory& history) {
    SpectrogramRange range{0.0, 1.0, std::clamp(view.contrast, -1, 1)};
    if (history.bands() < 1 || !(view.maxHertz > view.minHertz)) return range;
    const auto image = imageOf(history);
    const auto place = [&](double hertz) {
        return std::clamp(image.position(std::clamp(hertz, history.lowHz(), history.highHz())), 0.0, 1.0);
    };
    const double top = place(view.maxHertz), bottom = place(view.minHertz);
    if (bottom - top < 1.0 / history.bands()) return range; // the model has nothing there
    range.top = top;
    range.bottom = bottom;
    return range;
}

SpectrogramView::SpectrogramView(ViewState& view, HistoryViewModel& viewModel, TimeAxis& axis)
    : view_(view)
    , viewModel_(viewModel)
    , axis_(axis) {
    setInterceptsMouseClicks(false, true);
    setOpaque(true);
    setTitle("Spectrogram");
    describeWithTooltip(options_, "Spectrogram: frequencies and contrast",
                        "Which frequencies are shown, and how strongly loud and quiet differ");
    options_.onClick = [this] { showMenu(menu(), options_); };
    addAndMakeVisible(options_);
}

SpectrogramRange SpectrogramView::range() const {
    return SpectrogramRange::of(view_.get(), viewModel_.history().spectrogram);
}

void SpectrogramView::addFrequencies(juce::PopupMenu& menu) {
    const auto& now = view_.get();
    menu.addSectionHeader("Frequencies");
    for (const auto& frequencies : offered)
        menu.addItem(frequencies.name, true,
                     now.minHertz == frequencies.min && now.maxHertz == frequencies.max,
                     [&view = view_, frequencies] {
                         view.edit([&](ViewSettings& settings) {
                             settings.minHertz = frequencies.min;
                             settings.maxHertz = frequencies.max;
                         });
                     });
}

void SpectrogramView::addContrasts(juce::PopupMenu& menu) {
    menu.addSectionHeader("Contrast");
    const char* names[] = {"Low", "Normal", "High"};
    for (int i = 0; i < 3; ++i)
        menu.addItem(names[i], true, view_.get().contrast == i - 1, [&view = view_, i] {
            view.edit([i](ViewSettings& settings) { settings.contrast = i - 1; });
        });
}

juce::PopupMenu SpectrogramView::menu() {
    juce::PopupMenu menu;
    addFrequencies(menu);
    addContrasts(menu);
    return menu;
}

void SpectrogramView::resized() { options_.setBounds(0, 0, captionWidth, captionHeight); }

void SpectrogramView::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.replaced) image_.clear();
    if (changes.columns || changes.replaced) repaint();
}

double SpectrogramView::hertzAt(int y) const {
    return imageOf(viewModel_.history().spectrogram)
        .frequency(range().inside((y + 0.5) / juce::jmax(1, getHeight())));
}

int SpectrogramView::yOf(double hertz) const {
    const double place = imageOf(viewModel_.history().spectrogram).position(hertz);
    return juce::roundToInt(range().pointOf(place) * getHeight());
}

void SpectrogramView::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto& history = viewModel_.history().spectrogram;
    graphics.setColour(palette.background);
    graphics.fillRect(history.frames() == 0 ? getLocalBounds() : getLocalBounds().withWidth(size::laneNames));
    paintFrequencies(graphics, palette);
    if (history.frames() == 0) return;
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto grid = PixelGrid::of(axis_, strip().getWidth(), scale);
    const int height = static_cast<int>(std::ceil(static_cast<float>(getHeight()) * scale));
    image_.update(history, grid, height, range(), palette);
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
    const auto& history = viewModel_.history().spectrogram;
    if (history.frames() == 0) return;
    graphics.setFont(Theme::font(10.0f));
    const auto height = static_cast<float>(getHeight());
    const auto image = imageOf(history);
    const auto shown = range();
    const double highest = shown.top > 0.0 ? image.frequency(shown.top) : history.highHz();
    const double lowest = shown.bottom < 1.0 ? image.frequency(shown.bottom) : history.lowHz();
    std::vector<float> taken;
    for (const double hertz : {highest, lowest, 1000.0, 4000.0, 250.0, 2000.0, 8000.0, 500.0, 100.0}) {
        const auto at = static_cast<float>(shown.pointOf(image.position(hertz))) * height;
        if (at < -1.0f || at > height + 1.0f) continue;
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

frontend::MelImage imageOf(const SpectrogramHistory& history) {
    return {history.lowHz(), history.highHz(), history.bands()};
}

void SpectrogramStrip::clear() { palette_ = nullptr; }

void SpectrogramStrip::update(const SpectrogramHistory& history, const PixelGrid& grid, int height,
                              const SpectrogramRange& range, const Palette& palette) {
    if (grid.width <= 0 || height <= 0 || history.bands() < 1) return;
    const bool sameSize = image_.getWidth() == grid.width && image_.getHeight() == height;
    if (!sameSize)
        image_ = juce::Image(juce::Image::RGB, grid.width, height, false, juce::SoftwareImageType());
    const std::int64_t moved = grid.first - grid_.first;
    const bool keeps = sameSize && palette_ == &palette && bands_ == history.bands() && range_ == range &&
                       frames_ <= history.frames() && grid.pixelsPerSecond == grid_.pixelsPerSecond &&
                       kept_ == history.firstKept() && std::abs(moved) < grid.width;
    grid_ = grid;
    palette_ = &palette;
    bands_ = history.bands();
    range_ = range;
    kept_ = history.firstKept();
    if (!keeps) {
        image_.clear(image_.getBounds(), palette.background);
        paint(history, 0, grid.width, palette);
    } else {
        const int shift = static_cast<int>(moved);
        if (shift != 0)
            image_.moveImageSection(std::max(0, -shift), 0, std::max(0, shift), 0,
                                    grid.width - std::abs(shift), height);
        if (shift < 0) paint(history, 0, -shift, palette);
        const double newest = grid.physical(static_cast<double>(frames_) * history.secondsPerFrame());
        const int from = static_cast<int>(std::clamp(newest - 1.0, 0.0, static_cast<double>(grid.width)));
        paint(history, std::min(from, grid.width - std::max(0, shift)), grid.width, palette);
    }
    frames_ = history.frames();
}

void SpectrogramStrip::paint(const SpectrogramHistory& history, int from, int to, const Palette& palette) {
    const double framesPerPixel = 1.0 / (grid_.pixelsPerSecond * history.secondsPerFrame());
    const auto frameAt = [&](std::int64_t pixel) {
        return static_cast<std::int64_t>(std::floor(static_cast<double>(pixel) * framesPerPixel));
    };
    const double heard = grid_.physical(static_cast<double>(history.frames()) * history.secondsPerFrame());
    const int end =
        static_cast<int>(std::clamp(std::ceil(heard), static_cast<double>(from), static_cast<double>(to)));
    if (from >= to) return;

    const auto table = colourTable(palette, range_.contrast);
    const auto bands = static_cast<std::size_t>(bands_);
    const auto count = static_cast<std::size_t>(to - from);
    column_.resize(bands);
    juce::PixelRGB background;
    background.set(palette.background.getPixelARGB());
    colours_.assign(bands * count, background);
    for (int x = std::max(from, static_cast<int>(std::max<std::int64_t>(from, -grid_.first))); x < end; ++x) {
        const std::int64_t first = frameAt(grid_.first + x);
        const std::int64_t last = std::max(first + 1, frameAt(grid_.first + x + 1));
        if (first >= history.frames()) break;
        if (last <= kept_) continue;
        history.largest(first, last, column_);
        for (std::size_t band = 0; band < bands; ++band)
            colours_[band * count + static_cast<std::size_t>(x - from)] = table[column_[band]];
    }

    const int height = image_.getHeight();
    juce::Image::BitmapData pixels(image_, from, 0, to - from, height, juce::Image::BitmapData::writeOnly);
    for (int y = 0; y < height; ++y) {
        const double place = range_.inside((y + 0.5) / height);
        const auto band =
            static_cast<std::size_t>(std::clamp(static_cast<int>((1.0 - place) * bands_), 0, bands_ - 1));
        std::memcpy(pixels.getLinePointer(y), colours_.data() + band * count, count * sizeof(juce::PixelRGB));
    }
}

} // namespace earshot::ui
