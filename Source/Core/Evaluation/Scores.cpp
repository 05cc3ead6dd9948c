#include "Core/Evaluation/Scores.h"

#include "Core/Detection/Events/Events.h"
#include "Core/Evaluation/ModelOutput.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace earshot::evaluation {

namespace {

using DetectionLists = std::vector<std::vector<Annotation>>; // one per recording

// thresholds: one per class.
DetectionLists detectAll(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                         const DetectorSettings& settings) {
    DetectionLists lists;
    for (const Scored& recording : recordings)
        lists.push_back(detect(recording, classes, thresholds, settings));
    return lists;
}

// Returns the detections at each of several thresholds, the same for all classes. Only one recording at a
// time is copied into a timeline.
std::vector<DetectionLists> detectAtEach(std::span<const Scored> recordings, int classes,
                                         std::span<const float> thresholds,
                                         const DetectorSettings& settings) {
    std::vector<DetectionLists> at(thresholds.size());
    for (const Scored& recording : recordings) {
        const RecordingDetector detector(recording, classes, settings);
        for (std::size_t i = 0; i < thresholds.size(); ++i)
            at[i].push_back(
                detector.detect(std::vector<float>(static_cast<std::size_t>(classes), thresholds[i])));
    }
    return at;
}

double strongSeconds(std::span<const Scored> recordings) {
    double seconds = 0.0;
    for (const Scored& recording : recordings)
        if (recording.strong) seconds += recording.duration;
    return seconds;
}

double perHour(std::int64_t count, double seconds) {
    return seconds > 0.0 ? static_cast<double>(count) * 3600.0 / seconds : 0.0;
}

void scorePrecision(std::span<const Scored> recordings, std::span<const Scored> others, int classes,
                    Scores& scores) {
    double sum = 0.0;
    int occurring = 0;
    for (int c = 0; c < classes; ++c) {
        const auto precision = averagePrecision(recordings, c, classes, others);
        scores.classes[static_cast<std::size_t>(c)].averagePrecision = precision;
        if (!precision) continue;
        sum += *precision;
        ++occurring;
    }
    if (occurring > 0) scores.meanAveragePrecision = sum / occurring;
}

void scoreDetections(std::span<const Scored> recordings, int classes, const DetectionLists& detections,
                     Scores& scores) {
    const auto segments = segmentCounts(recordings, classes, detections);
    const auto events = eventCounts(recordings, classes, detections);
    const auto looseEvents = eventCounts(recordings, classes, detections, looseCollar);
    for (std::size_t c = 0; c < scores.classes.size(); ++c) {
        ClassScores& own = scores.classes[c];
        own.annotated = events[c].annotated();
        own.segments = segments[c];
        own.events = events[c];
        own.looseEvents = looseEvents[c];
    }
    scores.segments = total(segments);
    scores.events = total(events);
    scores.looseEvents = total(looseEvents);
    scores.segmentErrors = segmentErrors(recordings, classes, detections);
    scores.eventErrors = eventErrors(recordings, classes, detections);
    scores.looseEventErrors = eventErrors(recordings, classes, detections, looseCollar);
    scores.segmentMacroF1 = macroF1(segments);
    scores.eventMacroF1 = macroF1(events);
    scores.looseEventMacroF1 = macroF1(looseEvents);
    scores.seconds = strongSeconds(recordings);
    scores.falseAlarmsPerHour = perHour(falseAlarms(recordings, detections), scores.seconds);
    scores.confusion = confusion(recordings, classes, detections);
}

} // namespace

Scores evaluate(std::span<const Scored> recordings, int classes, std::span<const float> thresholds,
                const EvaluationSettings& settings, std::span<const Scored> others) {
    assert(static_cast<int>(thresholds.size()) == classes);
    Scores scores;
    scores.classes.resize(thresholds.size());
    for (std::size_t c = 0; c < thresholds.size(); ++c) scores.classes[c].threshold = thresholds[c];
    scorePrecision(recordings, others, classes, scores);

    scoreDetections(recordings, classes, detectAll(recordings, classes, thresholds, settings.detector),
                    scores);

    if (!settings.psds) return scores;
    const ModelOutput output = {.recordings = recordings, .classes = classes, .detector = settings.detector};
    scores.psds1 = psds(output, psds1);
    scores.psds2 = psds(output, psds2);
    return scores;
}

PartsBySources partsBySources(const Scores& scores, std::span<const std::size_t> sources) {
    assert(sources.size() == scores.classes.size());
    const auto scoresOf = [&](auto&& isPart) {
        PartScores part;
        std::vector<Counts> segments, events, looseEvents;
        double precision = 0.0;
        std::int64_t precise = 0;
        for (std::size_t c = 0; c < sources.size(); ++c) {
            if (!isPart(sources[c])) continue;
            const ClassScores& own = scores.classes[c];
            ++part.classes;
            segments.push_back(own.segments);
            events.push_back(own.events);
            looseEvents.push_back(own.looseEvents);
            if (!own.averagePrecision) continue;
            precision += *own.averagePrecision;
            ++precise;
        }
        part.segments = total(segments);
        part.events = total(events);
        part.looseEvents = total(looseEvents);
        if (precise > 0) part.meanAveragePrecision = precision / static_cast<double>(precise);
        return part;
    };
    return {.many = scoresOf([](std::size_t count) { return count >= minSources; }),
            .few = scoresOf([](std::size_t count) { return count > 0 && count < minSources; })};
}

