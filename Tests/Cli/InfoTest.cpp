#include "Cli/Earshot.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

using namespace earshot;
using test::runEarshot;

TEST_CASE("info describes the default model", "[unit]") {
    const auto result = runEarshot({"info"});
    CHECK(result.exitCode == 0);
    CHECK(result.errors.empty());
    for (const std::string part : {"HTS-AT", "safetensors", "32000 Hz", "Parameters", "Memory", "Precision",
                                   "Licence", "Sounds", "Gunshot, explosion"})
        CHECK_THAT(result.output, ContainsSubstring(part));
    std::size_t width = 0;
    for (const char c : result.output) {
        width = c == '\n' ? 0 : width + 1;
        REQUIRE(width <= 200);
    }
}

TEST_CASE("info as JSON says the same to programs", "[unit]") {
    const auto result = runEarshot({"info", "--format", "json"});
    CHECK(result.exitCode == 0);
    const auto document = nlohmann::json::parse(result.output);
    CHECK(document.at("config").at("sample_rate") == 32000);
    CHECK(document.at("config").at("classes") == document.at("labels").size());
    CHECK(document.at("file_bytes") == std::filesystem::file_size(document.at("file").get<std::string>()));
    CHECK(document.at("parameters").get<long long>() > 1000000);
    const auto automatic = document.at("precision").at("automatic").get<std::string>();
    CHECK((automatic == "f32" || automatic == "bf16" || automatic == "int8"));
    CHECK_FALSE(document.at("precision").at("reason").get<std::string>().empty());
    CHECK(document.at("memory_bytes").at("weights").get<long long>() > 0);
}

TEST_CASE("info fails on what is no model", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "empty.safetensors", "");
    test::writeBytes(directory / "text.ckpt", "no model at all");
    for (const std::string name : {"empty.safetensors", "text.ckpt", "missing.pt", "."}) {
        CAPTURE(name);
        const auto result = runEarshot({"info", (directory / name).string()});
        CHECK(result.exitCode == 1);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring((directory / name).string()));
    }
}
