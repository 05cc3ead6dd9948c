#include "Core/Detection/Events/Sebbs.h"

#include "Core/Base/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace earshot::detection {

namespace {

constexpr float surest = 1e-4f;   // probabilities are clamped to this distance from 0 and 1
constexpr double maxGap = 2.0;    // seconds; limits the feature
constexpr float toldFrom = 0.25f; // near misses: share of the least confidence
constexpr double besideSeconds = 0.32;

float logit(float p) {
    const float bounded = std::clamp(p, surest, 1.0f - surest);
    return std::log(bounded / (1.0f - bounded));
}

bool near(std::int64_t last, std::int64_t next, double secondsPerColumn, double gap) {
    return static_cast<double>(next - last - 1) * secondsPerColumn < gap - secondsTolerance;
}

std::vector<Run> runsAt(const SebbSpan& span, float level, double secondsPerColumn, double mergeGap) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < span.values.size(); ++i) {
        if (span.values[i] < level) continue;
        const auto column = span.first + static_cast<std::int64_t>(i);
        if (!runs.empty() &&
            (runs.back().last + 1 == column || near(runs.back().last, column, secondsPerColumn, mergeGap)))
            runs.back().last = column;
        else
            runs.push_back({column, column});
    }
    return runs;
}

SebbCandidate candidateAt(const SebbSpan& span, const Run& columns, float level, double secondsPerColumn,
                          double mergeGap) {
    const auto begin = static_cast<std::size_t>(columns.first - span.first);
    const auto end = static_cast<std::size_t>(columns.last - span.first) + 1;
    const auto within = span.values.subspan(begin, end - begin);
    const auto meanOf = [](std::span<const float> values) {
        double sum = 0.0;
        for (const float value : values) sum += value;
        return static_cast<float>(sum / static_cast<double>(values.size()));
    };
    const std::size_t beside = columnsBeside(secondsPerColumn), edge = std::min(beside, within.size());
    // The column at an index of the span's values, which may lie beyond them; null: the recording has none.
    const auto columnAt = [&span](std::ptrdiff_t at) -> const float* {
        const auto known = std::ssize(span.values), before = std::ssize(span.before);
        if (at < 0) return -at <= before ? &span.before[static_cast<std::size_t>(before + at)] : nullptr;
        if (at < known) return &span.values[static_cast<std::size_t>(at)];
        return at - known < std::ssize(span.after) ? &span.after[static_cast<std::size_t>(at - known)]
                                                   : nullptr;
    };
    // Of the mean from a column on, outwards; 0 if the recording has none there.
    const auto logitBeside = [&](std::ptrdiff_t at, std::ptrdiff_t step) {
        double sum = 0.0;
        int count = 0;
        for (; count < static_cast<int>(beside); ++count, at += step) {
            const float* const value = columnAt(at);
            if (value == nullptr) break;
            sum += static_cast<double>(*value);
        }
        return count == 0 ? 0.0f : logit(static_cast<float>(sum / count));
    };
    const float peak = std::ranges::max(within), least = std::ranges::min(within);
    const float mean = meanOf(within);
    const double seconds = static_cast<double>(within.size()) * secondsPerColumn;
    return {.columns = columns,
            .peak = peak,
            .mean = mean,
            .features = {logit(peak), logit(mean), logit(least), static_cast<float>(std::log(seconds)),
                         logit(level), logit(meanOf(within.first(edge))), logit(meanOf(within.last(edge))),
                         logitBeside(static_cast<std::ptrdiff_t>(begin) - 1, -1),
                         logitBeside(static_cast<std::ptrdiff_t>(end), 1),
                         static_cast<float>(std::min(mergeGap, maxGap))}};
}

struct ScoredSebb {
    const SebbCandidate* box;
    float confidence;
};

// The chosen stretches. They are at least the merge gap apart, because closer ones would have been joined.
class Apart {
  public:
    Apart(double secondsPerColumn, double mergeGap)
        : secondsPerColumn_(secondsPerColumn)
        , mergeGap_(mergeGap) {}

    bool allows(const Run& run) const {
        const auto next = lasts_.upper_bound(run.first);
        if (next != lasts_.end() && !follows(next->first, run.last)) return false;
        return next == lasts_.begin() || follows(run.first, std::prev(next)->second);
    }
    void take(const Run& run) { lasts_.emplace(run.first, run.last); }

