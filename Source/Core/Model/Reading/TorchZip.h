// Reads PyTorch checkpoints (.ckpt, .pt, .pth) as torch.save has written them since 1.6: a zip archive with
// a pickled description, `<top>/data.pkl`, and the bytes of each storage, `<top>/data/<key>`.
// One thread at a time. Reference: torch/serialization.py of PyTorch.
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <memory>

namespace earshot::model {

// The tensors are those of the dictionary that holds the network (see TorchTensors.h).
// Throws earshot::Error when the file is damaged, asks for code, or holds no tensors.
// Of a storage only the part is kept that its tensors are in, and it is read (or unpacked) once for all of
// them.
std::unique_ptr<Checkpoint> openTorchZip(RegularFile file);

} // namespace earshot::model
