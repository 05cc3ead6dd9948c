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

namespace earshot::model {

// The tensors are those of the dictionary that holds the network (see TorchTensors.h).
// Throws earshot::Error when the file is damaged, asks for code, or holds no tensors.
// Of a storage only the part is kept that its tensors are in, and it is read (or unpacked) once for all of
// them.
std::unique_ptr<Checkpoint> openTorchZip(RegularFile file);

// Finds the network's tensors in the description of a PyTorch checkpoint, among optimiser states, callbacks
// and whatever else training left there. Pure function: any thread.

// Where a tensor's elements lie: element (i, j, ...) is the storage's element
// offset + i * strides[0] + j * strides[1] + ..., which is always within the storage.
struct StoredTensor {
    TensorInfo info;
    std::string storageKey;           // the archive's entry is <top>data/<key>
    std::int64_t storageElements = 0; // of info.dtype
    std::int64_t offset = 0;
    tensor::Shape strides;

    bool isContiguous() const;
    // Behind the last of the storage's elements that the tensor reads; 0 where it has none itself.
    std::int64_t end() const;
};

// The tensors of one dictionary, under its keys: the one that holds "...patch_embed.proj.weight" (of several:
// `state_dict`, `model` or `module` before others), or else the one with the most tensors.
// Throws earshot::Error, beginning with `file`, when there are none or one reaches outside its storage.
std::map<std::string, StoredTensor> networkTensors(const pickle::Document& document, const std::string& file);

} // namespace earshot::model
