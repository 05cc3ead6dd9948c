// How LanesView draws: cells, grid, names and texts.
#include "Ui/Timeline/LanesView.h"

#include "Ui/Timeline/Ruler.h"
#include "Ui/WordLanes.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace earshot::ui {

namespace {

constexpr int nameInset = 4;
constexpr float wordMark = 10.0f; // logical pixels for the mark before a word's name
constexpr float pinCentre = static_cast<float>(size::laneNames) - 15.0f;
constexpr float pinSize = 4.0f;
constexpr float thresholdPart = 0.42f;                // of a lane's height, below its name
constexpr float familyWidth = 3.0f, familyGap = 2.0f; // of the stripe before the cells

juce::Path diamond(juce::Point<float> centre) {
    juce::Path path;
    path.addQuadrilateral(centre.x, centre.y - pinSize, centre.x + pinSize, centre.y, centre.x,
                          centre.y + pinSize, centre.x - pinSize, centre.y);
    return path;
}

} // namespace

void LanesView::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto scale = graphics.getInternalContext().getPhysicalPixelScaleFactor();
    const auto grid = PixelGrid::of(axis_, cells().getWidth(), scale);
    if (graphics.getClipBounds().getRight() > size::laneNames) {
        juce::Graphics::ScopedSaveState state(graphics);
        graphics.reduceClipRegion(cells());
        paintCells(graphics, grid, palette);
    }
    graphics.setColour(palette.background);
    graphics.fillRect(getLocalBounds().withWidth(size::laneNames));
    paintNames(graphics, palette);
    paintHint(graphics, palette);
    paintEmpty(graphics, palette);
}

void LanesView::paintCells(juce::Graphics& graphics, const PixelGrid& grid, const Palette& palette) {
    const auto& timeline = viewModel_.history().timeline;
    if (!timeline || timeline->columns() == 0 || getHeight() <= 0) {
        graphics.setColour(palette.background);
        graphics.fillRect(cells());
        paintGrid(graphics, grid, {}, palette);
        return;
    }
    std::vector<LaneImage::Row> rows;
    std::vector<std::pair<int, float>> visible; // class, top
    for (const int lane : lanes_) {
        const float y = top(lane) - scroll_;
        if (y + pitch <= 0.0f || y >= static_cast<float>(getHeight())) continue;
        visible.emplace_back(lane, y);
        rows.push_back({lane, family(lane), juce::roundToInt((y + (pitch - cellHeight) / 2.0f) * grid.scale),
                        juce::roundToInt(cellHeight * grid.scale)});
    }
    const int height = static_cast<int>(std::ceil(static_cast<float>(getHeight()) * grid.scale));
    image_.update(*timeline, grid, height, rows, palette);
    const auto left = static_cast<float>(cells().getX());
    graphics.setOpacity(1.0f);
    graphics.setImageResamplingQuality(juce::Graphics::lowResamplingQuality);
    graphics.drawImageTransformed(image_.image(),
                                  juce::AffineTransform::scale(1.0f / grid.scale).translated(left, 0.0f));

    paintGrid(graphics, grid, rows, palette);

    const auto laneRectangle = [&](float y) {
        return juce::Rectangle<float>(left, y + (pitch - cellHeight) / 2.0f,
                                      static_cast<float>(cells().getWidth()), cellHeight);
    };
    for (const auto& [lane, y] : visible) {
        const auto area = laneRectangle(y);
        marks_.paint(graphics, area, lane, grid, viewModel_.label(lane), family(lane), palette, review_);
        if (!outline_ || outline_->classIndex != lane) continue;
        graphics.setColour(palette.text);
        graphics.drawRoundedRectangle(spanOn(grid, area, outline_->onset, outline_->offset).reduced(1.0f),
                                      5.0f, 2.0f);
    }
}

// Lines at the ruler's times: between the lanes, and in full height where there are no cells yet.
void LanesView::paintGrid(juce::Graphics& graphics, const PixelGrid& grid,
                          std::span<const LaneImage::Row> rows, const Palette& palette) {
    const auto left = static_cast<float>(cells().getX());
    const float end = rows.empty() ? 0.0f : static_cast<float>(image_.endPixel()) / grid.scale;
    const auto height = static_cast<float>(getHeight());
    std::vector<std::pair<float, float>> gaps; // top and bottom, where cells are
    float bottom = 0.0f;
    std::vector<LaneImage::Row> sorted(rows.begin(), rows.end()); // gliding lanes cross each other
    std::ranges::sort(sorted, {}, &LaneImage::Row::top);
    for (const auto& row : sorted) {
        const float top = static_cast<float>(row.top) / grid.scale;
        if (top > bottom) gaps.emplace_back(bottom, top);
        bottom = std::max(bottom, static_cast<float>(row.top + row.height) / grid.scale);
    }
    gaps.emplace_back(bottom, height);
    graphics.setColour(palette.line.withAlpha(0.6f));
    for (const auto& tick : ticksOn(grid, viewModel_.times(), viewModel_.began()).times) {
        const juce::Rectangle<float> line(left + tick.x, 0.0f, 1.0f, height);
        if (tick.x >= end) {
            graphics.fillRect(line);
            continue;
        }
        for (const auto& [top, under] : gaps)
            if (under > top) graphics.fillRect(line.withTop(top).withBottom(under));
    }
}

