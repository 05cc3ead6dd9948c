#include "Core/Evaluation/Resampling.h"

#include "Core/Evaluation/ClipScores.h"
#include "Core/Evaluation/EventScores.h"
#include "Core/Evaluation/Psds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <random>

namespace earshot::evaluation {

namespace {

constexpr double notDefined = std::numeric_limits<double>::quiet_NaN();

// What a strongly labelled recording adds to the counts of a class.
struct ClassTally {
    std::size_t scoredClass = 0;
    Counts events, looseEvents, segments;
};

struct RecordingTally {
    std::size_t index = 0; // in a draw
    std::vector<ClassTally> classes;
    Errors eventErrors, looseEventErrors, segmentErrors;
    std::int64_t falseAlarms = 0;
    double seconds = 0.0;
};

// A clip of one sound, and whether it is named rightly.
struct ClipTally {
    std::size_t index = 0; // in a draw
    bool byPeak = false, byMean = false;
};

struct Ranked {
    float peak = 0.0f;
    std::uint32_t index = 0; // in a draw
    bool holds = false;      // the class
};

Counts times(std::int64_t factor, const Counts& counts) {
    return {.truePositives = factor * counts.truePositives,
            .falsePositives = factor * counts.falsePositives,
            .falseNegatives = factor * counts.falseNegatives};
}

Errors times(std::int64_t factor, const Errors& errors) {
    return {.substitutions = factor * errors.substitutions,
            .deletions = factor * errors.deletions,
            .insertions = factor * errors.insertions,
            .annotated = factor * errors.annotated};
}

double f1Of(const Counts& counts) { return counts == Counts{} ? notDefined : counts.f1(); }

double macroOf(std::span<const Counts> perClass) {
    const bool annotated = std::ranges::any_of(perClass, [](const auto& own) { return own.annotated() > 0; });
    return annotated ? macroF1(perClass) : notDefined;
}

// As averagePrecision(), of recordings that count several times or not at all.
double drawnPrecision(std::span<const Ranked> ranking, const Draw& draw) {
    double sum = 0.0;
    std::int64_t found = 0, ranked = 0;
    for (std::size_t i = 0; i < ranking.size();) {
        std::int64_t here = 0;
        for (const float peak = ranking[i].peak; i < ranking.size() && ranking[i].peak == peak; ++i) {
            ranked += draw[ranking[i].index];
            if (ranking[i].holds) here += draw[ranking[i].index];
        }
        found += here;
        if (here > 0)
            sum += static_cast<double>(here) * static_cast<double>(found) / static_cast<double>(ranked);
    }
    return found > 0 ? sum / static_cast<double>(found) : notDefined;
}

double& at(MainScores& scores, MainScore score) { return scores[static_cast<std::size_t>(score)]; }

} // namespace

struct DrawnScores::Impl {
    std::vector<ModelOutput> outputs;
    std::vector<RecordingTally> tallies;
    std::vector<ClipTally> clips;
    std::vector<std::vector<Ranked>> rankings; // by scored class, the highest peak first

    void tally(const ModelOutput& output, std::size_t first) {
        for (std::size_t r = 0; r < output.recordings.size(); ++r)
            if (output.recordings[r].strong) tallies.push_back(tallyOf(output, r, first));
        const auto byPeak = clipAnswers(output.recordings, output.classes, ClipScore::peak);
        const auto byMean = clipAnswers(output.recordings, output.classes, ClipScore::mean);
        for (std::size_t r = 0; r < byPeak.size(); ++r) {
            if (byPeak[r] < 0) continue;
            const int truth = output.recordings[r].labels.front();
            clips.push_back({first + r, byPeak[r] == truth, byMean[r] == truth});
        }
    }

    static RecordingTally tallyOf(const ModelOutput& output, std::size_t r, std::size_t first) {
        const auto recording = output.recordings.subspan(r, 1);
        std::vector<std::vector<Annotation>> found;
        found.push_back(detect(recording.front(), output.classes, output.thresholds, output.detector));
        const auto events = eventCounts(recording, output.classes, found);
        const auto looseEvents = eventCounts(recording, output.classes, found, looseCollar);
        const auto segments = segmentCounts(recording, output.classes, found);
        RecordingTally tally = {.index = first + r,
                                .classes = {},
                                .eventErrors = eventErrors(recording, output.classes, found),
                                .looseEventErrors =
                                    eventErrors(recording, output.classes, found, looseCollar),
                                .segmentErrors = segmentErrors(recording, output.classes, found),
                                .falseAlarms = falseAlarms(recording, found),
                                .seconds = recording.front().duration};
        for (std::size_t c = 0; c < output.scoredClasses(); ++c) {
            const auto own = static_cast<std::size_t>(output.modelClass(c));
            if (events[own] == Counts{} && segments[own] == Counts{}) continue;
            tally.classes.push_back({c, events[own], looseEvents[own], segments[own]});
        }
        return tally;
    }

