// The parameters of an HTS-AT model: its log-mel frontend, Swin encoder and head.
//
// The defaults are the published AudioSet model (31 M parameters). A checkpoint's metadata and tensor
// shapes override them (see ConfigReader.h). Reference: Chen et al., "HTS-AT: A Hierarchical
// Token-Semantic Audio Transformer for Sound Classification and Detection", ICASSP 2022.
// A plain value: any thread may read it.
#pragma once

#include <cstdint>
#include <vector>

namespace earshot::model {

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
    int mlpRatio = 4;
    bool qkvBias = true;
    bool absolutePositionEmbedding = false;
    bool patchNorm = true;

    // Head
    int classes = 527;
    bool tscam = true;

    int stageCount() const { return static_cast<int>(depths.size()); }
    int stageDim(int stage) const { return embedDim << stage; }
    // Tokens a side of the stage's square grid.
    int stageGrid(int stage) const { return (imageSize / patchStride) >> stage; }
    // The attention window never exceeds the grid.
    int stageAttentionSide(int stage) const {
        return stageGrid(stage) < attentionSide ? stageGrid(stage) : attentionSide;
    }
    int latentDim() const { return stageDim(stageCount() - 1); }
    // Time segments stacked along frequency in the image (4 for 256 pixels and 64 bands).
    int timeSegments() const { return imageSize / melBands; }
    // Log-mel frames of one pass (1024).
    int windowFrames() const { return imageSize * timeSegments(); }
    // Frames that a token of the last stage covers (32).
    int framesPerToken() const { return patchStride << (stageCount() - 1); }
    // Time steps of the head's output (32).
    int tokensPerWindow() const { return windowFrames() / framesPerToken(); }
    double secondsPerFrame() const { return static_cast<double>(hopSize) / sampleRate; }
    double secondsPerToken() const { return framesPerToken() * secondsPerFrame(); }

    bool operator==(const Config&) const = default;

    // Throws earshot::Error naming the first value that no network can have (zero, negative, absurdly large,
    // or not divisible where the network needs it).
    void validate() const;
};

} // namespace earshot::model
