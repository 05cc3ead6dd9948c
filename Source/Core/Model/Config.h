// The parameters of an HTS-AT model: its log-mel frontend, Swin encoder and head.
//
// The defaults are the published AudioSet model (31 M parameters). A checkpoint's metadata and tensor
// shapes override them (see ConfigReader.h). Reference: Chen et al., "HTS-AT: A Hierarchical
// Token-Semantic Audio Transformer for Sound Classification and Detection", ICASSP 2022.
// A plain value: any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace earshot::model {

// How the encoder's tokens become probabilities of classes over time.
enum class HeadKind {
    pooled, // a linear layer on sums of tokens (EventHead.h)
    tscam,  // HTS-AT's token-semantic module (EventHead.h)
    fine,   // a finer clock: it reads earlier stages, too (FineHead.h)
};
const char* nameOf(HeadKind head); // as earshot.config says it: "pooled", "tscam", "fine"

// How the encoder's blocks and mergings place their norms and make scores (BlockForm.h).
enum class BlockKind {
    v1, // Liu et al. 2021, "Swin Transformer"
    v2, // Liu et al. 2022, "Swin Transformer V2"
};
const char* nameOf(BlockKind block); // as earshot.config says it: "v1", "v2"

struct Config {
    // Log-mel frontend
    int sampleRate = 32000; // Hz
    int fftSize = 1024;     // samples; the taper is as long
    int hopSize = 320;      // samples between frames
    int melBands = 64;
    double lowHz = 50.0;
    double highHz = 14000.0;
    bool htkMelScale = false; // false: Slaney, as the reference

    // Swin encoder
    int imageSize = 256; // pixels a side of the folded spectrogram
    int patchSize = 4;
    int patchStride = 4;
    int embedDim = 96;
    std::vector<int> depths = {2, 2, 6, 2}; // blocks in each stage
    std::vector<int> heads = {4, 8, 16, 32};
    int attentionSide = 8; // tokens a side of an attention window
    BlockKind block = BlockKind::v1;
    // Tokens a side of the attention windows for which V2's biases were trained, by stage; empty: as now.
    std::vector<int> pretrainedSides;
    int mlpRatio = 4;
    bool qkvBias = true;
    bool absolutePositionEmbedding = false;
    bool patchNorm = true;

    // Head
    int classes = 527;
    HeadKind head = HeadKind::tscam;
    int headWidth = 0;  // channels of a fine head's steps; 0 for other heads
    int headLayers = 0; // its convolutions over time

    int stageCount() const { return static_cast<int>(depths.size()); }
    int stageDim(int stage) const { return embedDim << stage; }
    // Tokens a side of the stage's square grid.
    int stageGrid(int stage) const { return (imageSize / patchStride) >> stage; }
    // The attention window never exceeds the grid.
    int stageAttentionSide(int stage) const {
        return stageGrid(stage) < attentionSide ? stageGrid(stage) : attentionSide;
    }
    int pretrainedSide(int stage) const {
        return pretrainedSides.empty() ? stageAttentionSide(stage)
                                       : pretrainedSides[static_cast<std::size_t>(stage)];
    }
    int latentDim() const { return stageDim(stageCount() - 1); }
    // Time segments stacked along frequency in the image (4 for 256 pixels and 64 bands).
    int timeSegments() const { return imageSize / melBands; }
    // Log-mel frames of one pass (1024).
    int windowFrames() const { return imageSize * timeSegments(); }
    // Time columns of a stage's tokens in a window (32 in the last stage).
    int gridColumns(int stage) const { return stageGrid(stage) * timeSegments(); }
    int gridColumns() const { return gridColumns(stageCount() - 1); }
    // Time steps of the head's output: the last stage's columns (32), or a fine head's, which are the second
    // stage's (128).
    int stepsPerWindow() const { return head == HeadKind::fine ? gridColumns(1) : gridColumns(); }
    // Log-mel frames of a step (32; 8 with a fine head).
    int framesPerToken() const { return windowFrames() / stepsPerWindow(); }
    double secondsPerFrame() const { return static_cast<double>(hopSize) / sampleRate; }
    double secondsPerToken() const { return framesPerToken() * secondsPerFrame(); }

    bool operator==(const Config&) const = default;

    // Throws earshot::Error naming the first value that no network can have (zero, negative, absurdly large,
    // or not divisible where the network needs it).
    void validate() const;
};

} // namespace earshot::model
