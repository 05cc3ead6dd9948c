#include "Ui/Timeline/HeatMap.h"

#include <algorithm>
#include <cmath>

namespace earshot::ui {

namespace {

// NaN becomes 0.
std::uint8_t toByte(float probability) {
    const float value = probability > 0.0f ? std::min(probability, 1.0f) : 0.0f;
    constexpr float half = 0.5f; // rounds; std::lround would keep the loop from vector registers
    return static_cast<std::uint8_t>(value * 255.0f + half);
}

} // namespace

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
    // One bin earlier, as a column that ends on a pixel's edge may be counted either way.
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
    // What falls out of the ring on one side makes room on the other.
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
