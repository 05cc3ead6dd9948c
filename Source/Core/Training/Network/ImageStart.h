// Starts an encoder of sounds from one of images, as HTS-AT's authors do (Chen et al. 2022, section 3.1;
// main.py of github.com/RetroCirce/HTS-Audio-Transformer, `swin_pretrain_path`): the patch embedding becomes
// the mean over the colours, and the blocks, mergings and norms are taken by name. One thread at a time.
#pragma once

#include "Core/Model/Reading/ImageModel.h"
#include "Core/Training/Network/ParameterLayout.h"

#include <span>

namespace earshot::training {

// Writes the image model's encoder into `values`, which keep their band norm and their head. layout: of
// model::startingConfig(checkpoint, image), with any head. Position biases of another attention window, and
// position embeddings of another image, are brought to ours as Swin's own load_pretrained does it (bicubic,
// without antialiasing). Throws earshot::Error when a tensor is missing or has another shape:
// "tensor X: expected (…), found (…)".
void readImageEncoder(model::Checkpoint& checkpoint, const model::ImageModel& image,
                      const ParameterLayout& layout, std::span<float> values);

} // namespace earshot::training
