// A loaded model: all that a pass reads and nothing that it writes. Weights are immutable and shared between
// instances and threads; each running pass has a Network of its own for its buffers.
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Model/Config.h"
#include "Core/Model/ModelSource.h"
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
struct CheckpointLayout;
struct NetworkWeights; // packed layers, NetworkWeights.h
struct ClapProjectionWeights;

class Weights {
  public:
    // Throws earshot::Error when a tensor is missing or has another shape than the config asks for:
    // "tensor X: expected (…), found (…)".
    // Makes float32 weights where int8 is wanted; makeWeights() makes int8.
    explicit Weights(Checkpoint& checkpoint, Precision precision = Precision::float32);
    // Makes int8 weights. ranges: measured with the same checkpoint in float32 (Calibration.h).
    Weights(Checkpoint& checkpoint, const ActivationRanges& ranges);
    ~Weights();

    const std::filesystem::path& file() const { return source_.file; }
    const ModelSource& source() const { return source_; }
    const std::string& format() const { return format_; } // "safetensors", "PyTorch"
    const std::string& kind() const;                      // "HTS-AT", "Microsoft CLAP", "LAION-CLAP"
    const Config& config() const;
    // What was found in the file, and where the rate and the hop come from.
    const CheckpointLayout& layout() const { return *layout_; }
    Precision precision() const { return precision_; } // of passes; never automatic
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    // The checkpoint's own mel matrix, (fftSize / 2 + 1, melBands), or empty.
    std::span<const float> melFilters() const;
    std::int64_t parameterCount() const { return parameterCount_; } // trained values that are used
    std::size_t memoryBytes() const;                                // of the packed weights
    const NetworkWeights& network() const { return *network_; }
    // Projects latent vectors to a CLAP model's embeddings (ClapProjection.h); null for other models.
    const ClapProjectionWeights* projection() const { return projection_.get(); }

  private:
    ModelSource source_;
    std::string format_;
    std::unique_ptr<const CheckpointLayout> layout_;
    Precision precision_;
    std::map<std::string, std::string> metadata_;
    std::int64_t parameterCount_ = 0;
    std::unique_ptr<const NetworkWeights> network_;
    std::unique_ptr<const ClapProjectionWeights> projection_;

    Weights(Checkpoint& checkpoint, Precision precision, const ActivationRanges* ranges);
};

// Returns the windows that int8 is calibrated on, as the model's log-mel frames: (windowFrames, melBands) in
// dB for each window. The same model always gets the same windows.
using CalibrationMaker = std::function<std::vector<std::vector<float>>(const Weights& weights)>;

// Makes a checkpoint's weights in the precision that choosePrecision() chooses. int8 needs a maker, and
// calibration runs some passes in float32; without a maker int8 becomes float32.
std::shared_ptr<const Weights> makeWeights(Checkpoint& checkpoint, Precision precision,
                                           const CalibrationMaker& maker = {});

// Opens a checkpoint and calls makeWeights(), or returns the copy that is already in memory (same path, size,
// modification time, choices of the user, and chosen precision). Any thread: a mutex guards the cache. The
// cache owns no weights and remembers no failure. If another thread is reading the same file, the call waits
// for that copy; if that thread is stopped, the call reads the file itself. Throws Stopped after a stop
// request.
std::shared_ptr<const Weights> loadWeights(const ModelSource& source,
                                           Precision precision = Precision::float32,
                                           const CalibrationMaker& maker = {}, const StopToken& stop = {});

} // namespace earshot::model
