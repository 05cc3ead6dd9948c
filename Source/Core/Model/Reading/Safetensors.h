// Reads safetensors files: an 8-byte length, a JSON header, then the tensors' bytes end to end.
// One thread at a time. Reference: https://github.com/huggingface/safetensors (Format).
#pragma once

#include "Core/Base/RegularFile.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace earshot::model {

// The format's own limit on its header.
inline constexpr std::uint64_t safetensorsHeaderLimit = 100'000'000; // bytes

// Throws earshot::Error when the header is not exactly what the format asks for, or does not fit the file.
std::unique_ptr<Checkpoint> openSafetensors(RegularFile file);

// The JSON header of a safetensors file, checked strictly: everything that later reads trust.
// Pure function: any thread.
struct SafetensorsEntry {
    TensorInfo info;
    std::uint64_t begin = 0; // bytes, from the end of the header
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata;
    std::map<std::string, SafetensorsEntry> tensors;
};

// What metadata may take up: names of 65,536 classes have room in a value, and its JSON, nested however
// badly, costs a tenth of a gigabyte.
inline constexpr std::size_t longestMetadataValue = 2u << 20; // bytes

// Takes time in proportion to the text. dataBytes: what the file holds behind its header. The entries
// returned cover it exactly, without overlap or hole, and each is as long as its shape and type say. Throws
// earshot::Error, beginning with `file`.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes,
                                         const std::string& file);

} // namespace earshot::model
