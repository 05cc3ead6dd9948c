#include "Core/Pictures/RecordingPicture.h"

#include "Core/Base/Clock.h"
#include "Core/Base/Counted.h"
#include "Core/Base/Unicode.h"
#include "Core/Frontend/MelFilterBank.h"
#include "Core/Pictures/Drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::pictures {

namespace {

constexpr std::size_t usualLanes = 12;
constexpr std::size_t minLanes = 6;
constexpr float faintest = 0.05f;    // lowest peak that gives a sound without events a lane beyond minLanes
constexpr std::size_t maxLanes = 24; // if enough sounds have events

std::string frequencyText(double hertz) {
    if (hertz < 1000.0) return fmt::format("{:.0f} Hz", hertz);
    return fmt::format("{:.3g} kHz", hertz / 1000.0);
}

std::vector<FrequencyLabel> frequencyLabels(const frontend::LogMelSettings& frontend) {
    const frontend::MelImage image{frontend.lowHz, frontend.highHz, frontend.melBands, frontend.scale};
    std::vector<FrequencyLabel> labels;
    // The ends come first: where labels would touch, the drawing keeps the first one.
    for (const double hertz : {frontend.highHz, frontend.lowHz, 1000.0, 4000.0, 250.0, 2000.0, 500.0, 8000.0})
        if (hertz >= frontend.lowHz && hertz <= frontend.highHz && frontend.highHz > frontend.lowHz)
            labels.push_back({image.position(hertz), frequencyText(hertz)});
    return labels;
}

std::string nameOf(int classIndex, const std::vector<std::string>& labels) {
    const auto at = static_cast<std::size_t>(classIndex);
    return at < labels.size() && !labels[at].empty() ? printable(labels[at])
                                                     : fmt::format("class {}", classIndex);
}

std::string eventsText(std::size_t count) { return count == 0 ? "no events" : counted(count, "event"); }

} // namespace

RecordingPicture::RecordingPicture(const frontend::LogMelSettings& frontend)
    : frontend_(frontend)
    , spectrogram_(frontend.melBands) {}

void RecordingPicture::frames(std::span<const float> logMel) { spectrogram_.append(logMel); }

void RecordingPicture::begin(int classes, double secondsPerColumn) {
    heat_ = HeatCells(classes);
    secondsPerColumn_ = secondsPerColumn;
}

void RecordingPicture::column(std::int64_t, std::span<const float> probabilities) {
    heat_.append(probabilities);
}

void RecordingPicture::end(double seconds) { seconds_ = std::max(seconds, 0.0); }

std::string RecordingPicture::svg(const PictureSubject& subject,
                                  std::span<const detection::Event> events) const {
    const auto classes = static_cast<std::size_t>(heat_.classes());
    const auto isShown = [&](std::size_t i) {
        return subject.shown.empty() || (i < subject.shown.size() && subject.shown[i]);
    };
    std::vector<std::vector<Span>> spans(classes);
    std::size_t count = 0;
    for (const auto& event : events) {
        const auto at = static_cast<std::size_t>(event.classIndex);
        if (event.classIndex < 0 || at >= classes || !isShown(at)) continue;
        spans[at].push_back({event.onset, event.offset, event.peak});
        ++count;
    }
    std::vector<int> heard, others;
    for (std::size_t i = 0; i < classes; ++i)
        if (isShown(i)) (spans[i].empty() ? others : heard).push_back(static_cast<int>(i));

    PictureContent content;
    content.seconds = seconds_;
    content.title = displayName(std::filesystem::path(subject.recording));
    content.details =
        fmt::format("{} \u00b7 {} \u00b7 {}", clockReading(seconds_, {.decimals = seconds_ < 60.0 ? 1 : 0}),
                    printable(subject.model), eventsText(count));
    content.frequencies = frequencyLabels(frontend_);
    if (seconds_ > 0.0) {
        const auto lanes = std::clamp(heard.size(), usualLanes, maxLanes);
        auto rows = heat_.strongest(heard, others, lanes);
        while (rows.size() > std::max(heard.size(), minLanes) && heat_.peak(rows.back()) < faintest)
            rows.pop_back();
        if (heard.size() > lanes)
            content.note = fmt::format("{} of {} sounds with events are shown", lanes, heard.size());
        const double secondsPerFrame = static_cast<double>(frontend_.hopSize) / frontend_.sampleRate;
        content.spectrogram = spectrogram_.picture(plotWidth, seconds_, secondsPerFrame);
        content.heat = heat_.raster(rows, plotWidth, seconds_, secondsPerColumn_);
        for (const int row : rows)
            content.lanes.push_back(
                {nameOf(row, subject.labels), std::move(spans[static_cast<std::size_t>(row)])});
    }
    return drawSvg(content);
}

std::string RecordingPicture::encoded(PictureFormat format, const PictureSubject& subject,
                                      std::span<const detection::Event> events) const {
    std::string drawing = svg(subject, events);
    return format == PictureFormat::svg ? drawing : encodePng(render(drawing));
}

} // namespace earshot::pictures