    void rank(const ModelOutput& output, std::size_t first) {
        std::size_t index = first;
        for (const auto recordings : {output.recordings, output.others})
            for (const Scored& recording : recordings) {
                const auto peaks = clipScores(recording, output.classes, ClipScore::peak);
                for (std::size_t c = 0; c < rankings.size(); ++c) {
                    const int own = output.modelClass(c);
                    rankings[c].push_back({peaks[static_cast<std::size_t>(own)],
                                           static_cast<std::uint32_t>(index),
                                           std::ranges::binary_search(recording.labels, own)});
                }
                ++index;
            }
    }

    void score(const Draw& draw, MainScores& scores) const {
        std::vector<Counts> events(rankings.size()), looseEvents(rankings.size()), segments(rankings.size());
        Errors eventWrongs, looseEventWrongs, segmentWrongs;
        std::int64_t alarms = 0;
        double seconds = 0.0;
        for (const RecordingTally& tally : tallies) {
            const std::int64_t factor = draw[tally.index];
            if (factor == 0) continue;
            for (const ClassTally& own : tally.classes) {
                events[own.scoredClass] += times(factor, own.events);
                looseEvents[own.scoredClass] += times(factor, own.looseEvents);
                segments[own.scoredClass] += times(factor, own.segments);
            }
            eventWrongs += times(factor, tally.eventErrors);
            looseEventWrongs += times(factor, tally.looseEventErrors);
            segmentWrongs += times(factor, tally.segmentErrors);
            alarms += factor * tally.falseAlarms;
            seconds += static_cast<double>(factor) * tally.seconds;
        }
        at(scores, MainScore::events200) = f1Of(total(events));
        at(scores, MainScore::events500) = f1Of(total(looseEvents));
        at(scores, MainScore::segments) = f1Of(total(segments));
        at(scores, MainScore::eventMacro200) = macroOf(events);
        at(scores, MainScore::eventMacro500) = macroOf(looseEvents);
        at(scores, MainScore::segmentMacro) = macroOf(segments);
        at(scores, MainScore::falseAlarmsPerHour) =
            seconds > 0.0 ? static_cast<double>(alarms) * 3600.0 / seconds : notDefined;
        at(scores, MainScore::meanAveragePrecision) = meanPrecision(draw);
        at(scores, MainScore::eventErrors200) = eventWrongs.rate();
        at(scores, MainScore::eventErrors500) = looseEventWrongs.rate();
        at(scores, MainScore::segmentErrors) = segmentWrongs.rate();
        scoreClips(draw, scores);
    }

    void scoreClips(const Draw& draw, MainScores& scores) const {
        double all = 0.0, byPeak = 0.0, byMean = 0.0;
        for (const ClipTally& clip : clips) {
            const double factor = draw[clip.index];
            all += factor;
            byPeak += clip.byPeak ? factor : 0.0;
            byMean += clip.byMean ? factor : 0.0;
        }
        at(scores, MainScore::clipAccuracyByPeak) = all > 0.0 ? byPeak / all : notDefined;
        at(scores, MainScore::clipAccuracyByMean) = all > 0.0 ? byMean / all : notDefined;
    }

    double meanPrecision(const Draw& draw) const {
        double sum = 0.0;
        int occurring = 0;
        for (const auto& ranking : rankings) {
            const double precision = drawnPrecision(ranking, draw);
            if (std::isnan(precision)) continue;
            sum += precision;
            ++occurring;
        }
        return occurring > 0 ? sum / occurring : notDefined;
    }
};

DrawnScores::DrawnScores(std::span<const ModelOutput> outputs)
    : impl_(std::make_unique<Impl>()) {
    impl_->outputs.assign(outputs.begin(), outputs.end());
    impl_->rankings.resize(outputs.front().scoredClasses());
    std::size_t first = 0;
    for (const ModelOutput& output : outputs) {
        impl_->tally(output, first);
        impl_->rank(output, first);
        first += output.size();
    }
    for (auto& ranking : impl_->rankings)
        std::ranges::stable_sort(ranking, std::ranges::greater{}, &Ranked::peak);
    // A class that no recording holds has no precision.
    for (auto& ranking : impl_->rankings)
        if (std::ranges::none_of(ranking, &Ranked::holds)) ranking.clear();
}

DrawnScores::~DrawnScores() = default;

std::vector<MainScores> DrawnScores::of(std::span<const Draw> draws,
                                        const std::function<bool()>& goesOn) const {
    std::vector<MainScores> scores(draws.size());
    for (const MainScore which : {MainScore::psds1, MainScore::psds2}) {
        const auto values = psds(impl_->outputs, which == MainScore::psds1 ? psds1 : psds2, draws, goesOn);
        if (values.size() != draws.size()) return {};
        for (std::size_t i = 0; i < draws.size(); ++i) at(scores[i], which) = values[i];
    }
    for (std::size_t i = 0; i < draws.size(); ++i) impl_->score(draws[i], scores[i]);
    return scores;
}

Interval middleOf(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty()) return {};
    std::ranges::sort(values);
    const auto percentile = [&](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
    };
    return {percentile((1.0 - intervalLevel) / 2.0), percentile((1.0 + intervalLevel) / 2.0)};
}

