#include "Support/FakeSource.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>

namespace earshot::test {

namespace {

constexpr double secondsPerFrame = 0.01;
constexpr int bands = 64;

std::shared_ptr<const detection::Labels> makeLabels(const std::vector<std::string>& names,
                                                    std::map<std::string, std::string> metadata = {}) {
    metadata["earshot.labels"] = nlohmann::json(names).dump();
    return std::make_shared<detection::Labels>(
        detection::Labels::read(metadata, "fake.safetensors", static_cast<int>(names.size())));
}

} // namespace

FakeSource::FakeSource(std::vector<std::string> labels, double secondsPerColumn)
    : classes_(makeLabels(labels))
    , labels_(classes_)
    , secondsPerColumn_(secondsPerColumn) {
    statusNow.state = streaming::State::running;
    statusNow.model = "earshot-default";
    statusNow.classes = static_cast<int>(labels.size());
    statusNow.load = 0.04;
    statusNow.delayMedian = 0.4;
    statusNow.delayP95 = 0.5;
    statusNow.hop = statusNow.hopWanted = secondsPerColumn_;
    spectrogram_.reset(bands, secondsPerFrame, 50.0, 14000.0);
}

void FakeSource::addColumn(const std::vector<float>& probabilities, int unsettled) {
    columns_.push_back(probabilities);
    settled_ = std::max(settled_, static_cast<std::int64_t>(columns_.size()) - unsettled);
    statusNow.heard = static_cast<double>(columns_.size()) * secondsPerColumn_;
}

void FakeSource::addScene(double seconds, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    const auto classes = static_cast<std::size_t>(labels_->count());
    struct Sound {
        std::size_t classIndex;
        double onset, offset;
        float level;
    };
    std::vector<Sound> sounds;
    for (double at = 0.5; at < seconds; at += 1.5 + 4.0 * uniform(random))
        sounds.push_back({static_cast<std::size_t>(uniform(random) * 0.999f * static_cast<float>(classes)),
                          at, at + 0.6 + 5.0 * uniform(random), 0.3f + 0.65f * uniform(random)});

    // A note with vibrato and overtones, repeated; each one fades out.
    const auto sing = [](std::vector<float>& frame, const Sound& sound, double moment, double start) {
        const auto kind = static_cast<double>(sound.classIndex);
        const double repeats = 0.25 + 0.11 * std::fmod(kind, 7.0); // seconds
        const double age = std::fmod(moment - sound.onset, repeats) / repeats;
        const double sway = std::sin(2.0 * std::numbers::pi * (start + moment) * (0.7 + 0.1 * kind));
        for (int harmonic = 1; harmonic <= 9; ++harmonic) {
            const double centre = 4.0 + std::fmod(kind * 3.0, 9.0) + harmonic * 5.5 + sway;
            for (int band = 0; band < bands; ++band) {
                const double apart = band - centre;
                const auto level = static_cast<float>(26.0 * static_cast<double>(sound.level) -
                                                      4.5 * harmonic - 22.0 * age - 9.0 * apart * apart);
                float& value = frame[static_cast<std::size_t>(band)];
                value = std::max(value, level);
            }
        }
    };

    const auto first = static_cast<double>(columns_.size()) * secondsPerColumn_;
    const int columns = static_cast<int>(seconds / secondsPerColumn_);
    std::vector<float> probabilities(classes);
    std::vector<float> frame(bands);
    const auto frames = static_cast<int>(std::lround(secondsPerColumn_ / secondsPerFrame));
    for (int column = 0; column < columns; ++column) {
        const double time = (column + 0.5) * secondsPerColumn_;
        for (float& value : probabilities) value = 0.05f * uniform(random);
        for (const Sound& sound : sounds)
            if (time >= sound.onset && time < sound.offset)
                probabilities[sound.classIndex] =
                    std::min(1.0f, sound.level + 0.1f * (uniform(random) - 0.5f));
        addColumn(probabilities);
        for (int i = 0; i < frames; ++i) {
            const double moment = column * secondsPerColumn_ + i * secondsPerFrame;
            for (int band = 0; band < bands; ++band)
                frame[static_cast<std::size_t>(band)] =
                    -44.0f - 0.12f * static_cast<float>(band) + 9.0f * uniform(random);
            for (const Sound& sound : sounds)
                if (moment >= sound.onset && moment < sound.offset) sing(frame, sound, moment, first);
            spectrogram_.append(frame);
        }
    }
}

void FakeSource::setBoxes(const detection::SebbScorer& sebbs) {
    classes_ = makeLabels(classes_->names(), {{"earshot.boxes", sebbs.metadata()}});
    labels_ = classes_;
}

void FakeSource::finish() {
    settled_ = static_cast<std::int64_t>(columns_.size());
    duration_ = static_cast<double>(columns_.size()) * secondsPerColumn_;
    statusNow.state = streaming::State::finished;
}

bool FakeSource::isNamed(const std::string& name) const {
    return std::ranges::find(classes_->names(), name) != classes_->names().end();
}

void FakeSource::setWords(const std::vector<ui::Word>& words) {
    std::vector<std::string> names;
    std::vector<int> ids;
    for (const auto& word : words) {
        names.push_back(word.name);
        ids.push_back(word.id);
    }
    const auto classes = static_cast<std::size_t>(classes_->count());
    for (auto& column : columns_) {
        std::vector<float> values(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(classes));
        for (const int id : ids) {
            const auto known = std::ranges::find(wordIds_, id);
            values.push_back(known == wordIds_.end()
                                 ? 0.0f
                                 : column[classes + static_cast<std::size_t>(known - wordIds_.begin())]);
        }
        column = std::move(values);
    }
    if (ids != wordIds_) ++generation_; // else only names changed
    wordIds_ = ids;
    labels_ =
        std::make_shared<detection::Labels>(detection::Labels::withWords(*classes_, names, std::move(ids)));
    statusNow.classes = labels_->count();
}

void FakeSource::copyOf(const FakeSource& other) {
    classes_ = other.classes_;
    wordIds_ = other.wordIds_;
    generation_ = other.generation_;
    stream_ = other.stream_;
    labels_ = other.labels_;
    columns_ = other.columns_;
    settled_ = other.settled_;
    duration_ = other.duration_;
    statusNow = other.statusNow;
    times = other.times;
    secondsPerColumn_ = other.secondsPerColumn_;
    other.spectrogram_.copySince(spectrogram_);
}

bool FakeSource::copySince(streaming::History& copy) const {
    const auto known = copy.timeline ? copy.timeline->columns() : 0;
    const auto ended = copy.timeline ? copy.timeline->duration() : std::nullopt;
    if (copy.generation == generation_ && copy.labels == labels_ && ended == duration_ &&
        known == static_cast<std::int64_t>(columns_.size()))
        return false;
    copy.labels = labels_;
    copy.generation = generation_;
    copy.stream = stream_;
    copy.times = times;
    copy.timeline.reset();
    if (labels_->count() == 0) return true; // as a session that waits for its first word
    copy.timeline = std::make_unique<detection::Timeline>(labels_->count(), secondsPerColumn_);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        copy.timeline->add(static_cast<std::int64_t>(i), columns_[i]);
    copy.timeline->settle(settled_);
    if (duration_) copy.timeline->finish(*duration_);
    spectrogram_.copySince(copy.spectrogram);
    return true;
}

} // namespace earshot::test
