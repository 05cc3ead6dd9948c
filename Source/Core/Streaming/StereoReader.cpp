#include "Core/Streaming/StereoReader.h"

#include "Core/Base/Error.h"

#include <cmath>
#include <utility>

namespace earshot::streaming {

namespace {

constexpr std::size_t framesPerRead = 1024; // 1 s at the lowest rate there is

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
        end();
    }
}

void StereoReader::end() { ended_ = true; }

// What cannot be decoded ends the recording; the analysis tells people why.
std::size_t StereoReader::decode() {
    try {
        return file_.readInterleaved(interleaved_);
    } catch (const Error&) {
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
    push(0, left_, left);
    push(channels > 1 ? 1 : 0, right_, right);
    return true;
}

} // namespace earshot::streaming
