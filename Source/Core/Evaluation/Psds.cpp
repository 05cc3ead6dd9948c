#include "Core/Evaluation/Psds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace earshot::evaluation {

namespace {

constexpr double secondsPerHour = 3600.0;

// The columns of a class, median-filtered as EventMachine does: narrower at both ends.
std::vector<float> filteredColumns(const Scored& recording, int classes, int label, int median) {
    const std::size_t columns = recording.columns(classes);
    std::vector<float> values(columns);
    for (std::size_t i = 0; i < columns; ++i)
        values[i] =
            recording.probabilities[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label)];
    if (median <= 1) return values;
    std::vector<float> filtered(columns), window;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t reach = std::min({static_cast<std::size_t>(median / 2), i, columns - 1 - i});
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(i);
        window.assign(middle - static_cast<std::ptrdiff_t>(reach),
                      middle + static_cast<std::ptrdiff_t>(reach) + 1);
        const auto half = window.begin() + static_cast<std::ptrdiff_t>(reach);
        std::nth_element(window.begin(), half, window.end());
        filtered[i] = *half;
    }
    return filtered;
}

std::vector<Detectable> detectableColumns(const Scored& recording, int classes, int label, int median) {
    std::vector<Detectable> detectables;
    const auto values = filteredColumns(recording, classes, label, median);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double onset = static_cast<double>(i) * recording.columnSeconds;
        const double offset =
            std::min(static_cast<double>(i + 1) * recording.columnSeconds, recording.duration);
        if (offset > onset) detectables.push_back({values[i], onset, offset, static_cast<std::int64_t>(i)});
    }
    return detectables;
}

// One recording of one model.
struct Entry {
    const Scored* recording = nullptr;
    const ModelOutput* output = nullptr;
    std::uint32_t index = 0; // in a draw
    std::vector<ClassSounds> truths;
    std::vector<detection::Event> sebbs;

    std::vector<Detectable> detectables(int label) const {
        if (!output->detector.sebbs)
            return detectableColumns(*recording, output->classes, label, output->detector.median);
        std::vector<Detectable> found;
        for (const detection::Event& box : sebbs)
            if (box.classIndex == label)
                found.push_back({box.confidence, box.onset, box.offset,
                                 2 * static_cast<std::int64_t>(found.size())}); // boxes stay apart
        return found;
    }
};

std::vector<detection::Event> allSebbs(const Scored& recording, const ModelOutput& output) {
    const std::vector<float> none(static_cast<std::size_t>(output.classes), 0.0f);
    return RecordingDetector(recording, output.classes, output.detector).events(none);
}

std::vector<Entry> entriesOf(std::span<const ModelOutput> outputs) {
    std::vector<Entry> entries;
    std::size_t first = 0;
    for (const ModelOutput& output : outputs) {
        for (std::size_t r = 0; r < output.recordings.size(); ++r) {
            const Scored& recording = output.recordings[r];
            if (!recording.strong) continue;
            Entry& entry = entries.emplace_back();
            entry.recording = &recording;
            entry.output = &output;
            entry.index = static_cast<std::uint32_t>(first + r);
            if (output.detector.sebbs) entry.sebbs = allSebbs(recording, output);
        }
        first += output.size();
    }
    return entries;
}

// Fills the entries' truths; returns the scored classes that are annotated.
std::vector<std::size_t> annotatedClasses(std::vector<Entry>& entries, std::size_t scoredClasses) {
    constexpr std::size_t notScored = SIZE_MAX;
    std::vector<char> isAnnotated(scoredClasses, 0);
    for (Entry& entry : entries) {
        std::vector<std::size_t> scoredOf(static_cast<std::size_t>(entry.output->classes), notScored);
        for (std::size_t c = 0; c < scoredClasses; ++c)
            scoredOf[static_cast<std::size_t>(entry.output->modelClass(c))] = c;
        std::map<std::size_t, SoundSpans> sounds;
        for (const Annotation& sound : entry.recording->unjoined)
            if (const std::size_t c = scoredOf[static_cast<std::size_t>(sound.label)];
                c != notScored && sound.offset > sound.onset)
                sounds[c].add(sound.onset, sound.offset);
        for (auto& [c, spans] : sounds) {
            isAnnotated[c] = 1;
            entry.truths.push_back({c, std::move(spans)});
        }
    }
    std::vector<std::size_t> annotated, indexOf(scoredClasses, 0);
    for (std::size_t c = 0; c < scoredClasses; ++c) {
        indexOf[c] = annotated.size();
        if (isAnnotated[c] != 0) annotated.push_back(c);
    }
    for (Entry& entry : entries)
        for (ClassSounds& own : entry.truths) own.label = indexOf[own.label];
    return annotated;
}

// Rates per hour of false alarms from which on 1, 2, ... of the annotated sounds are found.
using Curve = std::vector<double>;

class PsdsDraw {
  public:
    PsdsDraw(std::span<const Entry> entries, std::size_t classes, const PsdsSettings& settings,
             const Draw& draw)
        : draw_(draw)
        , settings_(settings)
        , sounds_(classes, 0)
        , rates_(classes, 0.0)
        , curves_(classes) {
        double seconds = 0.0;
        std::vector<double> annotatedSeconds(classes, 0.0);
        for (const Entry& entry : entries) {
            const std::uint32_t times = draw[entry.index];
            seconds += times * entry.recording->duration;
            for (const ClassSounds& own : entry.truths) {
                sounds_[own.label] += times * own.spans.count();
                annotatedSeconds[own.label] += times * own.spans.seconds();
            }
        }
        if (seconds > 0.0) falsePositiveRate_ = secondsPerHour / seconds;
        annotated_ = static_cast<std::size_t>(std::ranges::count_if(sounds_, [](auto n) { return n > 0; }));
        // The mean over the other classes of the cross-triggers per hour of their own sound.
        for (std::size_t c = 0; c < classes; ++c)
            if (annotatedSeconds[c] > 0.0 && annotated_ > 1)
                rates_[c] = settings.crossTriggerCost * secondsPerHour / annotatedSeconds[c] /
                            static_cast<double>(annotated_ - 1);
    }

