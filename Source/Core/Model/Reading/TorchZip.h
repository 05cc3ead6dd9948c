// Reads PyTorch checkpoints (.ckpt, .pt, .pth) as torch.save has written them since 1.6: a zip archive with
// a pickled description, `<top>/data.pkl`, and the bytes of each storage, `<top>/data/<key>`.
// One thread at a time. Reference: torch/serialization.py of PyTorch.
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/PickleValues.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace earshot::model {

// Opens a checkpoint with the tensors that networkTensors() finds.
// Throws earshot::Error if the file is damaged, names code that is not allowed, or holds no tensors.
// The checkpoint reads (or unpacks) a storage that several tensors share only once, and keeps only the part
// that its tensors use.
std::unique_ptr<Checkpoint> openTorchZip(RegularFile file);

// Where a tensor's elements lie: element (i, j, ...) is the storage's element
// offset + i * strides[0] + j * strides[1] + ..., which is always within the storage.
// A plain value: any thread may read it.
struct StoredTensor {
    TensorInfo info;
    std::string storageKey;           // the archive's entry is <top>data/<key>
    std::int64_t storageElements = 0; // of info.dtype
    std::int64_t offset = 0;
    tensor::Shape strides;

    bool isContiguous() const;
    // One past the last element of the storage that the tensor uses; 0 for a tensor without elements.
    std::int64_t end() const;
};

// The tensors of a PyTorch checkpoint's description, and where they lie (Checkpoint::dictionary()).
struct StoredTensors {
    std::map<std::string, StoredTensor> tensors;
    std::string dictionary;
    std::vector<std::string> others;
};

// Finds the networks' tensors in the description of a PyTorch checkpoint, among optimiser states, callbacks
// and other data of training. Takes the tensors of one dictionary by its keys: of the one that holds
// "...patch_embed.proj.weight" (of several: one whose name is not that of an average, then `state_dict`, then
// `model`, then `module`, then others), else of the one with the most tensors. Those of other dictionaries
// with such a tensor of other values, and a quarter as many tensors, follow under their names. Pure function:
// any thread. Throws earshot::Error, beginning with `file`, if there are no tensors or one reaches outside
// its storage.
StoredTensors networkTensors(const pickle::Document& document, const std::string& file);

} // namespace earshot::model
