// A loaded model: everything a pass reads and nothing it writes. Immutable once built and shared between
// instances and threads; what changes lives in a Network (one per running pass).
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Model/Config.h"
#include "Core/Model/Precision/ActivationRanges.h"
#include "Core/Model/Precision/Precision.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::model {

class Checkpoint;
struct NetworkWeights; // packed layers, NetworkWeights.h
struct ClapProjectionWeights;

class Weights {
  public:
    // Throws earshot::Error when a tensor is missing or has another shape than the config asks for:
    // "tensor X: expected (…), found (…)".
    // For int8 there is makeWeights().
    explicit Weights(Checkpoint& checkpoint, Precision precision = Precision::float32);
    // In int8, for what was measured with the same checkpoint in float32 (Calibration.h).
    Weights(Checkpoint& checkpoint, const ActivationRanges& ranges);
    ~Weights();

    const std::filesystem::path& file() const { return file_; }
    const std::string& format() const { return format_; } // "safetensors", "PyTorch"
    const std::string& kind() const { return kind_; }     // "HTS-AT", "Microsoft CLAP", "LAION-CLAP"
    const Config& config() const { return config_; }
    Precision precision() const { return precision_; } // of passes; never automatic
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    // The checkpoint's own mel matrix, (fftSize / 2 + 1, melBands), or empty.
    std::span<const float> melFilters() const;
    std::int64_t parameterCount() const { return parameterCount_; } // trained values that are used
    std::size_t memoryBytes() const;                                // of the packed weights
    const NetworkWeights& network() const { return *network_; }
    // From latent vectors to those of a CLAP model (ClapProjection.h); null where there is none.
    const ClapProjectionWeights* projection() const { return projection_.get(); }

  private:
    std::filesystem::path file_;
    std::string format_;
    std::string kind_;
    Config config_;
    Precision precision_;
    std::map<std::string, std::string> metadata_;
    std::int64_t parameterCount_ = 0;
    std::unique_ptr<const NetworkWeights> network_;
    std::unique_ptr<const ClapProjectionWeights> projection_;

    Weights(Checkpoint& checkpoint, Precision precision, const ActivationRanges* ranges);
};

// Log-mel frames of audio to calibrate int8 on, as a model hears it: some windows of windowFrames frames
// each, (windowFrames, melBands) in dB. Always the same for the same model.
using CalibrationMaker = std::function<std::vector<std::vector<float>>(const Weights& weights)>;

// The weights of a checkpoint in the precision that choosePrecision() makes of what is wanted. int8 takes a
// maker (and some passes in float32); without one it becomes float32.
std::shared_ptr<const Weights> makeWeights(Checkpoint& checkpoint, Precision precision,
                                           const CalibrationMaker& maker = {});

// Opens a checkpoint and does the same, or returns the copy that is already in memory (same path, size and
// time of change, same precision in the end). Any thread; the cache is guarded, keeps nothing alive by itself
// and remembers no failure. Who asks for a file that another thread is reading waits for that copy, and reads
// it anew when the other one was stopped. Throws Stopped once it is asked to stop, reading or waiting.
std::shared_ptr<const Weights> loadWeights(const std::filesystem::path& file,
                                           Precision precision = Precision::float32,
                                           const CalibrationMaker& maker = {}, const StopToken& stop = {});

} // namespace earshot::model
