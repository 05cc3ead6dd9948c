// Files as Python's readers find them: Tests/Support/read_results.py, by Debian's own Python.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace earshot::test {

// What the script writes for this kind of file; nothing, with a message, where the reader is not installed.
std::optional<std::string> readTextByPython(const std::string& kind, const std::filesystem::path& file);
std::optional<nlohmann::json> readByPython(const std::string& kind, const std::filesystem::path& file);

} // namespace earshot::test
