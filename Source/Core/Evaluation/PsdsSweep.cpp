#include "Core/Evaluation/PsdsSweep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace earshot::evaluation {

void SoundSpans::add(double onset, double offset) {
    onsets_.push_back(onset);
    offsets_.push_back(offset);
    before_.push_back(before_.back() + (offset - onset));
}

double SoundSpans::covered(std::size_t i, double onset, double offset) const {
    return std::max(0.0, std::min(offset, offsets_[i]) - std::max(onset, onsets_[i]));
}

std::size_t SoundSpans::firstAfter(double onset) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(offsets_, onset) - offsets_.begin());
}

double SoundSpans::secondsUntil(double time) const {
    const std::size_t i = firstAfter(time);
    return before_[i] + (i < count() ? std::max(0.0, time - onsets_[i]) : 0.0);
}

namespace {

bool reachesShare(double seconds, double share, double length) {
    const auto microseconds = [](double value) { return std::nearbyint(value * 1e6); };
    return microseconds(seconds) >= microseconds(share * length);
}

const SoundSpans& soundsOf(std::span<const ClassSounds> truths, std::size_t label) {
    static const SoundSpans none;
    const auto own = std::ranges::find(truths, label, &ClassSounds::label);
    return own == truths.end() ? none : own->spans;
}

class PsdsSweep {
  public:
    PsdsSweep(std::vector<PsdsChange>& changes, std::span<const Detectable> detectables,
              std::span<const ClassSounds> truths, std::size_t own, std::uint32_t recording,
              const PsdsSettings& settings)
        : changes_(changes)
        , detectables_(detectables)
        , truths_(truths)
        , own_(soundsOf(truths, own))
        , recording_(recording)
        , settings_(settings)
        , lastOf_(detectables.size())
        , firstOf_(detectables.size())
        , detected_(detectables.size(), 0)
        , accepted_(detectables.size(), 0)
        , covered_(own_.count(), 0.0)
        , crossTriggers_(truths.size(), 0) {
        if (settings.crossTriggerCost <= 0.0) return;
        for (std::size_t t = 0; t < truths.size(); ++t)
            if (truths[t].label != own) others_.push_back(t);
    }

    void run() {
        std::vector<std::size_t> order(detectables_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater{},
                                 [&](std::size_t i) { return detectables_[i].score; });
        for (const std::size_t i : order) detect(i);
    }

  private:
    struct Span { // of detectables, both included
        std::size_t first, last;
    };

    void detect(std::size_t i) {
        Span run{i, i};
        std::size_t before = i, after = i; // where the joined runs begin
        hits_ = falsePositives_ = 0;
        if (i > 0 && detected_[i - 1] != 0 && adjacent(i - 1)) {
            run.first = before = firstOf_[i - 1];
            judge({before, i - 1}, -1);
        }
        if (i + 1 < detectables_.size() && detected_[i + 1] != 0 && adjacent(i)) {
            run.last = lastOf_[i + 1];
            after = i + 1;
            judge({after, run.last}, -1);
        }
        detected_[i] = 1;
        const bool accepted = accepts(run);
        if (before != i && (accepted_[before] != 0) != accepted) cover({before, i - 1}, accepted);
        if (after != i && (accepted_[after] != 0) != accepted) cover({after, run.last}, accepted);
        if (accepted) cover({i, i}, true);
        accepted_[run.first] = accepted ? 1 : 0;
        lastOf_[run.first] = run.last;
        firstOf_[run.last] = run.first;
        judge(run, 1);
        emitAll(detectables_[i].score);
    }

    bool adjacent(std::size_t i) const { return detectables_[i].place + 1 == detectables_[i + 1].place; }
    double onset(const Span& run) const { return detectables_[run.first].onset; }
    double offset(const Span& run) const { return detectables_[run.last].offset; }

    bool accepts(const Span& run) const {
        return reachesShare(own_.covered(onset(run), offset(run)), settings_.detectionTolerance,
                            offset(run) - onset(run));
    }

    // Counts a run (by: 1), or takes it back (-1).
    void judge(const Span& run, std::int32_t by) {
        if (accepted_[run.first] != 0) return;
        falsePositives_ += by;
        for (const std::size_t t : others_)
            if (reachesShare(truths_[t].spans.covered(onset(run), offset(run)),
                             settings_.crossTriggerTolerance, offset(run) - onset(run)))
                crossTriggers_[t] += by;
    }

    bool found(std::size_t sound) const {
        return reachesShare(covered_[sound], settings_.groundTruthTolerance, own_.length(sound));
    }

    // Lets these detections cover sounds, or no longer.
    void cover(const Span& run, bool covers) {
        for (std::size_t s = own_.firstAfter(onset(run)); s < own_.count(); ++s) {
            const double seconds = own_.covered(s, onset(run), offset(run));
            if (seconds <= 0.0) return;
            const bool before = found(s);
            covered_[s] += covers ? seconds : -seconds;
            hits_ += static_cast<std::int32_t>(found(s)) - static_cast<std::int32_t>(before);
        }
    }

    void emitAll(float score) {
        emit(score, PsdsChange::hits, hits_);
        emit(score, PsdsChange::falsePositives, falsePositives_);
        for (const std::size_t t : others_) {
            emit(score, static_cast<std::int32_t>(truths_[t].label), crossTriggers_[t]);
            crossTriggers_[t] = 0;
        }
    }

    void emit(float score, std::int32_t what, std::int32_t by) {
        if (by != 0) changes_.push_back({score, recording_, what, by});
    }

    std::vector<PsdsChange>& changes_;
    std::span<const Detectable> detectables_;
    std::span<const ClassSounds> truths_;
    const SoundSpans& own_;
    std::uint32_t recording_;
    const PsdsSettings& settings_;
    std::vector<std::size_t> others_;           // of truths_: the other classes
    std::vector<std::size_t> lastOf_, firstOf_; // of a run, at its first and last detectable
    std::vector<char> detected_, accepted_;     // accepted_: at the first of a run
    std::vector<double> covered_;               // seconds, by sound
    std::int32_t hits_ = 0, falsePositives_ = 0;
    std::vector<std::int32_t> crossTriggers_; // as truths_
};

} // namespace

void appendPsdsChanges(std::vector<PsdsChange>& changes, std::span<const Detectable> detectables,
                       std::span<const ClassSounds> truths, std::size_t own, std::uint32_t recording,
                       const PsdsSettings& settings) {
    PsdsSweep(changes, detectables, truths, own, recording, settings).run();
}

} // namespace earshot::evaluation
