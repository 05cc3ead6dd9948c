#include "Ui/Timeline/LaneImage.h"

#include <algorithm>
#include <cmath>
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

// NaN becomes 0.
std::uint8_t toByte(float probability) {
    const float value = probability > 0.0f ? std::min(probability, 1.0f) : 0.0f;
    constexpr float half = 0.5f; // for rounding; std::lround would prevent vectorisation
    return static_cast<std::uint8_t>(value * 255.0f + half);
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
        // A pixel with both an old and a revised column counts as revised.
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
        const auto& ramp = palette.familyRamps[static_cast<std::size_t>(row.family)];
        for (std::size_t i = begin; i < count; ++i) colours_[i].set(ramp[values_[i]]);
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

void HeatMap::clear() {
    known_ = {};
    classes_ = 0;
    endPixel_ = 0;
}

std::int64_t HeatMap::binAt(std::int64_t pixel) const {
    if (pooled()) return pixel;
    return static_cast<std::int64_t>(std::floor((static_cast<double>(pixel) + 0.5) / cellPixels_));
}

std::int64_t HeatMap::pixelAt(std::int64_t bin) const {
    return pooled() ? bin : std::llround(static_cast<double>(bin) * cellPixels_);
}

std::int64_t HeatMap::firstColumn(std::int64_t bin) const {
    return pooled() ? static_cast<std::int64_t>(std::ceil(static_cast<double>(bin) / cellPixels_)) : bin;
}

int HeatMap::pixelOf(std::int64_t column) const {
    const double pixel = static_cast<double>(column) * cellPixels_ - static_cast<double>(grid_.first);
    return static_cast<int>(std::clamp(std::round(pixel), 0.0, static_cast<double>(grid_.width)));
}

void HeatMap::revise(std::int64_t column) {
    // Starts one bin earlier, because a column that ends on a pixel's edge may be counted on either side.
    const auto bin =
        pooled() ? static_cast<std::int64_t>(std::floor(static_cast<double>(column) * cellPixels_)) - 1
                 : column;
    known_.last = std::max(known_.first, std::min(known_.last, bin));
}

std::span<std::uint8_t> HeatMap::cells(std::int64_t bin) {
    const auto classes = static_cast<std::size_t>(classes_);
    return std::span(bytes_).subspan(static_cast<std::size_t>(bin % capacity_) * classes, classes);
}

void HeatMap::read(const detection::Timeline& timeline, std::int64_t bin) {
    const auto out = cells(bin);
    const std::int64_t first = std::max(firstColumn(bin), kept_);
    const std::int64_t last = std::min(pooled() ? firstColumn(bin + 1) : first + 1, timeline.columns());
    if (first >= last) {
        std::ranges::fill(out, std::uint8_t{0});
        return;
    }
    std::span<const float> values = timeline.column(first);
    if (last - first > 1) {
        largest_.assign(values.begin(), values.end());
        for (std::int64_t i = first + 1; i < last; ++i) {
            const auto column = timeline.column(i);
            for (std::size_t c = 0; c < largest_.size(); ++c) largest_[c] = std::max(largest_[c], column[c]);
        }
        values = largest_;
    }
    std::ranges::transform(values, out.begin(), toByte);
}

void HeatMap::update(const detection::Timeline& timeline, const PixelGrid& grid) {
    const bool sameBins = grid.pixelsPerSecond == grid_.pixelsPerSecond && timeline.classes() == classes_ &&
                          cellPixels_ == timeline.secondsPerColumn() * grid.pixelsPerSecond &&
                          kept_ == timeline.firstKept();
    grid_ = grid;
    classes_ = timeline.classes();
    kept_ = timeline.firstKept();
    cellPixels_ = timeline.secondsPerColumn() * grid.pixelsPerSecond;
    const Range wanted{std::max<std::int64_t>(0, binAt(grid.first)), binAt(grid.first + grid.width) + 1};
    const std::int64_t count = wanted.last - wanted.first;
    if (!sameBins || count > capacity_ || wanted.first > known_.last || wanted.last < known_.first) {
        known_ = {wanted.first, wanted.first};
        capacity_ = std::max(capacity_, count);
        bytes_.resize(static_cast<std::size_t>(capacity_) * static_cast<std::size_t>(classes_));
    }
    // Bins that leave the ring on one side make room on the other.
    known_.first = std::max(known_.first, wanted.last - capacity_);
    known_.last = std::clamp(known_.last, known_.first, wanted.first + capacity_);
    while (known_.first > wanted.first) read(timeline, --known_.first);
    while (known_.last < wanted.last) read(timeline, known_.last++);

    const double end = timeline.columns() > 0 ? timeline.end(timeline.columns() - 1) : 0.0;
    endPixel_ =
        static_cast<int>(std::clamp(std::round(grid.physical(end)), 0.0, static_cast<double>(grid.width)));
}

void HeatMap::row(int classIndex, int from, std::span<std::uint8_t> values) const {
    std::ranges::fill(values, std::uint8_t{0});
    if (capacity_ == 0) return;
    const std::int64_t begin = std::max<std::int64_t>(0, grid_.first + from);
    const std::int64_t end =
        std::min(grid_.first + from + static_cast<std::int64_t>(values.size()), grid_.first + endPixel_);
    const auto offset = grid_.first + from;
    for (std::int64_t pixel = begin; pixel < end;) {
        const std::int64_t bin = binAt(pixel);
        const std::int64_t next = std::min(end, std::max(pixel + 1, pixelAt(bin + 1)));
        const bool known = bin >= known_.first && bin < known_.last;
        const auto value =
            known ? bytes_[static_cast<std::size_t>(bin % capacity_) * static_cast<std::size_t>(classes_) +
                           static_cast<std::size_t>(classIndex)]
                  : std::uint8_t{0};
        std::fill(values.begin() + (pixel - offset), values.begin() + (next - offset), value);
        pixel = next;
    }
}

} // namespace earshot::ui
