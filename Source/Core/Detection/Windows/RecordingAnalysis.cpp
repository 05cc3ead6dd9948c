#include "Core/Detection/Windows/RecordingAnalysis.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Windows/Analyzer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

namespace earshot::detection {

EventCollector::EventCollector(int classes, double secondsPerColumn, const RecordingQuestion& question)
    : question_(question)
    , secondsPerColumn_(secondsPerColumn)
    , events_(classes, secondsPerColumn, question.settings, question.reported, question.nearMisses)
    , peaks_(static_cast<std::size_t>(classes)) {
    for (int i = 0; i < classes; ++i)
        if (question.reported.empty() || question.reported[static_cast<std::size_t>(i)]) asked_.push_back(i);
    for (ColumnObserver* observer : question.observers) observer->begin(classes, secondsPerColumn);
}

void EventCollector::add(std::span<const float> probabilities) {
    const std::int64_t column = columns();
    events_.add(probabilities);
    for (const int i : asked_) {
        const float p = probabilities[static_cast<std::size_t>(i)];
        float& peak = peaks_[static_cast<std::size_t>(i)];
        peak = std::max(peak, p);
        if (nearest_ && p <= nearest_->peak) continue;
        const EventRule& rule = question_.settings.ruleFor(i);
        nearest_ = formats::NearestSound{
            .classIndex = i,
            .peak = p,
            .time = static_cast<double>(column) * secondsPerColumn_,
            .threshold = question_.settings.sebbs ? 0.0f : rule.on,
            .columnSuffices = rule.median == 1 && rule.minDuration <= secondsPerColumn_ + secondsTolerance};
    }
    for (ColumnObserver* observer : question_.observers) observer->column(column, probabilities);
}

void EventCollector::tellSettled(int channel) {
    if (!question_.settled) return;
    std::vector<Event> settled = events_.takeSettled();
    for (Event& event : settled) event.channel = channel;
    if (!settled.empty()) question_.settled(settled);
}

RecordingResult EventCollector::finish(const FileSummary& summary, double duration) {
    for (ColumnObserver* observer : question_.observers) {
        observer->heard(summary);
        observer->end(duration);
    }
    auto top = topClasses();
    return {summary, events_.finish(duration), nearest_, std::move(top)};
}

namespace {

// Keeps the highest scores, highest first.
void keepMax(std::vector<formats::SoundScore>& scores) {
    std::ranges::stable_sort(scores, std::ranges::greater(), &formats::SoundScore::score);
    scores.resize(std::min<std::size_t>(scores.size(), formats::maxTopSounds));
}

} // namespace

std::vector<formats::SoundScore> EventCollector::topClasses() const {
    if (columns() == 0) return {};
    std::vector<formats::SoundScore> scores;
    scores.reserve(asked_.size());
    for (const int i : asked_)
        scores.push_back({.classIndex = i, .score = peaks_[static_cast<std::size_t>(i)]});
    keepMax(scores);
    return scores;
}

namespace {

void push(const BlockReader& reader, Analyzer& analyzer) {
    if (!reader.tooShort()) analyzer.push(reader.block());
}

FileSummary summaryOf(const BlockReader& reader) {
    FileSummary summary = reader.summary();
    if (reader.tooShort())
        summary.warnings.push_back(
            fmt::format("is {:.2g} s long; nothing is reported of recordings under {} s", summary.seconds,
                        BlockReader::minSeconds));
    return summary;
}

// A class has the highest of its scores in all channels.
void addTop(std::vector<formats::SoundScore>& all, const std::vector<formats::SoundScore>& others) {
    for (const formats::SoundScore& other : others) {
        const auto same = std::ranges::find(all, other.classIndex, &formats::SoundScore::classIndex);
        if (same == all.end())
            all.push_back(other);
        else
            same->score = std::max(same->score, other.score);
    }
    keepMax(all);
}

} // namespace

void addChannel(RecordingResult& all, RecordingResult one) {
    const auto onset = [](const Event& event) { return event.onset; };
    std::ranges::move(one.found.events, std::back_inserter(all.found.events));
    std::ranges::stable_sort(all.found.events, {}, onset);
    std::ranges::move(one.found.nearMisses, std::back_inserter(all.found.nearMisses));
    std::ranges::stable_sort(all.found.nearMisses, {},
                             [&](const NearMiss& miss) { return onset(miss.event); });
    if (!all.nearest || (one.nearest && one.nearest->peak > all.nearest->peak)) all.nearest = one.nearest;
    addTop(all.top, one.top);
    FileSummary& summary = all.summary;
    summary.seconds = std::max(summary.seconds, one.summary.seconds);
    summary.passedOver += one.summary.passedOver;
    if (!summary.level || (one.summary.level && *one.summary.level > *summary.level))
        summary.level = one.summary.level;
    summary.stopped = summary.stopped || one.summary.stopped;
    for (std::string& warning : one.summary.warnings)
        if (std::ranges::count(summary.warnings, warning) == 0)
            summary.warnings.push_back(std::move(warning));
    if (!summary.failure) summary.failure = std::move(one.summary.failure);
}

RecordingPass::RecordingPass(Analyzer& analyzer, const RecordingQuestion& question, int channel)
    : analyzer_(analyzer)
    , question_(question)
    , judge_(analyzer.timeline().classes(), analyzer.timeline().secondsPerColumn(), question)
    , channel_(channel) {
    analyzer_.reset();
}

void RecordingPass::push(std::span<const float> samples) {
    analyzer_.push(samples);
    takeSettled();
}

void RecordingPass::takeSettled() {
    const Timeline& timeline = analyzer_.timeline();
    const auto frames = analyzer_.takeFrames();
    for (ColumnObserver* observer : question_.observers) observer->frames(frames);
    while (judge_.columns() < timeline.settled()) judge_.add(timeline.column(judge_.columns()));
    if (question_.watch) question_.watch(timeline);
    analyzer_.forget(judge_.columns());
    judge_.tellSettled(channel_);
}

RecordingResult RecordingPass::finish(const FileSummary& summary) {
    analyzer_.finish();
    takeSettled();
    const Timeline& timeline = analyzer_.timeline();
    FileSummary whole = summary;
    whole.passedOver = static_cast<double>(analyzer_.passedOver()) * timeline.secondsPerColumn();
    auto result = judge_.finish(whole, *timeline.duration());
    for (Event& event : result.found.events) event.channel = channel_;
    for (NearMiss& miss : result.found.nearMisses) miss.event.channel = channel_;
    if (question_.settled && !result.found.events.empty()) {
        question_.settled(result.found.events);
        result.found.events.clear();
    }
    return result;
}

RecordingResult analyzeRecording(BlockReader& reader, Analyzer& analyzer, const RecordingQuestion& question,
                                 const FileProgress& progress) {
    RecordingPass pass(analyzer, question, reader.channel());
    while (reader.next()) {
        pass.push(reader.tooShort() ? std::span<const float>() : reader.block());
        if (progress && !progress(reader.summary().seconds, reader.length())) reader.stop();
    }
    return pass.finish(summaryOf(reader));
}

RecordingResult analyzeRecording(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                                 const RecordingQuestion& question, const FileProgress& progress) {
    const auto once = [&](const FileProgress& shown) {
        BlockReader reader(file, modelRate);
        return analyzeRecording(reader, analyzer, question, shown);
    };
    if (file.options().channel != audio::ReadOptions::eachChannel) return once(progress);
    assert(question.observers.empty());
    RecordingResult all;
    for (int channel = 0; channel < file.channels() && !all.summary.stopped; ++channel) {
        file.chooseChannel(channel + 1);
        addChannel(all, once([&](double done, std::optional<double> total) {
                       if (!progress) return true;
                       const double before = channel * total.value_or(0.0);
                       return progress(total ? (before + done) / file.channels() : done, total);
                   }));
    }
    all.summary.passedOver /= std::max(1, file.channels());
    file.chooseChannel(audio::ReadOptions::eachChannel);
    return all;
}

BlockReader::BlockReader(audio::AudioFile& file, double modelRate, Following following)
    : file_(&file)
    , following_(std::move(following))
    , meter_(file.sampleRate())
    , resampler_(file.sampleRate(), modelRate)
    , second_(static_cast<std::size_t>(file.sampleRate())) {
    summary_.gain = file.options().gain;
    if (file.options().autoGain) measured_.emplace(file.sampleRate());
}

std::optional<double> BlockReader::length() const {
    if (file_->frames() <= 0) return std::nullopt;
    return static_cast<double>(file_->frames()) / file_->sampleRate();
}

// Keeps a read error for the summary.
std::size_t BlockReader::read() {
    try {
        return file_->read(second_);
    } catch (const Error& error) {
        summary_.failure = error.what();
        return 0;
    }
}

// Reads one more second to learn how loud the file is; at its end goes back to the beginning.
void BlockReader::measure() {
    if (const std::size_t count = summary_.stopped ? 0 : read(); count > 0)
        return measured_->push(std::span(second_).first(count));
    summary_.gain = audio::autoGain(measured_->loudest());
    summary_.failure.reset();
    measured_.reset();
    try {
        file_->chooseChannel(file_->options().channel);
    } catch (const Error& error) {
        summary_.failure = error.what();
    }
}

void BlockReader::amplify(std::span<float> samples) const {
    if (summary_.gain == 0.0) return;
    const auto factor = static_cast<float>(std::pow(10.0, summary_.gain / 20.0));
    for (float& sample : samples) sample *= factor;
}

void BlockReader::warn() {
    if (file_->nonFiniteSamples() > 0)
        summary_.warnings.push_back(
            fmt::format("{} samples are not finite numbers and count as silence; check the "
                        "program that wrote the file",
                        file_->nonFiniteSamples()));
    const bool read = !summary_.stopped && !summary_.failure;
    if (const auto odd = read ? file_->oddLength() : std::nullopt) summary_.warnings.push_back(*odd);
    constexpr double fullScale = 6.0; // dB (RMS); a float file may hold more
    if (summary_.level.value_or(0.0) > fullScale)
        summary_.warnings.push_back(
            fmt::format("its loudest second is at {:.0f} dB (RMS), far over full scale, where "
                        "models take sounds for others; lower it (--gain auto)",
                        *summary_.level));
    for (std::string& remark : file_->remarks()) summary_.warnings.push_back(std::move(remark));
}

bool BlockReader::tooShort() const {
    return frames_ > 0 && static_cast<double>(frames_) < minSeconds * file_->sampleRate();
}

bool BlockReader::next() {
    block_.clear();
    if (ended_) return false;
    if (measured_) {
        measure();
        return true;
    }
    std::size_t count = summary_.stopped || summary_.failure ? 0 : read();
    while (count == 0 && follow()) count = read();
    const auto samples = std::span(second_).first(count);
    amplify(samples);
    meter_.push(samples);
    frames_ += static_cast<std::int64_t>(count);
    summary_.seconds = static_cast<double>(frames_) / file_->sampleRate();
    if (count == 0) {
        ended_ = true;
        resampler_.finish(block_);
        summary_.level = meter_.loudest();
        warn();
        parts_.push_back(summary_);
        parts_.back().seconds = static_cast<double>(frames_ - before_) / file_->sampleRate();
    } else {
        resampler_.push(samples, block_);
    }
    return true;
}

// Goes on with the file that continues the one that has ended, if there is one.
bool BlockReader::follow() {
    if (!following_ || summary_.stopped || summary_.failure) return false;
    summary_.level = meter_.loudest();
    warn();
    FileSummary& ended = parts_.emplace_back(summary_);
    ended.seconds = static_cast<double>(frames_ - before_) / file_->sampleRate();
    summary_.warnings.clear(); // a file that is the last is asked again
    audio::AudioFile* const next = following_(ended.seconds);
    if (next == nullptr) {
        parts_.pop_back();
        return false;
    }
    meter_ = audio::LevelMeter(next->sampleRate());
    before_ = frames_;
    file_ = next;
    return true;
}

int BlockReader::channel() const { return std::max(0, file_->options().channel); }

void BlockReader::stop() { summary_.stopped = summary_.stopped || !ended_; }

FileSummary analyzeFile(audio::AudioFile& file, Analyzer& analyzer, double modelRate,
                        const FileProgress& progress) {
    analyzer.reset();
    BlockReader reader(file, modelRate);
    while (reader.next()) {
        push(reader, analyzer);
        if (progress && !progress(reader.summary().seconds, reader.length())) reader.stop();
    }
    analyzer.finish();
    return summaryOf(reader);
}

} // namespace earshot::detection
