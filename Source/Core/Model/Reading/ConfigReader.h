// Makes a Config from a checkpoint. Each value comes from the `earshot.config` metadata, else from tensor
// names and shapes, else from the defaults of the model's kind. Also finds the prefix under which a published
// layout keeps its HTS-AT tensors. One thread at a time.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <optional>
#include <string>
#include <vector>

namespace earshot::model {

// The kinds of models, as CheckpointLayout and Weights name them.
inline constexpr const char* htsatKind = "HTS-AT";
inline constexpr const char* microsoftKind = "Microsoft CLAP";
inline constexpr const char* laionKind = "LAION-CLAP";

struct CheckpointLayout {
    std::string prefix; // "", "sed_model.", "audio_encoder.base.htsat.", "module.audio_branch." ...
    std::string kind;   // one of the above
    Config config;
};

// What stands before "patch_embed.proj.weight" wherever a tensor is named so, in the order of names.
std::vector<std::string> networkPrefixes(const Checkpoint& checkpoint);

// Throws earshot::Error if the file holds no HTS-AT network (of an image model it says so), if metadata and
// shapes contradict each other, if a value is out of range, or if the model would take more memory than
// memoryLimit().
CheckpointLayout readLayout(const Checkpoint& checkpoint);

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
