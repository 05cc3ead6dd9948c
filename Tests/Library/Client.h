// A program that uses earshot.h, with handles that free themselves, and what the engine finds without it.
#pragma once

#include "Core/Audio/AudioFile.h"
#include "Core/Detection/Detector.h"
#include "Core/Detection/Events/Rules.h"
#include "Core/Tensor/Threads.h"
#include "Library/earshot.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace earshot::test {

struct Closer {
    void operator()(earshot_model* model) const { earshot_model_close(model); }
    void operator()(earshot_result* result) const { earshot_result_free(result); }
    void operator()(earshot_stream* stream) const { earshot_stream_close(stream); }
};
using Model = std::unique_ptr<earshot_model, Closer>;
using Result = std::unique_ptr<earshot_result, Closer>;
using Stream = std::unique_ptr<earshot_stream, Closer>;

inline Model openModel(const std::filesystem::path& file = defaultModelFile()) {
    earshot_model* model = nullptr;
    INFO(earshot_last_error());
    REQUIRE(earshot_model_open(file.string().c_str(), nullptr, &model) == EARSHOT_OK);
    return Model(model);
}

inline Result analyzeFile(const Model& model, const std::filesystem::path& file,
                          const earshot_analysis& analysis) {
    earshot_result* result = nullptr;
    const auto status = earshot_analyze_file(model.get(), file.string().c_str(), &analysis, &result);
    INFO(earshot_last_error());
    REQUIRE(status == EARSHOT_OK);
    return Result(result);
}

inline Result analyzeSamples(const Model& model, const earshot_audio& audio,
                             const earshot_analysis& analysis) {
    earshot_result* result = nullptr;
    const auto status = earshot_analyze_samples(model.get(), &audio, &analysis, &result);
    INFO(earshot_last_error());
    REQUIRE(status == EARSHOT_OK);
    return Result(result);
}

// (frames, channels)
struct Clip {
    std::vector<float> samples;
    int channels = 1;
    int rate = 32000;

    std::size_t frames() const { return samples.size() / static_cast<std::size_t>(channels); }
    earshot_audio audio() const {
        earshot_audio audio = EARSHOT_AUDIO_INIT;
        audio.interleaved = samples.data();
        audio.frames = frames();
        audio.rate = rate;
        audio.channels = channels;
        return audio;
    }
    std::vector<std::vector<float>> planes() const {
        std::vector<std::vector<float>> all(static_cast<std::size_t>(channels));
        for (std::size_t i = 0; i < samples.size(); ++i) all[i % all.size()].push_back(samples[i]);
        return all;
    }
    void write(const std::filesystem::path& file) const {
        writeAudio(file, AudioFormat::wavFloat, rate, channels, samples);
    }
};

// Tones and noise that change every half second, other in each channel.
inline Clip changingClip(double seconds, int rate, int channels) {
    Clip clip{.samples = {}, .channels = channels, .rate = rate};
    const auto frames = static_cast<std::size_t>(seconds * rate);
    clip.samples = noise(frames * static_cast<std::size_t>(channels), 7, 0.2f);
    for (std::size_t i = 0; i < clip.samples.size(); ++i) {
        const auto frame = i / static_cast<std::size_t>(channels),
                   channel = i % static_cast<std::size_t>(channels);
        const double time = static_cast<double>(frame) / rate;
        if (static_cast<int>(time * 2.0 + static_cast<double>(channel)) % 2 == 0)
            clip.samples[i] = static_cast<float>(0.4 * std::sin(2.0 * 3.14159265 * 440.0 * time));
    }
    return clip;
}

inline std::vector<const float*> pointers(const std::vector<std::vector<float>>& planes) {
    std::vector<const float*> all;
    for (const auto& plane : planes) all.push_back(plane.data());
    return all;
}

// The demo recording, as its file has it.
inline Clip demoClip() {
    audio::AudioFile file(demoFile());
    Clip clip{.samples = std::vector<float>(static_cast<std::size_t>(file.frames() * file.channels())),
              .channels = file.channels(),
              .rate = file.sampleRate()};
    std::size_t filled = 0;
    while (const auto frames = file.readInterleaved(std::span(clip.samples).subspan(filled)))
        filled += frames * static_cast<std::size_t>(clip.channels);
    REQUIRE(filled == clip.samples.size());
    return clip;
}

inline std::vector<earshot_event> eventsOf(const Result& result) {
    std::size_t count = 0;
    const auto* events = earshot_result_events(result.get(), &count);
    return {events, events + count};
}

inline std::vector<float> activationsOf(const Result& result, const Model& model) {
    std::vector<float> values(earshot_result_column_count(result.get()) *
                              earshot_model_class_count(model.get()));
    REQUIRE(earshot_result_copy_activations(result.get(), values.data(), values.size()) == EARSHOT_OK);
    return values;
}

inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}
inline bool same(const std::vector<earshot_event>& a, const std::vector<earshot_event>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(earshot_event)) == 0);
}

} // namespace earshot::test
