// Writes float32 or float16 tensors and text metadata as a safetensors file. One thread per file.
// Reference: https://github.com/huggingface/safetensors (Format).
#pragma once

#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Tensor.h"

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace earshot::model {

struct NamedTensor {
    std::string name;
    tensor::Shape shape;
    std::span<const float> values; // row-major, as many as the shape says
    // The stored type: float32, or float16 rounded to nearest even (values beyond its range become infinite).
    DType dtype = DType::float32;
};

// Writes a file that appears whole or not at all and replaces an existing one (Core/Base/WholeFile.h). Throws
// earshot::Error if the file cannot be written.
void writeSafetensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata = {});

} // namespace earshot::model
