// A model's file, and what a user states about it beyond what the file says. A plain value: any thread may
// read it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace earshot::model {

// The copies of one network that trainings store: as the optimiser left it, averaged over the steps of the
// training (EMA, SWA), or the teacher of a student.
enum class WeightsKind { raw, ema, teacher };
const char* nameOf(WeightsKind kind); // "raw", "ema", "teacher"

// What a user states. It takes precedence over the file.
struct ReadingChoice {
    std::optional<int> sampleRate; // Hz
    std::optional<int> hopSize;    // samples between frames
    std::optional<WeightsKind> weights;

    bool operator==(const ReadingChoice&) const = default;
};

struct ModelSource {
    std::filesystem::path file;
    ReadingChoice choice;

    ModelSource() = default;
    // A path alone states nothing.
    ModelSource(std::filesystem::path path, ReadingChoice stated = {})
        : file(std::move(path))
        , choice(stated) {}
    ModelSource(const std::string& path, ReadingChoice stated = {})
        : file(path)
        , choice(stated) {}
    ModelSource(const char* path)
        : file(path) {}
};

} // namespace earshot::model
