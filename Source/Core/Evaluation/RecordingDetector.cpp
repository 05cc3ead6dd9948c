#include "Core/Evaluation/RecordingDetector.h"

#include <algorithm>
#include <cassert>

namespace earshot::evaluation {

namespace {

detection::Timeline timelineOf(const Scored& recording, int classes) {
    detection::Timeline timeline(classes, recording.columnSeconds);
    timeline.add(0, recording.probabilities);
    timeline.finish(recording.duration);
    return timeline;
}

} // namespace

RecordingDetector::RecordingDetector(const Scored& recording, int classes, const DetectorSettings& settings)
    : timeline_(timelineOf(recording, classes))
    , settings_(settings) {}

std::vector<detection::Event> RecordingDetector::events(std::span<const float> thresholds) const {
    assert(static_cast<int>(thresholds.size()) == timeline_.classes());
    detection::EventSettings settings;
    settings.sebbs = settings_.sebbs;
    settings.rule.median = settings_.median;
    settings.rule.minDuration = settings_.minDuration;
    settings.rule.mergeGap = settings_.mergeGap;
    for (int c = 0; c < timeline_.classes(); ++c) {
        detection::EventRule rule = settings.rule;
        rule.on = thresholds[static_cast<std::size_t>(c)];
        rule.off = rule.on * settings_.release;
        settings.overrides.emplace_hint(settings.overrides.end(), c, rule);
    }
    auto events = detection::deriveEvents(timeline_, settings).events;
    if (!settings_.only.empty())
        std::erase_if(events, [&](const detection::Event& event) {
            return std::ranges::find(settings_.only, event.classIndex) == settings_.only.end();
        });
    return events;
}

std::vector<Annotation> RecordingDetector::detect(std::span<const float> thresholds) const {
    std::vector<Annotation> detections;
    for (const detection::Event& event : events(thresholds))
        detections.push_back({.onset = event.onset, .offset = event.offset, .label = event.classIndex});
    return detections;
}

std::vector<Annotation> detect(const Scored& recording, int classes, std::span<const float> thresholds,
                               const DetectorSettings& settings) {
    return RecordingDetector(recording, classes, settings).detect(thresholds);
}

} // namespace earshot::evaluation
