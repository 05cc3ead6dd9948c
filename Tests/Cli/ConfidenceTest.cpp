#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace earshot;
using test::runEarshot;

namespace {

using Json = nlohmann::json;

std::string demo() { return test::demoFile().string(); }

Json heard(std::vector<std::string> options) {
    options.insert(options.begin(), {"analyze", demo(), "--format", "json", "--quiet"});
    const auto result = runEarshot(options);
    CAPTURE(result.errors);
    REQUIRE(result.exitCode == 0);
    return Json::parse(result.output);
}

} // namespace

TEST_CASE("by confidence, the demo's sounds are heard, each with how sure it is", "[unit]") {
    const auto info = Json::parse(runEarshot({"info", "--format", "json"}).output);
    const double least = info.at("least_confidence").get<double>();
    CHECK(least > 0.0);
    CHECK(least < 1.0);
    CHECK_THAT(runEarshot({"info"}).output, ContainsSubstring("--confidence auto"));

    const auto events = heard({"--confidence", "auto"});
    std::vector<std::string> labels;
    for (const Json& event : events) {
        CHECK(event.at("confidence").get<double>() >= least - 1e-6);
        CHECK(event.at("confidence").get<double>() <= 1.0);
        labels.push_back(event.at("label").get<std::string>());
    }
    for (const std::string label : {"Speech", "Flute", "Tom", "Clarinet"}) {
        CAPTURE(label);
        CHECK(std::count(labels.begin(), labels.end(), label) == 1);
    }
    const auto sure = heard({"--confidence", "0.6"});
    CHECK(sure.size() < events.size());
    for (const Json& event : sure) CHECK(event.at("confidence").get<double>() >= 0.6);
    CHECK(heard({"--confidence", "1"}).empty());
    for (const Json& event : heard({})) CHECK(!event.contains("confidence"));

    // Formats with one number for how sure an event is have the confidence there.
    const auto raven = runEarshot({"analyze", demo(), "--confidence", "auto", "--format", "raven"}).output;
    for (const Json& event : events)
        CHECK_THAT(raven, ContainsSubstring("\t" + event.at("label").get<std::string>() + "\t" +
                                            fmt::format("{:.6f}\t", event.at("confidence").get<double>())));

    const auto table = runEarshot({"analyze", demo(), "--confidence", "auto", "--explain"});
    CHECK_THAT(table.output, ContainsSubstring("confidence\n") && ContainsSubstring("below the least"));
    CHECK_THAT(runEarshot({"analyze", demo(), "--confidence", "1"}).output,
               ContainsSubstring("; --explain lists near misses"));
    const auto explained = runEarshot({"analyze", demo(), "--confidence", "1", "--explain"}).output;
    CHECK_THAT(explained, ContainsSubstring("Nothing detected. Nearest: ") &&
                              ContainsSubstring("Near misses") && !ContainsSubstring("--explain"));
}

TEST_CASE("a batch decides by confidence too, and remembers it", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string output = (directory / "out").string();
    const auto batch = [&](const std::string& confidence) {
        return runEarshot(
            {"analyze", demo(), "--output-dir", output, "--format", "json", "--confidence", confidence});
    };
    REQUIRE(batch("auto").exitCode == 0);
    const auto events = Json::parse(test::readBytes(directory / "out/demo.flac.json"));
    const auto alone = heard({"--confidence", "auto"});
    REQUIRE(events.size() == alone.size());
    for (std::size_t i = 0; i < events.size(); ++i)
        CHECK(events[i].at("confidence") == alone[i].at("confidence"));
    const auto other = batch("0.5");
    CHECK(other.exitCode == 1);
    CHECK_THAT(other.errors, ContainsSubstring("confidence was auto and is 0.5 now"));
}

TEST_CASE("events by confidence are scored", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeBytes(directory / "data.csv",
                     "file,onset,offset,label\n" + demo() + ",9,13.8,Flute\n" + demo() + ",29,33,Clarinet\n");
    const std::string data = (directory / "data.csv").string();
    const auto scored = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"evaluate", "--data", data, "--format", "json"});
        const auto result = runEarshot(options);
        CAPTURE(result.errors);
        REQUIRE(result.exitCode == 0);
        return Json::parse(result.output);
    };
    const auto report = scored({"--confidence", "auto", "--sweep"});
    CHECK_THAT(report.at("thresholds").get<std::string>(), ContainsSubstring("confidence"));
    CHECK(report.at("events_500ms").at("true_positives") == 2);
    CHECK(report.at("events_500ms").at("false_positives") == heard({"--confidence", "auto"}).size() - 2);
    CHECK(scored({"--confidence", "1"}).at("events_500ms").at("false_positives") == 0);
}

TEST_CASE("confidence where it makes no sense is a one-line error", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto plain = test::writeNamedModel(directory / "a.safetensors", {"Cat", "Dog"});
    const auto fails = [](const std::vector<std::string>& arguments, const std::string& why) {
        const auto result = runEarshot(arguments);
        CAPTURE(result.errors);
        CHECK(result.exitCode == 2);
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(why));
    };
    fails({"analyze", demo(), "--confidence", "much"}, "is not auto or a probability");
    fails({"analyze", demo(), "--confidence", "1.5"}, "is not auto or a probability");
    fails({"analyze", demo(), "--confidence", "auto", "--threshold", "0.3"}, "takes the place of thresholds");
    fails({"analyze", demo(), "--confidence", "auto", "--median", "3"}, "takes the place of thresholds");
    fails({"analyze", demo(), "--confidence", "auto", "--class-threshold", "Dog=0.3"},
          "takes the place of thresholds");
    fails({"analyze", demo(), "--confidence", "auto", "--model", plain}, "gives no confidences");
    fails({"evaluate", plain, "--noise", "0.01", "--confidence", "auto"}, "gives no confidences");
    fails({"evaluate", "--noise", "0.01", "--confidence", "auto", "--thresholds", "0.5"},
          "takes the place of --thresholds");
    fails({"evaluate", "--noise", "0.01", "--confidence", "auto", "--median", "3"}, "takes the place of");
}
