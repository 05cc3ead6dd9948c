#include "Core/Streaming/StereoReader.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

namespace earshot::streaming {

namespace {

constexpr std::size_t framesPerRead = 1024; // 1 s at the lowest rate that AudioFile accepts

std::size_t channelCount(const audio::AudioFile& file) { return static_cast<std::size_t>(file.channels()); }

} // namespace

StereoReader::StereoReader(audio::AudioFile file, double outputRate)
    : file_(std::move(file))
    , left_(file_.sampleRate(), outputRate)
    , right_(file_.sampleRate(), outputRate)
    , interleaved_(framesPerRead * channelCount(file_))
    , channel_(framesPerRead) {}

double StereoReader::length() const { return static_cast<double>(file_.frames()) / file_.sampleRate(); }

void StereoReader::setOutputRate(double outputRate) {
    left_ = audio::Resampler(file_.sampleRate(), outputRate);
    right_ = audio::Resampler(file_.sampleRate(), outputRate);
}

void StereoReader::seek(double seconds) {
    left_.reset();
    right_.reset();
    ended_ = false;
    try {
        file_.seek(std::llround(seconds * file_.sampleRate()));
    } catch (const Error&) {
        logCaught("playing a recording");
        end();
    }
}

void StereoReader::end() { ended_ = true; }

// A decoding error ends the recording. The analysis of the same file reports the error.
std::size_t StereoReader::decode() {
    try {
        return file_.readInterleaved(interleaved_);
    } catch (const Error&) {
        logCaught("playing a recording");
        return 0;
    }
}

bool StereoReader::read(std::vector<float>& left, std::vector<float>& right) {
    if (ended_) return false;
    const std::size_t frames = decode();
    if (frames == 0) {
        left_.finish(left);
        right_.finish(right);
        ended_ = true;
        return true;
    }
    const std::size_t channels = channelCount(file_);
    const auto push = [&](std::size_t channel, audio::Resampler& resampler, std::vector<float>& output) {
        for (std::size_t i = 0; i < frames; ++i) channel_[i] = interleaved_[i * channels + channel];
        resampler.push(std::span(channel_).first(frames), output);
    };
    const auto mixed = file_.mixedChannels();
    const bool both = mixed.size() == 1;
    push(both ? mixed.front() : 0, left_, left);
    push(both ? mixed.front() : 1, right_, right);
    return true;
}

} // namespace earshot::streaming
