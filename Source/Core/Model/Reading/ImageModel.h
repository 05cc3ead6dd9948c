// Swin Transformers that were trained to name images, as github.com/microsoft/Swin-Transformer publishes them
// (SwinTransformer/storage). Such a file holds no model that listens, but HTS-AT's authors start their
// training from one. Pure functions of the list of tensors: one thread at a time for each checkpoint.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <cstdint>
#include <optional>
#include <string>

namespace earshot::model {

struct ImageModel {
    std::string prefix; // before the names of its tensors; empty in published files
    int version = 1;    // 1: a table of position biases in each block; 2: `logit_scale` in its place
    int classes = 0;    // of images; 0 without a head
    std::int64_t parameters = 0;

    std::string name() const; // "Swin V1 image model (ImageNet, 1000 classes)"
};

// Returns nothing for other models. An image model reads three colours and has no norm of mel bands.
std::optional<ImageModel> findImageModel(const Checkpoint& checkpoint);

// The network that starts with this model's encoder: its widths, depths and heads, HTS-AT's published
// frontend, image and head. The attention window stays the model's own if HTS-AT's grids can be cut into such
// windows, and becomes HTS-AT's (8) if not; V2's biases keep the attention windows for which they were
// trained. Throws earshot::Error for tensors that are no Swin encoder's, and for a network that cannot be
// built or takes more memory than memoryLimit().
Config startingConfig(Checkpoint& checkpoint, const ImageModel& image);

// What to tell those who would listen with an image model: what it is, and what it is good for. Begins with
// the file's name.
std::string refusalToListen(const Checkpoint& checkpoint, const ImageModel& image);

} // namespace earshot::model
