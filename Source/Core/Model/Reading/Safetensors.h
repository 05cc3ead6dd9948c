// Reads safetensors files: an 8-byte length, a JSON header, then the tensors' bytes end to end.
// One thread at a time. Reference: https://github.com/huggingface/safetensors (Format).
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <memory>

namespace earshot::model {

// The format's own limit on its header.
inline constexpr std::uint64_t safetensorsHeaderLimit = 100'000'000; // bytes

// Throws earshot::Error when the header is not exactly what the format asks for, or does not fit the file.
std::unique_ptr<Checkpoint> openSafetensors(RegularFile file);

} // namespace earshot::model
