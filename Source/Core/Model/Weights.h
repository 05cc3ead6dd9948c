// A loaded model: everything a pass reads and nothing it writes. Immutable once built and shared between
// instances and threads; what changes lives in a Network (one per running pass).
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Precision.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace earshot::model {

class Checkpoint;
struct NetworkWeights; // packed layers, NetworkWeights.h
struct ClapProjectionWeights;

class Weights {
  public:
    // Throws earshot::Error when a tensor is missing or has another shape than the config asks for:
    // "tensor X: expected (…), found (…)".
    explicit Weights(Checkpoint& checkpoint, Precision precision = Precision::float32);
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
};

// Opens a checkpoint, or returns the copy that is already in memory (same path, size and time of change,
// and the same precision as choosePrecision() has it).
// Any thread; the cache is guarded and keeps nothing alive by itself.
std::shared_ptr<const Weights> loadWeights(const std::filesystem::path& file,
                                           Precision precision = Precision::float32);

} // namespace earshot::model
