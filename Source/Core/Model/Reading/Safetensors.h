// Reads safetensors files: an 8-byte length, a JSON header, then the tensors' bytes without gaps.
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

// Throws earshot::Error if the header violates the format or does not fit the file.
std::unique_ptr<Checkpoint> openSafetensors(RegularFile file);

// The JSON header of a safetensors file. Parsing checks it strictly, because later reads trust it.
// Plain values and a pure function: any thread.
struct SafetensorsEntry {
    TensorInfo info;
    std::uint64_t begin = 0; // bytes, from the end of the header
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::map<std::string, std::string> metadata;
    std::map<std::string, SafetensorsEntry> tensors;
};

// The limit of a metadata value. The names of 65,536 classes fit into it, and to parse it as JSON takes a
// tenth of a gigabyte at most, however deeply it is nested.
inline constexpr std::size_t maxMetadataValueLength = 2u << 20; // bytes

// Parses and checks a header in time proportional to its length. dataBytes: the file's bytes after the
// header. The returned entries cover these bytes exactly, without overlap or hole, and the length of each
// matches its shape and type. Throws earshot::Error, beginning with `file`.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes,
                                         const std::string& file);

} // namespace earshot::model