    // changes: of class c in all recordings, by falling score.
    void follow(std::size_t c, std::span<const PsdsChange> changes) {
        if (sounds_[c] == 0) return;
        std::vector<double> least(sounds_[c] + 1, std::numeric_limits<double>::infinity());
        std::int64_t hits = 0, falsePositives = 0;
        double crossTriggers = 0.0;
        for (std::size_t i = 0; i < changes.size();) {
            for (const float score = changes[i].score; i < changes.size() && changes[i].score == score; ++i) {
                const PsdsChange& change = changes[i];
                const std::int64_t by = static_cast<std::int64_t>(draw_[change.recording]) * change.by;
                if (change.what == PsdsChange::hits)
                    hits += by;
                else if (change.what == PsdsChange::falsePositives)
                    falsePositives += by;
                else
                    crossTriggers += static_cast<double>(by) * rates_[static_cast<std::size_t>(change.what)];
            }
            double& rate = least[static_cast<std::size_t>(hits)];
            rate = std::min(rate, static_cast<double>(falsePositives) * falsePositiveRate_ +
                                      std::max(0.0, crossTriggers));
        }
        for (std::size_t k = least.size() - 1; k > 1; --k) least[k - 1] = std::min(least[k - 1], least[k]);
        for (std::size_t k = 1; k < least.size() && least[k] < settings_.maxFalsePositiveRate; ++k)
            curves_[c].push_back(least[k]);
    }

    // Section 4 of the paper. The PSD-ROC is the mean of the classes' curves minus their weighted standard
    // deviation (population), at least 0. The score is the area below it up to the highest rate, divided by
    // that rate.
    double score() const {
        if (annotated_ == 0) return std::numeric_limits<double>::quiet_NaN();
        std::vector<std::pair<double, std::size_t>> rises; // rate, class
        for (std::size_t c = 0; c < curves_.size(); ++c)
            for (const double rate : curves_[c]) rises.emplace_back(rate, c);
        std::ranges::sort(rises);
        std::vector<std::size_t> hits(curves_.size(), 0);
        double area = 0.0;
        for (std::size_t i = 0; i < rises.size(); ++i) {
            ++hits[rises[i].second];
            const double next = i + 1 < rises.size() ? rises[i + 1].first : settings_.maxFalsePositiveRate;
            if (next > rises[i].first) area += height(hits) * (next - rises[i].first);
        }
        return area / settings_.maxFalsePositiveRate;
    }

  private:
    double height(std::span<const std::size_t> hits) const {
        const auto ratio = [&](std::size_t c) {
            return static_cast<double>(hits[c]) / static_cast<double>(sounds_[c]);
        };
        double sum = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < hits.size(); ++c)
            if (sounds_[c] > 0) sum += ratio(c);
        const double mean = sum / static_cast<double>(annotated_);
        for (std::size_t c = 0; c < hits.size(); ++c)
            if (sounds_[c] > 0) squares += (ratio(c) - mean) * (ratio(c) - mean);
        const double spread = std::sqrt(squares / static_cast<double>(annotated_));
        return std::max(0.0, mean - settings_.variabilityCost * spread);
    }

    const Draw& draw_;
    const PsdsSettings& settings_;
    std::vector<std::size_t> sounds_; // annotated ones, by class
    std::size_t annotated_ = 0;       // classes
    double falsePositiveRate_ = 0.0;  // of one, per hour
    std::vector<double> rates_;       // of one cross-trigger, by its class, times its cost
    std::vector<Curve> curves_;       // by class
};

} // namespace

std::vector<double> psds(std::span<const ModelOutput> outputs, const PsdsSettings& settings,
                         std::span<const Draw> draws, const std::function<bool()>& goesOn) {
    auto entries = entriesOf(outputs);
    const auto classes = outputs.empty() ? std::vector<std::size_t>()
                                         : annotatedClasses(entries, outputs.front().scoredClasses());
    std::vector<PsdsDraw> scored;
    scored.reserve(draws.size());
    for (const Draw& draw : draws) scored.emplace_back(entries, classes.size(), settings, draw);
    std::vector<PsdsChange> changes;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (goesOn && !goesOn()) return {};
        changes.clear();
        for (const Entry& entry : entries)
            appendPsdsChanges(changes, entry.detectables(entry.output->modelClass(classes[c])), entry.truths,
                              c, entry.index, settings);
        std::ranges::stable_sort(changes, std::ranges::greater{}, &PsdsChange::score);
        for (PsdsDraw& draw : scored) draw.follow(c, changes);
    }
    std::vector<double> scores;
    scores.reserve(scored.size());
    for (const PsdsDraw& draw : scored) scores.push_back(draw.score());
    return scores;
}

double psds(const ModelOutput& output, const PsdsSettings& settings) {
    const Draw once(output.size(), 1);
    const double score = psds(std::span(&output, 1), settings, std::span(&once, 1)).front();
    return std::isnan(score) ? 0.0 : score;
}

} // namespace earshot::evaluation
