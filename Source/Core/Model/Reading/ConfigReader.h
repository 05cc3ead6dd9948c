// Makes a Config from a checkpoint. Each value comes from the `earshot.config` metadata, else from tensor
// names and shapes (and for the frontend from the values of the mel matrix), else from the defaults of the
// model's kind; what a user states of the frontend takes precedence. One thread at a time.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/MelMatrix.h"
#include "Core/Model/Reading/Networks.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

// Where a value of the frontend comes from.
enum class Origin {
    user,      // ReadingChoice
    file,      // earshot.config
    matrix,    // recovered from the mel matrix
    published, // as the model's authors set it, which kind or matrix identify
    assumed,
};

struct FrontendOrigins {
    Origin sampleRate = Origin::assumed, hopSize = Origin::assumed;
    Origin bands = Origin::assumed; // their edges and scale
    std::string assumption;         // why the rate is assumed, if it is: "as of published HTS-AT models"
};

struct CheckpointLayout {
    std::string prefix; // "", "sed_model.", "audio_encoder.base.htsat.", "module.audio_branch." ...
    std::string kind;   // htsatKind, microsoftKind or laionKind
    Config config;
    FrontendOrigins origins;
    std::optional<MelSettings> mel; // of the file's mel matrix
    FoundNetworks networks;
    std::vector<std::string> remarks; // what the file lacks, and what stands for it (LayoutRemarks.h)
};

// Throws earshot::Error if the file holds no HTS-AT network (of an image model it says so), if metadata and
// shapes contradict each other, if a value is out of range, or if the model would take more memory than
// memoryLimit(). Reads no tensor: where the file does not state the sample rate, it is assumed.
CheckpointLayout readLayout(const Checkpoint& checkpoint);

// As readLayout(), with what the values of tensors show: the rate and bands of the mel matrix, and the
// windows of V2's biases (PretrainedSides.h). Throws as these do.
CheckpointLayout openLayout(Checkpoint& checkpoint);

// The part of a Config that one source states: the file's metadata or its tensors. Plain values: any thread
// may read them.
struct PartialConfig {
    std::optional<int> sampleRate, fftSize, hopSize, melBands;
    std::optional<double> lowHz, highHz;
    std::optional<bool> htkMelScale;
    std::optional<int> imageSize, patchSize, patchStride, embedDim;
    std::optional<int> grid; // patches a side, imageSize / patchStride
    std::optional<std::vector<int>> depths, heads;
    std::optional<int> attentionSide, mlpRatio;
    std::optional<BlockKind> block;
    std::optional<std::vector<int>> pretrainedSides;
    std::optional<bool> qkvBias, absolutePositionEmbedding, patchNorm;
    std::optional<int> classes;
    std::optional<HeadKind> head;
    std::optional<int> headWidth, headLayers;
};

// Parses the JSON of `earshot.config` (sample_rate, n_fft, hop_size, mel_bins, fmin, fmax, mel_scale,
// spec_size, patch_size, patch_stride, embed_dim, depths, num_heads, window_size, block,
// pretrained_window_sizes, classes, head, head_width, head_layers, and tscam of earlier files) and ignores
// other keys. Throws earshot::Error, beginning with `file`, if the text is not a JSON object or a value has
// the wrong type.
PartialConfig parseConfigMetadata(const std::string& json, const std::string& file);

// Infers values from the names and shapes of the tensors under `prefix`. channels: those of its image, 1 for
// sounds, 3 for colours; the grid of patches is inferred for sounds alone. Throws earshot::Error if a shape
// cannot be HTS-AT's, but for the channels.
PartialConfig inferConfig(const Checkpoint& checkpoint, const std::string& prefix, int channels = 1);

} // namespace earshot::model
