#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/Skip.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

using namespace earshot;
using test::runEarshot;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view pngSignature = "\x89PNG\r\n\x1a\n";

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

test::ProcessResult runIn(const fs::path& folder, const std::string& arguments) {
    return test::runProcess(
        "/bin/sh", {"-c", "cd '" + folder.string() + "' && '" + test::programPath() + "' " + arguments});
}

const std::string demo = test::demoFile().string();

} // namespace

TEST_CASE("a single recording's picture lies in the current folder, and shows what was heard", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto result = runIn(directory.path(), "analyze --plot svg --quiet '" + demo + "'");
    REQUIRE(result.exitCode == 0);
    const auto svg = contentOf(directory / "demo.flac.svg");
    REQUIRE(svg.starts_with("<?xml"));
    REQUIRE(svg.ends_with("</svg>\n"));
    const auto events = test::lineCount(runEarshot({"analyze", "--format", "csv", demo}).output) - 1;
    for (const std::string& text :
         std::vector<std::string>{"<title>demo.flac<", "earshot-default", ">Speech<", ">Flute<", "0:35.0",
                                  fmt::format("{} events", events)}) {
        INFO(text);
        REQUIRE(svg.find(text) != std::string::npos);
    }
    // The results are the same as without.
    REQUIRE(result.output == runEarshot({"analyze", "--quiet", demo}).output);
    const auto only = runIn(directory.path(), "analyze --plot svg --overwrite --only Flute '" + demo + "'");
    REQUIRE(only.exitCode == 0);
    const auto less = contentOf(directory / "demo.flac.svg");
    REQUIRE(less.find(">Speech<") == std::string::npos);
    REQUIRE(less.find(">Flute<") != std::string::npos);
}

TEST_CASE("every recording of a batch has a picture, the same with any number of jobs", "[unit]") {
    const test::TemporaryDirectory directory;
    fs::create_directories(directory / "in" / "deep");
    test::makeNoise(directory / "in" / "a.wav");
    test::makeNoise(directory / "in" / "deep" / "b.wav");
    const auto run = [&](const std::string& out, const std::string& jobs) {
        return runEarshot({"analyze", (directory / "in").string(), "--output-dir", (directory / out).string(),
                           "--plot", "svg", "--jobs", jobs, "--threads", jobs});
    };
    REQUIRE(run("one", "1").exitCode == 0);
    REQUIRE(run("three", "3").exitCode == 0);
    for (const char* name : {"a.wav.svg", "deep/b.wav.svg"}) {
        INFO(name);
        const auto svg = contentOf(directory / "one" / name);
        REQUIRE(svg.ends_with("</svg>\n"));
        REQUIRE(svg == contentOf(directory / "three" / name));
    }
    // Removed, it is drawn again; the others are left alone.
    const auto before = contentOf(directory / "one" / "a.wav.svg");
    const auto untouched = fs::last_write_time(directory / "one" / "deep" / "b.wav.svg");
    fs::remove(directory / "one" / "a.wav.svg");
    REQUIRE(run("one", "1").exitCode == 0);
    REQUIRE(contentOf(directory / "one" / "a.wav.svg") == before);
    REQUIRE(fs::last_write_time(directory / "one" / "deep" / "b.wav.svg") == untouched);
}

TEST_CASE("pictures are PNG where the build can draw them", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto noise = test::makeNoise(directory / "a.wav");
    const auto result =
        runEarshot({"analyze", noise, "--output-dir", (directory / "out").string(), "--plot", "png"});
    if (result.errors.find("built without librsvg") != std::string::npos) {
        REQUIRE(result.exitCode == 2);
        return test::skip("built without librsvg");
    }
    REQUIRE(result.exitCode == 0);
    REQUIRE(contentOf(directory / "out" / "a.wav.png").starts_with(pngSignature));
}

TEST_CASE("a picture that has no place or no such kind is refused before anything is heard", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto noise = test::makeNoise(directory / "a.wav");
    for (const auto& [arguments, why] :
         {std::pair<std::string, std::string>{"a.wav '" + demo + "' --plot svg", "--output-dir"},
          {"- --plot svg < a.wav", "standard input"},
          {"a.wav --plot gif", "--plot"}}) {
        const auto result = runIn(directory.path(), "analyze " + arguments);
        INFO(arguments << ": " << result.errors);
        REQUIRE(result.exitCode == 2);
        REQUIRE(result.output.empty());
        REQUIRE_THAT(result.errors, ContainsSubstring(why));
        REQUIRE(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()) == 1);
    }
}
