// Recordings for the tests of scores: by hand, or at random but the same everywhere.
#pragma once

#include "Core/Evaluation/Recording.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace earshot::test {

inline evaluation::Scored strongRecording(double duration, std::vector<evaluation::Annotation> annotations) {
    evaluation::Scored recording;
    recording.duration = duration;
    evaluation::annotate(recording, std::move(annotations));
    return recording;
}

// Probability 0.9 in every column that an annotation touches, 0.02 elsewhere.
inline void hearPerfectly(evaluation::Scored& recording, int classes) {
    const auto columns =
        static_cast<std::size_t>(std::ceil(recording.duration / recording.columnSeconds - 1e-9));
    recording.probabilities.assign(columns * static_cast<std::size_t>(classes), 0.02f);
    for (const auto& annotation : recording.annotations)
        for (std::size_t i = 0; i < columns; ++i) {
            const double start = static_cast<double>(i) * recording.columnSeconds;
            if (start < annotation.offset - 1e-9 && start + recording.columnSeconds > annotation.onset + 1e-9)
                recording.probabilities[i * static_cast<std::size_t>(classes) +
                                        static_cast<std::size_t>(annotation.label)] = 0.9f;
        }
}

// Annotations on the grid of columns, several of each class, apart.
inline std::vector<evaluation::Scored> gridRecordings(int count, int classes, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<evaluation::Scored> recordings;
    for (int r = 0; r < count; ++r) {
        evaluation::Scored recording;
        const int columns = 60 + static_cast<int>(generator() % 40u);
        recording.duration = columns * recording.columnSeconds;
        std::vector<evaluation::Annotation> annotations;
        for (int c = 0; c < classes; ++c)
            for (int at = static_cast<int>(generator() % 20u); at < columns - 12;
                 at += 14 + static_cast<int>(generator() % 30u)) {
                const int end = at + 1 + static_cast<int>(generator() % 10u);
                annotations.push_back({at * recording.columnSeconds, end * recording.columnSeconds, c});
            }
        evaluation::annotate(recording, annotations);
        hearPerfectly(recording, classes);
        recordings.push_back(recording);
    }
    return recordings;
}

// Moves every probability towards noise.
inline void blur(std::vector<evaluation::Scored>& recordings, unsigned seed, float amount) {
    std::mt19937 generator(seed);
    for (auto& recording : recordings)
        for (float& p : recording.probabilities)
            p = (1.0f - amount) * p + amount * static_cast<float>(generator() % 10000u) / 10000.0f;
}

} // namespace earshot::test
