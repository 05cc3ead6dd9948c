#include "Ui/Timeline/LaneImage.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace earshot::ui {

namespace {

constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();
constexpr int hatchPeriod = 6; // logical pixels between the lines
constexpr float hatchWidth = 1.5f;
constexpr float hatchStrength = 0.30f;

void mix(juce::PixelRGB& pixel, juce::Colour other, float part) {
    const auto mixed = [&](int x, int y) {
        return static_cast<std::uint8_t>(static_cast<float>(x) + part * static_cast<float>(y - x));
    };
    pixel.setARGB(255, mixed(pixel.getRed(), other.getRed()), mixed(pixel.getGreen(), other.getGreen()),
                  mixed(pixel.getBlue(), other.getBlue()));
}

} // namespace

void LaneImage::clear() {
    heat_.clear();
    rows_.clear();
    palette_ = nullptr;
}

void LaneImage::revise(std::int64_t column) {
    heat_.revise(column);
    revised_ = std::min(revised_, column);
}

void LaneImage::update(const detection::Timeline& timeline, const PixelGrid& grid, int height,
                       std::span<const Row> rows, const Palette& palette) {
    if (grid.width <= 0 || height <= 0) return;
    const bool sameSize = image_.getWidth() == grid.width && image_.getHeight() == height;
    if (!sameSize)
        image_ = juce::Image(juce::Image::RGB, grid.width, height, false, juce::SoftwareImageType());
    const std::int64_t moved = grid.first - grid_.first;
    const bool keeps = sameSize && palette_ == &palette && std::ranges::equal(rows, rows_) &&
                       grid.pixelsPerSecond == grid_.pixelsPerSecond && grid.scale == grid_.scale &&
                       std::abs(moved) < grid.width && kept_ == timeline.firstKept();
    kept_ = timeline.firstKept();
    heat_.update(timeline, grid);
    grid_ = grid;
    palette_ = &palette;
    const auto settled = timeline.settled();
    if (!keeps) {
        rows_.assign(rows.begin(), rows.end());
        image_.clear(image_.getBounds(), palette.background);
        paint(0, grid.width, settled, palette);
    } else {
        const int shift = static_cast<int>(moved);
        if (shift != 0)
            image_.moveImageSection(std::max(0, -shift), 0, std::max(0, shift), 0,
                                    grid.width - std::abs(shift), height);
        if (shift < 0) paint(0, -shift, settled, palette);
        // A pixel that holds both an old and a revised column is the revised one's.
        const int revised = revised_ == nothing ? grid.width : std::max(0, heat_.pixelOf(revised_) - 1);
        paint(std::min(revised, grid.width - std::max(0, shift)), grid.width, settled, palette);
    }
    revised_ = nothing;
}

void LaneImage::paint(int from, int to, std::int64_t settled, const Palette& palette) {
    if (from >= to) return;
    juce::Image::BitmapData pixels(image_, from, 0, to - from, image_.getHeight(),
                                   juce::Image::BitmapData::readWrite);
    const int end = std::clamp(heat_.endPixel(), from, to);
    const int unsettled = std::clamp(heat_.pixelOf(settled), from, end);
    const auto begin = static_cast<std::size_t>(std::clamp(heat_.beginPixel(), from, end) - from);
    const auto count = static_cast<std::size_t>(end - from);
    values_.resize(count);
    colours_.resize(static_cast<std::size_t>(to - from));
    juce::PixelRGB background;
    background.set(palette.background.getPixelARGB());
    std::ranges::fill(colours_, background);
    for (const Row& row : rows_) {
        const int top = std::max(0, row.top);
        const int bottom = std::min(row.top + row.height, image_.getHeight());
        if (top >= bottom) continue;
        heat_.row(row.classIndex, from, values_);
        for (std::size_t i = begin; i < count; ++i) colours_[i].set(palette.ramp[values_[i]]);
        for (int y = top; y < bottom; ++y) {
            auto* line = reinterpret_cast<juce::PixelRGB*>(pixels.getLinePointer(y));
            std::memcpy(static_cast<void*>(line), colours_.data(), colours_.size() * sizeof(juce::PixelRGB));
            if (unsettled < end) hatch(line - from, y, unsettled, end, palette.secondary);
        }
    }
}

// line: of the whole image.
void LaneImage::hatch(juce::PixelRGB* line, int y, int from, int to, juce::Colour colour) const {
    const auto period = std::max<std::int64_t>(1, static_cast<std::int64_t>(hatchPeriod * grid_.scale));
    const auto width = static_cast<std::int64_t>(hatchWidth * grid_.scale);
    for (int x = from; x < to; ++x)
        if ((grid_.first + x + y) % period < width) mix(line[x], colour, hatchStrength);
}

} // namespace earshot::ui
