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
    const std::string advice = "; --threshold ";
    const auto at = nothing.find(advice);
    REQUIRE(at != std::string::npos);
    CHECK_THAT(nothing, ContainsSubstring(" would show it."));
    CHECK_THAT(table({"--threshold", nothing.substr(at + advice.size(), 4)}),
               !ContainsSubstring("Nothing heard"));
    CHECK_THAT(table({"--threshold", "1", "--min-duration", "0.05"}), ContainsSubstring(" would show it."));
    for (const auto& filter : {std::pair("--median", "5"), std::pair("--min-duration", "30")}) {
        const auto filtered = table({"--threshold", "1", filter.first, filter.second});
        CHECK_THAT(filtered,
                   ContainsSubstring("; it reaches --threshold ") && !ContainsSubstring("would show"));
    }
    const std::vector<std::string> brief = {"--threshold", "0.3", "--min-duration", "100"};
    CHECK_THAT(table(brief), ContainsSubstring(", --explain says why."));
    CHECK_THAT(table({"--threshold", "0.3", "--min-duration", "100", "--explain"}),
               ContainsSubstring("than the filters allow.") && !ContainsSubstring("--explain"));
}
