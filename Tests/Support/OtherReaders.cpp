#include "Support/OtherReaders.h"

#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/Process.h"
#include "Support/Skip.h"

#include <nlohmann/json.hpp>

namespace earshot::test {

std::optional<std::string> readTextByPython(const std::string& kind, const std::filesystem::path& file) {
    constexpr const char* python = "/usr/bin/python3";
    constexpr int missing = 77;
    if (!std::filesystem::exists(python)) {
        skip(std::string(python) + " is not there (Debian: python3)");
        return std::nullopt;
    }
    const auto script = sourceDirectory() / "Tests" / "Support" / "read_results.py";
    const auto result = runProcess(python, {"-B", "-I", "-X", "utf8", script.string(), kind, file.string()});
    if (result.exitCode == missing) {
        skip(result.errors + "(Debian: python3-mido)");
        return std::nullopt;
    }
    INFO(result.errors);
    REQUIRE(result.exitCode == 0);
    return result.output;
}

std::optional<nlohmann::json> readByPython(const std::string& kind, const std::filesystem::path& file) {
    const auto text = readTextByPython(kind, file);
    if (!text) return std::nullopt;
    return nlohmann::json::parse(*text);
}

} // namespace earshot::test
