// The small Swin V1 and V2 classifiers of swin_outputs.safetensors and swin_gradients.safetensors.
#pragma once

#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"

#include <string>
#include <vector>

namespace earshot::test {

struct SwinPreset {
    std::string name; // before the names of its golden tensors
    model::BlockKind block = model::BlockKind::v1;
    // Attention windows of 8, larger than the last grid, in place of 4; a position embedding, no bias of
    // queries, keys and values; V2's biases were trained for windows of 6, 6 and 3.
    bool isWide = false;
    int seed = 0;
};

std::vector<SwinPreset> swinPresets();

// 64 pixels, 24 wide, three stages of two blocks, 10 classes, a pooled head.
ProceduralModel modelOf(const SwinPreset& preset);

// The golden result of the patch embedding, as the first block reads it, of all images in the file.
std::vector<float> embedded(Golden& golden, const SwinPreset& preset);

} // namespace earshot::test