std::vector<SweepPoint> sweep(std::span<const Scored> recordings, int classes,
                              std::span<const float> thresholds, const DetectorSettings& settings) {
    const auto at = detectAtEach(recordings, classes, thresholds, settings);
    const double seconds = strongSeconds(recordings);
    std::vector<SweepPoint> points;
    for (std::size_t i = 0; i < thresholds.size(); ++i)
        points.push_back({thresholds[i], total(segmentCounts(recordings, classes, at[i])),
                          total(eventCounts(recordings, classes, at[i])),
                          total(eventCounts(recordings, classes, at[i], looseCollar)),
                          perHour(falseAlarms(recordings, at[i]), seconds)});
    return points;
}

namespace {

constexpr std::size_t gridSteps = 19; // 0.05 to 0.95

float gridThreshold(std::size_t i) { return 0.05f * static_cast<float>(i + 1); }

// Counts of one class at one threshold, as doubles because smoothing adds fractional counts.
struct Tally {
    double hits = 0.0; // true positives
    double both = 0.0; // detections plus annotations

    double f1() const { return both > 0.0 ? 2.0 * hits / both : 0.0; }
};

Tally tallyOf(const Counts& counts) {
    return {static_cast<double>(counts.truePositives),
            static_cast<double>(2 * counts.truePositives + counts.falsePositives + counts.falseNegatives)};
}

} // namespace

std::vector<float> chooseThresholds(std::span<const Scored> recordings, int classes,
                                    const DetectorSettings& settings) {
    // Average events that are added to each class: 30, and with more than 1,200 recordings as many for each.
    const double borrowed = 30.0 * std::max(1.0, static_cast<double>(recordings.size()) / 1200.0);
    const auto classCount = static_cast<std::size_t>(classes);

    std::vector<float> grid;
    for (std::size_t i = 0; i < gridSteps; ++i) grid.push_back(gridThreshold(i));
    std::vector<std::vector<Tally>> own; // (gridSteps, classes)
    std::vector<Tally> all;              // (gridSteps): all classes at the same threshold
    double annotated = 0.0;
    for (const DetectionLists& detections : detectAtEach(recordings, classes, grid, settings)) {
        const auto counts = eventCounts(recordings, classes, detections, looseCollar);
        own.emplace_back();
        for (const Counts& one : counts) own.back().push_back(tallyOf(one));
        const Counts sum = total(counts);
        all.push_back(tallyOf(sum));
        annotated = static_cast<double>(sum.annotated());
    }
    const double share = annotated > 0.0 ? borrowed / annotated : 0.0;

    // Dinkelbach's method finds the largest ratio 2 hits / both of the sums: each round chooses for each
    // class the threshold with the largest gain at the present ratio, until the ratio stays.
    const auto common = static_cast<std::size_t>(std::ranges::max_element(all, {}, &Tally::f1) - all.begin());
    if (all[common].hits <= 0.0) return std::vector<float>(classCount, detection::defaultThreshold);
    std::vector<std::size_t> chosen(classCount, common);
    double ratio = all[common].f1();
    constexpr int maxRounds = 50;
    for (int round = 0; round < maxRounds; ++round) {
        Tally sum;
        for (std::size_t c = 0; c < classCount; ++c) {
            const auto tally = [&](std::size_t i) -> Tally {
                return {own[i][c].hits + share * all[i].hits, own[i][c].both + share * all[i].both};
            };
            const auto gain = [&](std::size_t i) { return 2.0 * tally(i).hits - ratio * tally(i).both; };
            std::size_t best = common;
            for (std::size_t i = 0; i < gridSteps; ++i)
                if (gain(i) > gain(best)) best = i;
            chosen[c] = best;
            sum.hits += tally(best).hits;
            sum.both += tally(best).both;
        }
        const double before = std::exchange(ratio, sum.f1());
        if (ratio <= before) break;
    }
    std::vector<float> thresholds(chosen.size());
    std::ranges::transform(chosen, thresholds.begin(), gridThreshold);
    return thresholds;
}

std::pair<detection::AuthorRules, std::vector<float>> chooseRules(std::span<const Scored> recordings,
                                                                  int classes) {
    std::pair<detection::AuthorRules, std::vector<float>> best;
    double bestScore = -1.0;
    for (const double gap : {0.0, 0.16, 0.32}) {
        const auto tooShort = [gap](const Scored& recording) {
            return gap <= recording.columnSeconds + secondsTolerance;
        };
        if (gap > 0.0 && std::ranges::any_of(recordings, tooShort)) continue;
        for (const float release : {detection::defaultRelease, 0.4f, 0.3f, 0.2f}) {
            DetectorSettings settings;
            settings.release = release;
            settings.mergeGap = gap;
            auto thresholds = chooseThresholds(recordings, classes, settings);
            const auto found = detectAll(recordings, classes, thresholds, settings);
            const double score = total(eventCounts(recordings, classes, found, looseCollar)).f1();
            if (score <= bestScore) continue;
            bestScore = score;
            best.first = {.release = std::nullopt, .mergeGap = gap};
            if (release != detection::defaultRelease) best.first.release = release;
            best.second = std::move(thresholds);
        }
    }
    return best;
}

} // namespace earshot::evaluation
