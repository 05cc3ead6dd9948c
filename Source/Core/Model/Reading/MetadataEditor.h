// Adds to the metadata of a safetensors file. One thread for each file.
#pragma once

#include <filesystem>
#include <string>

namespace earshot::model {

// Writes a copy of `from` to `to`, which appears whole or not at all, with that text under that key; tensors
// and all else stay as they are. Throws earshot::Error if `from` is no safetensors file, or `to` cannot be
// written.
void copyWithMetadata(const std::filesystem::path& from, const std::filesystem::path& to,
                      const std::string& key, const std::string& text);

} // namespace earshot::model
