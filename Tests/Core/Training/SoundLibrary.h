// A small data set in a temporary folder: tones of a pitch for each class, with silence around them.
#pragma once

#include "Core/Training/Data/DataSet.h"
#include "Support/AudioMaker.h"

#include <filesystem>
#include <string>
#include <vector>

namespace earshot::test {

inline constexpr int libraryRate = 32000; // Hz

// `before` seconds of silence, a tone, `after` seconds of silence.
inline std::vector<float> toneBetweenSilence(double hertz, double before, double seconds, double after,
                                             float amplitude = 0.5f) {
    std::vector<float> samples(static_cast<std::size_t>(before * libraryRate), 0.0f);
    const auto tone = sine(hertz, seconds, libraryRate, amplitude);
    samples.insert(samples.end(), tone.begin(), tone.end());
    samples.resize(samples.size() + static_cast<std::size_t>(after * libraryRate), 0.0f);
    return samples;
}

inline void writeMono(const std::filesystem::path& file, const std::vector<float>& samples,
                      int rate = libraryRate) {
    std::filesystem::create_directories(file.parent_path());
    writeAudio(file, AudioFormat::wavPcm16, rate, 1, samples);
}

// Folders Low (400 Hz), Middle (1600 Hz) and High (6400 Hz) with `clips` tones of growing length each.
inline void writeToneClasses(const std::filesystem::path& folder, int clips) {
    double hertz = 400.0;
    for (const char* name : {"Low", "Middle", "High"}) {
        for (int i = 0; i < clips; ++i)
            writeMono(folder / name / (std::to_string(i) + ".wav"),
                      toneBetweenSilence(hertz * (1.0 + 0.01 * i), 0.2 + 0.05 * i, 0.3 + 0.4 * i, 0.25));
        hertz *= 4.0;
    }
}

inline training::DataChoice choiceOf(const std::filesystem::path& source) {
    training::DataChoice choice;
    choice.sources = {source};
    choice.minClips = 1;
    return choice;
}

} // namespace earshot::test
