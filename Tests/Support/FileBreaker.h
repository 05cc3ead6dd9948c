// Damages model files in every way that a download or an attacker can, and reads them to the end. The values
// do not matter: anything except values or an earshot::Error fails the test (or triggers a sanitizer).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace earshot::test {

// Reads all tensors and the layout of a file with these bytes, written to `file`. Returns true if it opened.
bool readToTheEnd(const std::filesystem::path& file, const std::string& bytes);

// Changes, inserts or removes one to four bytes; the same seed gives the same damage.
std::string mutated(const std::string& bytes, std::uint32_t seed);

} // namespace earshot::test