namespace {

// So many draws are scored at once: their curves of PSDS take memory.
constexpr std::size_t drawsAtOnce = 400;

using Samples = std::vector<MainScores>;

// Chance that is the same everywhere.
class Chance {
  public:
    explicit Chance(std::uint64_t seed)
        : generator_(seed) {}
    std::size_t below(std::size_t n) {
        return static_cast<std::size_t>(((generator_() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
    }

  private:
    std::mt19937_64 generator_;
};

// As many recordings as there are, with replacement.
Draw drawn(std::size_t recordings, Chance& chance) {
    Draw draw(recordings, 0);
    for (std::size_t i = 0; i < recordings; ++i) ++draw[chance.below(recordings)];
    return draw;
}

Draw joined(Draw first, const Draw& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// Scores what `makeDraws` makes for each of the rounds, several rounds at once. Returns the scores of each of
// a round's draws in turn; empty if it was stopped.
std::vector<Samples> inRounds(const DrawnScores& scores, const ResamplingSettings& settings,
                              std::size_t perRound, const std::function<std::vector<Draw>()>& makeDraws) {
    std::vector<Samples> samples(perRound);
    for (std::size_t done = 0; done < settings.draws;) {
        const std::size_t rounds = std::min(settings.draws - done, drawsAtOnce / perRound);
        std::vector<Draw> draws;
        for (std::size_t i = 0; i < rounds; ++i) std::ranges::move(makeDraws(), std::back_inserter(draws));
        const auto values = scores.of(draws, [&] {
            return !settings.progress ||
                   settings.progress(static_cast<double>(done) / static_cast<double>(settings.draws));
        });
        if (values.empty()) return {};
        for (std::size_t i = 0; i < values.size(); ++i) samples[i % perRound].push_back(values[i]);
        done += rounds;
    }
    return samples;
}

std::vector<double> column(const Samples& samples, std::size_t score) {
    std::vector<double> values;
    for (const MainScores& sample : samples) values.push_back(sample[score]);
    return values;
}

std::vector<double> differences(const Samples& first, const Samples& second, std::size_t score) {
    std::vector<double> values;
    for (std::size_t i = 0; i < first.size(); ++i) values.push_back(second[i][score] - first[i][score]);
    return values;
}

Resampled resampled(const MainScores& scores, const Samples& samples) {
    Resampled result = {.scores = scores, .intervals = {}};
    for (std::size_t s = 0; s < mainScoreCount; ++s) result.intervals[s] = middleOf(column(samples, s));
    return result;
}

double shareAsLarge(const std::vector<double>& exchanged, double difference) {
    if (std::isnan(difference)) return notDefined;
    constexpr double rounding = 1e-12;
    const auto asLarge = std::ranges::count_if(
        exchanged, [&](double value) { return !(std::abs(value) < std::abs(difference) - rounding); });
    return static_cast<double>(asLarge + 1) / static_cast<double>(exchanged.size() + 1);
}

} // namespace

std::optional<Resampled> bootstrap(const ModelOutput& output, const ResamplingSettings& settings) {
    const DrawnScores scores(std::span(&output, 1));
    Chance chance(settings.seed);
    const auto samples =
        inRounds(scores, settings, 1, [&] { return std::vector<Draw>{drawn(output.size(), chance)}; });
    if (samples.empty()) return std::nullopt;
    const Draw once(output.size(), 1);
    return resampled(scores.of(std::span(&once, 1)).front(), samples.front());
}

std::unique_ptr<ModelComparison> compareModels(const ModelOutput& first, const ModelOutput& second,
                                               const ResamplingSettings& settings) {
    assert(first.size() == second.size());
    const std::array outputs = {first, second};
    const DrawnScores scores(outputs);
    const std::size_t recordings = first.size();
    const Draw none(recordings, 0), once(recordings, 1);
    Chance chance(settings.seed), exchange(~settings.seed);
    const auto samples = inRounds(scores, settings, 4, [&] {
        const Draw draw = drawn(recordings, chance);
        Draw stays(recordings), goes(recordings);
        for (std::size_t i = 0; i < recordings; ++i) {
            stays[i] = static_cast<std::uint32_t>(exchange.below(2));
            goes[i] = 1 - stays[i];
        }
        return std::vector<Draw>{joined(draw, none), joined(none, draw), joined(stays, goes),
                                 joined(goes, stays)};
    });
    if (samples.empty()) return nullptr;
    const auto whole = scores.of(std::vector<Draw>{joined(once, none), joined(none, once)});
    auto comparison = std::make_unique<ModelComparison>();
    for (const std::size_t m : {0u, 1u}) comparison->models[m] = resampled(whole[m], samples[m]);
    for (std::size_t s = 0; s < mainScoreCount; ++s) {
        Difference& difference = comparison->differences[s];
        difference.value = whole[1][s] - whole[0][s];
        difference.interval = middleOf(differences(samples[0], samples[1], s));
        difference.pValue = shareAsLarge(differences(samples[2], samples[3], s), difference.value);
    }
    return comparison;
}

} // namespace earshot::evaluation