void LanesView::paintNames(juce::Graphics& graphics, const Palette& palette) {
    const auto column = getLocalBounds().withWidth(size::laneNames);
    const auto& labels = viewModel_.history().labels;
    if (!graphics.getClipBounds().intersects(column) || !labels) return;
    const auto& settings = controller_.view().get();
    for (const int lane : lanes_) {
        const float y = top(lane) - scroll_;
        if (y + pitch <= 0.0f || y >= static_cast<float>(getHeight())) continue;
        const auto area = juce::Rectangle<float>(0.0f, y, static_cast<float>(size::laneNames), pitch);
        const bool selected = lane == selected_;
        if (selected || lane == hovered_) {
            graphics.setColour(palette.raised.withAlpha(selected ? 0.9f : 0.45f));
            graphics.fillRoundedRectangle(area.reduced(0.0f, 3.0f).withTrimmedRight(6.0f), size::corner);
        }
        const auto label = viewModel_.label(lane);
        const auto name = label.toStdString();
        float inset = nameInset;
        if (wordOf(viewModel_.words(), *labels, lane) != nullptr) {
            graphics.setColour(palette.accent);
            graphics.setFont(Theme::font(13.0f));
            graphics.drawText(juce::String::fromUTF8("“"), area.withTrimmedLeft(inset),
                              juce::Justification::centredLeft, false);
            inset += wordMark;
        }
        const bool sounds =
            static_cast<std::size_t>(lane) < sounding_.size() && sounding_[static_cast<std::size_t>(lane)];
        const auto threshold = thresholdText(lane);
        auto text = area.withTrimmedLeft(inset).withTrimmedRight(size::laneNames - pinCentre + 10.0f);
        if (threshold.isNotEmpty()) {
            text = text.reduced(0.0f, 3.0f);
            const auto line = text.removeFromBottom(text.getHeight() * thresholdPart);
            graphics.setColour(palette.secondary);
            graphics.setFont(Theme::font(11.0f));
            graphics.drawText(threshold, line, juce::Justification::centredLeft, true);
        }
        graphics.setColour(sounds || selected ? palette.text : palette.secondary);
        graphics.setFont(Theme::font(13.0f));
        graphics.drawText(label, text, juce::Justification::centredLeft, true);
        graphics.setColour(palette.of(family(lane)));
        graphics.fillRect(area.withWidth(familyWidth)
                              .withRightX(static_cast<float>(size::laneNames) - familyGap)
                              .withSizeKeepingCentre(familyWidth, cellHeight));
        const auto centre = juce::Point<float>(pinCentre, area.getCentreY());
        if (settings.pinned.contains(name)) {
            graphics.setColour(palette.accent);
            graphics.fillPath(diamond(centre));
        } else if (lane == hovered_) {
            graphics.setColour(palette.secondary);
            graphics.strokePath(diamond(centre), juce::PathStrokeType(1.0f));
        }
        if (settings.solo.contains(name)) {
            graphics.setColour(palette.accent);
            graphics.fillRoundedRectangle(area.withWidth(2.0f).reduced(0.0f, 9.0f), 1.0f);
        }
    }
}

juce::String LanesView::thresholdText(int lane) const {
    if (viewModel_.byConfidence()) return {};
    const auto text = juce::String::fromUTF8("\xe2\x89\xa5 ") +
                      juce::String(viewModel_.eventSettings().ruleFor(lane).on, 2);
    const bool own = controller_.view().get().classThresholds.contains(viewModel_.label(lane).toStdString());
    return own ? text + ", set by you" : text;
}

// Over the cells' grid, where the lane of a new word will stand.
void LanesView::paintHint(juce::Graphics& graphics, const Palette& palette) const {
    if (hint_.isEmpty() || scroll_ >= firstLane()) return;
    const auto row = getLocalBounds().withHeight(pitch).translated(0, -juce::roundToInt(scroll_));
    graphics.setColour(palette.background);
    graphics.fillRect(row);
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(13.0f));
    graphics.drawFittedText(hint_, row.withTrimmedLeft(nameInset).withTrimmedRight(size::margin),
                            juce::Justification::centredLeft, 2, 1.0f);
}

void LanesView::paintEmpty(juce::Graphics& graphics, const Palette& palette) const {
    const auto text = emptyText();
    if (text.isEmpty()) return;
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(13.0f));
    const auto room = lanes_.empty() ? getLocalBounds() : cells();
    graphics.drawFittedText(text, room.reduced(size::margin), juce::Justification::centred, 5);
}

} // namespace earshot::ui
