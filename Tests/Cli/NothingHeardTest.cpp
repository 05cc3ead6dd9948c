// What the table says of a recording without events.
#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <string>
#include <utility>
#include <vector>

using namespace earshot;
using test::runEarshot;

TEST_CASE("what would show the nearest sound is told only where it does", "[unit]") {
    const std::string demo = test::demoFile().string();
    const auto table = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"analyze", demo, "--quiet"});
        return runEarshot(options).output;
    };
    const auto nothing = table({"--threshold", "1"});
    const std::string advice = "; --class-threshold ";
    const auto at = nothing.find(advice);
    REQUIRE(at != std::string::npos);
    CHECK_THAT(nothing,
               ContainsSubstring("Nothing detected. Nearest: ") && ContainsSubstring(" would show it."));
    // The advice is taken as it stands.
    const auto end = nothing.find(" would show it.");
    auto word = nothing.substr(at + advice.size(), end - at - advice.size());
    std::erase(word, '\'');
    const auto sound = word.substr(0, word.rfind('='));
    CHECK_THAT(nothing, ContainsSubstring("Nearest: " + sound + " at "));
    const auto shown = table({"--threshold", "1", "--class-threshold", word});
    CHECK_THAT(shown, !ContainsSubstring("Nothing detected") && ContainsSubstring(sound));
    CHECK_THAT(table({"--threshold", "1", "--min-duration", "0.05"}), ContainsSubstring(" would show it."));
    for (const auto& filter : {std::pair("--median", "5"), std::pair("--min-duration", "30")}) {
        const auto filtered = table({"--threshold", "1", filter.first, filter.second});
        CHECK_THAT(filtered,
                   ContainsSubstring("; it reaches --class-threshold ") && !ContainsSubstring("would show"));
    }
    const std::vector<std::string> brief = {"--threshold", "0.3", "--min-duration", "100"};
    CHECK_THAT(table(brief), ContainsSubstring(", --explain says why."));
    CHECK_THAT(table({"--threshold", "0.3", "--min-duration", "100", "--explain"}),
               ContainsSubstring("than the filters allow.") && !ContainsSubstring("--explain"));
}

TEST_CASE("advice quotes a name for the shell, and never names a threshold below 0.05", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto quiet = (directory / "hiss.wav").string();
    test::writeAudio(quiet, test::AudioFormat::wavPcm16, 32000, 1, test::noise(64000, 3, 0.01f));
    // A sound of which there is next to nothing in noise, and one whose name has a blank.
    for (const std::string sound : {"Cat", "Baby cry"}) {
        const auto table =
            runEarshot({"analyze", quiet, "--quiet", "--only", sound, "--threshold", "1"}).output;
        CAPTURE(table);
        REQUIRE_THAT(table, ContainsSubstring("Nothing detected. Nearest: " + sound + " at "));
        const auto at = table.find("--class-threshold");
        if (at == std::string::npos)
            CHECK_THAT(table, ContainsSubstring("it needs."));
        else
            CHECK(std::stod(table.substr(table.find('=', at) + 1)) >= 0.05);
    }
    const auto guitar = runEarshot({"analyze", test::demoFile().string(), "--quiet", "--only",
                                    "Acoustic guitar", "--threshold", "1"})
                            .output;
    if (guitar.find("--class-threshold") != std::string::npos)
        CHECK_THAT(guitar, ContainsSubstring("--class-threshold 'Acoustic guitar="));
}