  private:
    bool follows(std::int64_t first, std::int64_t last) const {
        return first > last && !near(last, first, secondsPerColumn_, mergeGap_);
    }

    double secondsPerColumn_, mergeGap_;
    std::map<std::int64_t, std::int64_t> lasts_; // last columns by first columns
};

bool holds(const std::vector<Run>& ascending, const Run& run) {
    const auto found = std::ranges::lower_bound(ascending, run.first, {}, &Run::first);
    return found != ascending.end() && *found == run;
}

constexpr const char* key = "earshot.boxes";
constexpr std::size_t maxHidden = 256;
constexpr float minScale = 1e-6f;

bool finite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

bool sound(const SebbNetwork& network) {
    const std::size_t hidden = network.hiddenWeights.size();
    return hidden >= 1 && hidden <= maxHidden && network.hiddenBiases.size() == hidden &&
           network.outputWeights.size() == hidden && finite(network.mean) && finite(network.scale) &&
           std::ranges::all_of(network.scale, [](float scale) { return scale >= minScale; }) &&
           std::ranges::all_of(network.hiddenWeights, [](const auto& row) { return finite(row); }) &&
           finite(network.hiddenBiases) && finite(network.outputWeights) &&
           std::isfinite(network.outputBias) && finite(network.classBiases);
}

} // namespace

std::size_t columnsBeside(double secondsPerColumn) {
    return static_cast<std::size_t>(std::max(1L, std::lround(besideSeconds / secondsPerColumn)));
}

std::vector<SebbCandidate> boxCandidates(const SebbSpan& span, double secondsPerColumn, double mergeGap) {
    std::vector<SebbCandidate> candidates;
    std::vector<Run> lower;
    for (const float level : sebbLevels) {
        auto runs = runsAt(span, level, secondsPerColumn, mergeGap);
        if (runs.empty()) break;
        for (const Run& run : runs)
            if (!holds(lower, run))
                candidates.push_back(candidateAt(span, run, level, secondsPerColumn, mergeGap));
        lower = std::move(runs);
    }
    return candidates;
}

ClassSebbStream::ClassSebbStream(int classIndex, double secondsPerColumn, const EventRule& rule,
                                 std::shared_ptr<const SebbScorer> scorer, bool nearMisses,
                                 std::int64_t first)
    : classIndex_(classIndex)
    , secondsPerColumn_(secondsPerColumn)
    , rule_(rule)
    , scorer_(std::move(scorer))
    , nearMisses_(nearMisses)
    , columns_(first)
    , beside_(columnsBeside(secondsPerColumn)) {}

void ClassSebbStream::step(float value, EventList& found) {
    const std::int64_t column = columns_++;
    const bool sounds = value >= sebbLevels.front();
    if (values_.empty() && !sounds) {
        if (before_.size() == beside_) before_.erase(before_.begin());
        before_.push_back(value);
        return;
    }
    if (values_.empty()) first_ = column;
    values_.push_back(value);
    if (sounds) sounding_ = values_.size();
    const std::size_t quiet = values_.size() - sounding_;
    if (quiet >= beside_ && !near(first_ + static_cast<std::int64_t>(sounding_) - 1, column + 1,
                                  secondsPerColumn_, rule_.mergeGap))
        choose(found);
}

void ClassSebbStream::finish(double duration, EventList& found) {
    duration_ = duration;
    if (!values_.empty()) choose(found);
}

