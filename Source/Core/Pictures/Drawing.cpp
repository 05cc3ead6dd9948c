#include "Core/Pictures/Drawing.h"

#include "Core/Base/Clock.h"
#include "Core/Pictures/Png.h"
#include "Core/Pictures/Svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace earshot::pictures {

namespace {

using dark::accent, dark::background, dark::line, dark::secondary, dark::text;

// Pixels.
constexpr double margin = 24.0;
constexpr double plotLeft = 220.0;
constexpr double plotRight = plotLeft + plotWidth;
constexpr double pictureWidth = plotRight + margin;
constexpr double namesWidth = plotLeft - margin - 12.0;
constexpr double rulerTop = 80.0;
constexpr double rulerHeight = 24.0;
constexpr double spectrogramTop = rulerTop + rulerHeight;
constexpr double spectrogramHeight = 192.0;
constexpr double lanesTop = spectrogramTop + spectrogramHeight + 14.0;
constexpr double laneHeight = 30.0; // with the gap below it
constexpr double laneGap = 3.0;
constexpr double legendHeight = 62.0;
constexpr double tickApart = 100.0;
constexpr double frequencyApart = 14.0;
constexpr double corner = 4.0;
constexpr double narrowestEvent = 5.0;  // least width of an outlined event
constexpr std::size_t maxOutlines = 60; // in a lane; more events are drawn as marks
constexpr double marksHeight = 5.0;
constexpr double marksGap = 2.0;

constexpr Type titleType{18.0, true}, detailsType{13.0}, nameType{13.0}, smallType{11.0};

const ColourRamp& ramp() {
    static const ColourRamp colours = makeRamp(darkStops());
    return colours;
}

// Repeats each row so that the raster is `height` pixels high.
Raster stretched(const Raster& raster, int height) {
    Raster result(raster.width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < raster.width; ++x) result.at(x, y) = raster.at(x, y * raster.height / height);
    return result;
}

std::string decibelText(float level) {
    return fmt::format("{}{:.0f} dB", level < 0.0f ? "\u2212" : "", std::abs(level));
}

bool crowded(const Lane& lane) { return lane.spans.size() > maxOutlines; }

class Drawing {
  public:
    explicit Drawing(const PictureContent& content)
        : content_(content)
        , lanesBottom_(content.lanes.empty()
                           ? spectrogramTop + spectrogramHeight
                           : lanesTop + laneHeight * static_cast<double>(content.lanes.size()))
        , svg_(static_cast<int>(pictureWidth), static_cast<int>(lanesBottom_ + legendHeight), background) {}

    std::string draw() {
        drawTitle();
        drawRuler();
        drawSpectrogram();
        if (!content_.lanes.empty()) drawLanes();
        drawLegend();
        return svg_.finish();
    }

  private:
    double x(double seconds) const {
        return plotLeft + std::clamp(seconds / content_.seconds, 0.0, 1.0) * plotWidth;
    }

    void drawTitle() {
        svg_.describe(content_.title);
        const double room = pictureWidth - 2.0 * margin;
        svg_.text(margin, 38.0, cutInside(content_.title, titleType, room), titleType, text);
        svg_.text(margin, 60.0, cutInside(content_.details, detailsType, room), detailsType, secondary);
    }

    void drawRuler() {
        for (const auto& tick : timeTicks(content_.seconds, plotWidth, tickApart)) {
            const double left = plotLeft + std::floor(tick.x);
            if (left + 5.0 + textWidth(tick.text, smallType) > pictureWidth - 4.0) continue;
            svg_.fill({left, rulerTop + 4.0, 1.0, rulerHeight - 4.0}, line);
            svg_.text(left + 5.0, rulerTop + 15.0, tick.text, smallType, secondary);
        }
    }

    void drawSpectrogram() {
        const Box box{plotLeft, spectrogramTop, plotWidth, spectrogramHeight};
        svg_.text(margin, spectrogramTop + 12.0, "Spectrogram", smallType, secondary);
        drawFrequencies();
        if (content_.seconds > 0.0)
            svg_.image(
                box, encodePng(stretched(content_.spectrogram.raster, static_cast<int>(box.height)), ramp()));
        else
            svg_.text(plotLeft + 16.0, spectrogramTop + 28.0, "There is no audio in this recording.",
                      nameType, secondary);
        frame(box);
    }

    void drawFrequencies() {
        std::vector<double> taken;
        for (const auto& label : content_.frequencies) {
            const double y = std::clamp(label.position * spectrogramHeight, frequencyApart / 2.0,
                                        spectrogramHeight - frequencyApart / 2.0);
            if (std::ranges::any_of(taken,
                                    [&](double other) { return std::abs(other - y) < frequencyApart; }))
                continue;
            taken.push_back(y);
            svg_.text(plotLeft - 10.0, spectrogramTop + y + 4.0, label.text, smallType, secondary,
                      Align::right);
        }
    }

