#include "Core/Training/Data/RecordingSource.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Training/Data/Augment.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Data/Dice.h"
#include "Core/Training/Data/Example.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::uint64_t recordingPurpose = 0x5245434f5244; // for seedFor
constexpr float aroundSound = 0.8f;                        // share of windows that are placed around a sound
constexpr float storedLevel = -20.0f; // dB full scale, of the loud parts of a stored clip
constexpr float hardestPeak = 0.99f;

} // namespace

class RecordingSource::Maker : public ExampleMaker {
  public:
    explicit Maker(const RecordingSource& source)
        : source_(source)
        , logMel_(source.shape_.frontend) {}

    void make(std::uint64_t index, Example& example) override {
        const ExampleShape& shape = source_.shape_;
        Dice dice(seedFor(source_.seed_, recordingPurpose, index));
        const std::size_t drawn = dice.below(source_.drawn_.size());
        const auto& candidates = source_.byClass_[drawn];
        const StoredClip& stored = *candidates[dice.below(candidates.size())];
        const bool changed = source_.augmented_ && dice.chance(source_.settings_.speedShare);
        speed_ = changed ? static_cast<double>(
                               dice.betweenOctaves(source_.settings_.slowest, source_.settings_.fastest))
                         : 1.0;
        chooseWindow(dice, stored, source_.drawn_[drawn]);
        render(stored);
        if (source_.augmented_) augment(dice);
        extractWindow(shape, logMel_, samples_, example.logMel);
        setTargets(*stored.clip, example);
        example.known.clear();
        example.taught.clear();
        example.stripes.clear();
        if (source_.augmented_)
            drawStripes(dice, source_.settings_, shape.windowFrames, shape.frontend.melBands,
                        example.stripes);
    }

  private:
    // Sets first_, the sample of the clip at which the window begins. Outside the clip is silence.
    void chooseWindow(Dice& dice, const StoredClip& stored, int label) {
        const auto length = static_cast<std::int64_t>(stored.samples.size());
        const auto window =
            static_cast<std::int64_t>(static_cast<double>(source_.shape_.windowSamples()) * speed_);
        const auto lowest = std::min<std::int64_t>(0, length - window);
        const auto highest = std::max<std::int64_t>(0, length - window);
        const auto somewhere = [&](std::int64_t from, std::int64_t to) {
            return from + static_cast<std::int64_t>(static_cast<double>(dice.unit()) *
                                                    static_cast<double>(to - from));
        };
        first_ = length <= window ? (dice.chance(0.5f) ? 0 : somewhere(lowest, 0)) : somewhere(0, highest);
        if (!stored.clip->strong || length <= window || !dice.chance(aroundSound)) return;
        const auto ofClass = [label](const LabelledSpan& span) { return span.label == label; };
        const auto& spans = stored.clip->spans;
        auto wanted = static_cast<std::ptrdiff_t>(
            dice.below(static_cast<std::size_t>(std::ranges::count_if(spans, ofClass))));
        const auto span = std::ranges::find_if(
            spans, [&](const LabelledSpan& each) { return ofClass(each) && wanted-- == 0; });
        const auto rate = source_.shape_.frontend.sampleRate;
        const auto place = somewhere(std::llround(span->onset * rate), std::llround(span->offset * rate));
        first_ = std::clamp<std::int64_t>(place - somewhere(0, window), 0, highest);
    }

    void render(const StoredClip& stored) {
        const auto window = static_cast<std::size_t>(source_.shape_.windowSamples());
        const auto length = static_cast<std::int64_t>(stored.samples.size());
        const auto covered = static_cast<std::int64_t>(static_cast<double>(window) * speed_);
        samples_.assign(first_ < 0 ? static_cast<std::size_t>(static_cast<double>(-first_) / speed_) : 0,
                        0.0f);
        appendAtSpeed(stored.samples, std::max<std::int64_t>(first_, 0), std::min(first_ + covered, length),
                      speed_, samples_);
        samples_.resize(window, 0.0f);
    }