// The columns since the last that sounds come after the boxes, and before those that follow.
void ClassSebbStream::choose(EventList& found) {
    const std::span<const float> values = values_;
    const auto quiet = values.subspan(sounding_);
    const SebbSpan span{.values = values.first(sounding_),
                        .first = first_,
                        .before = before_,
                        .after = quiet.first(std::min(beside_, quiet.size()))};
    const auto candidates = boxCandidates(span, secondsPerColumn_, rule_.mergeGap);
    std::vector<ScoredSebb> sebbs;
    sebbs.reserve(candidates.size());
    for (const SebbCandidate& candidate : candidates)
        sebbs.push_back({&candidate, scorer_->confidence(candidate.features, classIndex_)});
    std::ranges::stable_sort(sebbs, std::ranges::greater{}, &ScoredSebb::confidence);

    const auto eventOf = [&](const ScoredSebb& scored) {
        const auto seconds = [&](std::int64_t column) {
            const double time = static_cast<double>(column) * secondsPerColumn_;
            return duration_ ? std::min(time, *duration_) : time;
        };
        const SebbCandidate& box = *scored.box;
        return Event{.classIndex = classIndex_,
                     .onset = seconds(box.columns.first),
                     .offset = seconds(box.columns.last + 1),
                     .peak = box.peak,
                     .mean = box.mean,
                     .confidence = scored.confidence};
    };
    Apart taken(secondsPerColumn_, rule_.mergeGap);
    for (const ScoredSebb& scored : sebbs) {
        const Run& columns = scored.box->columns;
        const bool sure = scored.confidence >= rule_.on;
        if (!sure && (!nearMisses_ || scored.confidence < toldFrom * rule_.on)) break;
        if (!taken.allows(columns)) continue;
        taken.take(columns);
        const Event event = eventOf(scored);
        const double length = event.offset - event.onset;
        if (!sure)
            found.nearMisses.push_back({event, Rejection::unsure, static_cast<double>(scored.confidence),
                                        static_cast<double>(rule_.on)});
        else if (length >= rule_.minDuration - secondsTolerance)
            found.events.push_back(event);
        else if (nearMisses_)
            found.nearMisses.push_back({event, Rejection::tooShort, length, rule_.minDuration});
    }
    const auto last = quiet.last(std::min(beside_, quiet.size()));
    before_.assign(last.begin(), last.end());
    values_.clear();
    sounding_ = 0;
}

SebbScorer::SebbScorer(SebbNetwork network, float minConfidence)
    : network_(std::move(network))
    , minConfidence_(minConfidence) {
    if (!sound(network_)) throw Error("its layers do not fit together, or hold values that are no numbers");
    if (!(minConfidence_ >= 0.0f && minConfidence_ <= 1.0f))
        throw Error(fmt::format("the least confidence is {}, which is not from 0 to 1", minConfidence_));
}

std::shared_ptr<const SebbScorer> SebbScorer::read(const std::map<std::string, std::string>& metadata,
                                                   const std::filesystem::path& modelFile, int classes) {
    const auto text = metadata.find(key);
    if (text == metadata.end()) return nullptr;
    const std::string where = modelFile.filename().string() + ": " + key + ": ";
    try {
        const auto object = nlohmann::json::parse(text->second);
        SebbNetwork network;
        object.at("mean").get_to(network.mean);
        object.at("scale").get_to(network.scale);
        object.at("hidden_weights").get_to(network.hiddenWeights);
        object.at("hidden_biases").get_to(network.hiddenBiases);
        object.at("output_weights").get_to(network.outputWeights);
        object.at("output_bias").get_to(network.outputBias);
        object.at("class_biases").get_to(network.classBiases);
        if (network.classBiases.size() != static_cast<std::size_t>(classes))
            throw Error(fmt::format("expected {} classes, found {}", classes, network.classBiases.size()));
        return std::make_shared<const SebbScorer>(std::move(network),
                                                  object.at("least_confidence").get<float>());
    } catch (const nlohmann::json::exception&) {
        throw Error(where + "is not what Earshot writes; train the model again, or remove this entry");
    } catch (const Error& error) {
        throw Error(where + error.what());
    }
}

std::string SebbScorer::metadata() const {
    nlohmann::ordered_json object;
    object["mean"] = network_.mean;
    object["scale"] = network_.scale;
    object["hidden_weights"] = network_.hiddenWeights;
    object["hidden_biases"] = network_.hiddenBiases;
    object["output_weights"] = network_.outputWeights;
    object["output_bias"] = network_.outputBias;
    object["class_biases"] = network_.classBiases;
    object["least_confidence"] = minConfidence_;
    return object.dump();
}

float SebbScorer::confidence(const SebbFeatures& features, int classIndex) const {
    SebbFeatures input;
    for (std::size_t i = 0; i < boxFeatureCount; ++i)
        input[i] = (features[i] - network_.mean[i]) / network_.scale[i];
    float logit = network_.outputBias + network_.classBiases[static_cast<std::size_t>(classIndex)];
    for (std::size_t h = 0; h < network_.hiddenWeights.size(); ++h) {
        float sum = network_.hiddenBiases[h];
        for (std::size_t i = 0; i < boxFeatureCount; ++i) sum += network_.hiddenWeights[h][i] * input[i];
        logit += network_.outputWeights[h] * std::tanh(sum);
    }
    return 1.0f / (1.0f + std::exp(-logit));
}

} // namespace earshot::detection
