// Reads files with Python's readers: Tests/Support/read_results.py, run by Debian's own Python.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace earshot::test {

// The script's output for this kind of file. Nothing, with a message, if the reader is not installed.
std::optional<std::string> readTextByPython(const std::string& kind, const std::filesystem::path& file);
std::optional<nlohmann::json> readByPython(const std::string& kind, const std::filesystem::path& file);

} // namespace earshot::test
