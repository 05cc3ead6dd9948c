// Breaks model files in every way a download or an attacker can, and has them read to the end. What is read
// does not matter here: anything but values or an earshot::Error fails the test (or trips a sanitizer).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace earshot::test {

// Reads all tensors and the layout of a file with these bytes, written to `file`. True when it opened.
bool readToTheEnd(const std::filesystem::path& file, const std::string& bytes);

// One to four bytes changed, inserted or removed, the same for the same seed.
std::string mutated(const std::string& bytes, std::uint32_t seed);

} // namespace earshot::test