    void augment(Dice& dice) {
        const SceneSettings& settings = source_.settings_;
        const double rate = source_.shape_.frontend.sampleRate;
        if (dice.chance(settings.tiltShare))
            tilt(samples_, static_cast<double>(dice.betweenOctaves(300.0f, 4000.0f)),
                 static_cast<double>(dice.between(-settings.tiltRange, settings.tiltRange)), rate);
        if (dice.chance(settings.lowPassShare))
            lowPass(samples_, static_cast<double>(dice.betweenOctaves(settings.minCut, settings.maxCut)),
                    dice.from(1, 5), rate);
        const float level = dice.between(settings.quietestEvent, settings.loudestEvent) - storedLevel;
        const float gain =
            (dice.chance(0.5f) ? 1.0f : -1.0f) *
            std::min(std::pow(10.0f, 0.05f * level), hardestPeak / std::max(peakOf(samples_), 1e-6f));
        for (float& sample : samples_) sample *= gain;
    }

    void setTargets(const Clip& clip, Example& example) {
        const ExampleShape& shape = source_.shape_;
        example.weak = !clip.strong;
        if (example.weak) {
            example.targets.assign(static_cast<std::size_t>(source_.classes_), 0.0f);
            for (const int label : clip.labels) example.targets[static_cast<std::size_t>(label)] = 1.0f;
            return;
        }
        const int rate = shape.frontend.sampleRate;
        const auto inWindow = [&](double seconds) {
            return std::llround((seconds * rate - static_cast<double>(first_)) / speed_);
        };
        soundings_.clear();
        for (const auto& span : clip.spans)
            soundings_.push_back(
                {.span = {inWindow(span.onset), inWindow(span.offset)}, .label = span.label});
        setTokenTargets(soundings_, {shape.tokens(), shape.tokenSamples(), rate}, source_.classes_,
                        example.targets);
    }

    const RecordingSource& source_;
    frontend::LogMel logMel_;
    double speed_ = 1.0;
    std::int64_t first_ = 0;
    std::vector<float> samples_;
    std::vector<Sounding> soundings_;
};

RecordingSource::RecordingSource(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                                 const SceneSettings& settings, Split split, std::uint64_t seed)
    : shape_(shape)
    , settings_(settings)
    , augmented_(split != Split::valid)
    , seed_(seed)
    , classes_(static_cast<int>(data.labels.size())) {
    assert(store.sampleRate() == shape.frontend.sampleRate);
    std::vector<std::vector<const StoredClip*>> all(data.labels.size());
    for (const auto& stored : store.clips())
        if (stored.clip->split == split && isRecording(stored))
            for (const int label : stored.clip->labels)
                all[static_cast<std::size_t>(label)].push_back(&stored);
    for (int label = 0; label < classes_; ++label) {
        if (all[static_cast<std::size_t>(label)].empty()) continue;
        drawn_.push_back(label);
        byClass_.push_back(std::move(all[static_cast<std::size_t>(label)]));
    }
    if (drawn_.empty())
        throw Error(
            "there are no recordings of several classes, or labelled in time, to learn from as they are");
}

std::unique_ptr<ExampleMaker> RecordingSource::newMaker() const { return std::make_unique<Maker>(*this); }

namespace {

constexpr std::uint64_t choicePurpose = 0x43484f494345; // for seedFor

}

class CombinedSource::Maker : public ExampleMaker {
  public:
    explicit Maker(const CombinedSource& combined)
        : combined_(combined) {
        for (const auto& part : combined.parts_) makers_.push_back(part.source->newMaker());
    }

    void make(std::uint64_t index, Example& example) override {
        double left = combined_.total_ *
                      static_cast<double>(Dice(seedFor(combined_.seed_, choicePurpose, index)).unit());
        std::size_t chosen = 0;
        while (chosen + 1 < makers_.size() && left >= combined_.parts_[chosen].weight)
            left -= combined_.parts_[chosen++].weight;
        makers_[chosen]->make(index, example);
    }

  private:
    const CombinedSource& combined_;
    std::vector<std::unique_ptr<ExampleMaker>> makers_;
};

CombinedSource::CombinedSource(std::vector<Part> parts, std::uint64_t seed)
    : parts_(std::move(parts))
    , seed_(seed) {
    assert(!parts_.empty());
    for (const auto& part : parts_) {
        assert(part.source && part.weight > 0.0);
        total_ += part.weight;
    }
}

std::unique_ptr<ExampleMaker> CombinedSource::newMaker() const { return std::make_unique<Maker>(*this); }

} // namespace earshot::training
