#include "Cli/Analyze/BatchReport.h"

#include "Support/Catch.h"

using namespace earshot;

TEST_CASE("progress says how much is done, how fast, and how long it takes", "[unit]") {
    batch::BatchProgress progress{.done = 12, .total = 312, .secondsHeard = 5040.0, .share = 0.25};
    CHECK(cli::progressText(progress, 60.0) ==
          "12 of 312 recordings  1.4 h analysed  84x real time  about 3:00 left");
    progress.share = 0.001;
    CHECK(cli::progressText(progress, 60.0) == "12 of 312 recordings  1.4 h analysed  84x real time");
    CHECK(cli::progressText({.done = 0, .total = 1, .secondsHeard = 0.0, .share = 0.0}, 0.0) ==
          "0 of 1 recording  0.0 s analysed");
}

TEST_CASE("the summary says what was heard and what failed", "[unit]") {
    batch::BatchSummary summary;
    summary.total = summary.done = summary.heard = 312;
    summary.secondsHeard = 41.2 * 3600;
    CHECK(cli::summaryText(summary, "out", 785.0) == "312 recordings, 41.2 h in 13:05, 189x real time");
    summary.failures = {{"a.wav", "x"}, {"b.wav", "y"}};
    CHECK(cli::summaryText(summary, "out", 785.0) ==
          "312 recordings, 41.2 h in 13:05, 189x real time, 2 failed: see out/failed.csv");
    CHECK(cli::summaryText({.total = 5,
                            .done = 5,
                            .tried = 0,
                            .heard = 0,
                            .secondsHeard = 0.0,
                            .failures = {},
                            .warnings = {}},
                           "out", 1.0) == "5 recordings, 0 of them analysed now");
    CHECK(cli::passedOverText(25560.0, 36000.0) == "71 % of 10:00:00 passed over after one look");
    CHECK(cli::passedOverText(299.0, 36000.0).empty());
    CHECK(cli::passedOverText(50.0, 59.0).empty());
    CHECK(cli::passedOverText(0.0, 0.0).empty());
    summary = {.total = 1,
               .done = 1,
               .heard = 1,
               .secondsHeard = 36000.0,
               .secondsPassedOver = 25560.0,
               .failures = {},
               .warnings = {}};
    CHECK(cli::summaryText(summary, "out", 80.0) ==
          "1 recording, 10.0 h in 1:20, 450x real time, 71 % of 10:00:00 passed over after one look");
    // A folder that cannot be read is one with its recordings.
    summary = {
        .total = 3, .done = 3, .tried = 2, .heard = 0, .secondsHeard = 0.0, .failures = {}, .warnings = {}};
    summary.failures = {{"a.wav", "x", true}, {"closed", "y", true}, {"closed/b.wav", "y", true}};
    CHECK(cli::summaryText(summary, "out", 1.0) ==
          "3 recordings, 0 of them analysed now, 2 could not be reached and kept what was known: see "
          "out/failed.csv");
}

TEST_CASE("durations are short for people", "[unit]") {
    CHECK(cli::audioLength(3.21) == "3.2 s");
    CHECK(cli::audioLength(90.0) == "1.5 min");
    CHECK(cli::audioLength(3600.0) == "1.0 h");
}