    void drawLanes() {
        const auto lanes = static_cast<int>(content_.lanes.size());
        const Box box{plotLeft, lanesTop, plotWidth, lanesBottom_ - lanesTop};
        Raster heat = stretched(content_.heat, static_cast<int>(box.height));
        for (int lane = 0; lane < lanes; ++lane)
            for (int y = 0; y < static_cast<int>(laneGap); ++y)
                for (int pixel = 0; pixel < heat.width; ++pixel)
                    heat.at(pixel, (lane + 1) * static_cast<int>(laneHeight) - 1 - y) = 0;
        svg_.image(box, encodePng(heat, ramp()));
        for (const auto& tick : timeTicks(content_.seconds, plotWidth, tickApart))
            svg_.fill({plotLeft + std::min(std::floor(tick.x), plotWidth - 1.0), box.y, 1.0, box.height},
                      text, 0.07);
        frame({box.x, box.y, box.width, box.height - laneGap});
        for (int lane = 0; lane < lanes; ++lane)
            drawLane(content_.lanes[static_cast<std::size_t>(lane)],
                     {plotLeft, lanesTop + lane * laneHeight, plotWidth, laneHeight - laneGap});
    }

    void drawLane(const Lane& lane, const Box& box) {
        const std::string name = cutAtEnd(lane.name, nameType, namesWidth);
        svg_.text(margin, box.y + box.height / 2.0 + 4.5, name, nameType,
                  lane.spans.empty() ? secondary : text, Align::left,
                  name == lane.name ? std::string_view() : lane.name);
        if (crowded(lane))
            drawMarks(lane, box);
        else
            for (const Span& span : lane.spans) {
                const double left = x(span.onset), width = std::max(x(span.offset) - left, narrowestEvent);
                drawEvent(lane.name, span, {std::min(left, plotRight - width), box.y, width, box.height});
            }
    }

    // Draws any number of events as marks on one bar. Events that share a pixel share a mark.
    void drawMarks(const Lane& lane, const Box& box) {
        const double top = box.bottom() - marksHeight;
        svg_.fill({box.x, top - marksGap, box.width, marksHeight + marksGap}, background);
        std::string marks;
        double from = 0.0, to = 0.0;
        const auto finish = [&] {
            if (to > from)
                marks += fmt::format("M{} {}H{}v{}H{}z", number(from), number(top), number(to),
                                     number(marksHeight), number(from));
        };
        for (const Span& span : lane.spans) {
            const double left = std::min(std::floor(x(span.onset)), plotRight - 1.0);
            const double right = std::max(std::floor(x(span.offset)), left + 1.0);
            if (left > to || to == 0.0) {
                finish();
                from = left;
            }
            to = std::max(to, right);
        }
        finish();
        svg_.path(marks, accent);
    }

    void drawEvent(std::string_view name, const Span& span, const Box& box) {
        // The accent is one of the ramp's colours; an edge in the background's colour sets it off.
        svg_.outline(box, corner, 3.0, background, 0.6);
        const ClockForm form{.decimals = content_.seconds < 3600.0 ? 1 : 0};
        svg_.outline(box, corner, 1.5, accent, 1.0,
                     fmt::format("{}, {} to {}, peak {:.2f}", name, clockReading(span.onset, form),
                                 clockReading(span.offset, form), span.peak));
    }

    void drawLegend() {
        const double y = lanesBottom_ + 22.0;
        constexpr double barWidth = 128.0, barHeight = 8.0;
        Raster levels(static_cast<int>(barWidth), 1);
        for (int pixel = 0; pixel < levels.width; ++pixel)
            levels.at(pixel, 0) = static_cast<std::uint8_t>(255 * pixel / (levels.width - 1));
        const std::string bar = encodePng(levels, ramp());
        double left = plotLeft;
        const auto say = [&](std::string_view words) {
            svg_.text(left, y + 8.0, words, smallType, secondary);
            left += textWidth(words, smallType) + 8.0;
        };
        const auto drawBar = [&](std::string_view low, std::string_view high) {
            say(low);
            const Box box{left, y, barWidth, barHeight};
            svg_.image(box, bar);
            frame(box);
            left += barWidth + 8.0;
            say(high);
            left += 28.0;
        };
        const auto& range = content_.spectrogram.range;
        drawBar("Level " + decibelText(range.low), decibelText(range.high));
        drawBar("Probability 0", "1");
        drawEventKey(left, y);
        if (!content_.note.empty())
            svg_.text(plotRight, y + 8.0, content_.note, smallType, secondary, Align::right);
    }

    void drawEventKey(double left, double y) {
        const auto heard = [](const Lane& lane) { return !lane.spans.empty(); };
        const auto outlined = [&](const Lane& lane) { return heard(lane) && !crowded(lane); };
        if (std::ranges::none_of(content_.lanes, heard)) return;
        if (std::ranges::any_of(content_.lanes, outlined)) {
            svg_.outline({left, y - 2.0, 24.0, 12.0}, 3.0, 1.5, accent);
            left += 32.0;
        }
        if (std::ranges::any_of(content_.lanes, crowded)) {
            svg_.fill({left, y + 1.5, 24.0, marksHeight}, accent);
            left += 32.0;
        }
        svg_.text(left, y + 8.0, "Events", smallType, secondary);
    }

    void frame(const Box& box) {
        svg_.outline({box.x - 1.0, box.y - 1.0, box.width + 2.0, box.height + 2.0}, 0.0, 1.0, line);
    }

    const PictureContent& content_;
    double lanesBottom_;
    Svg svg_;
};

} // namespace

std::string drawSvg(const PictureContent& content) { return Drawing(content).draw(); }

} // namespace earshot::pictures
