#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace earshot;
using test::runEarshot;

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Json evaluated(const Words& arguments) {
    const auto result = runEarshot(with({"evaluate"}, with(arguments, {"--format", "json"})));
    CAPTURE(result.errors);
    REQUIRE(result.exitCode == 0);
    return Json::parse(result.output);
}

// Six recordings of 1.5 s, in four of which something sounds.
std::string makeData(const test::TemporaryDirectory& directory) {
    std::string rows = "file,onset,offset,label\n";
    for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
        test::makeNoise(directory / (name + ".wav"));
        rows += name + ".wav," + (name < "e" ? "0.2,1.2,Dog" : ",,") + "\n";
    }
    test::writeBytes(directory / "data.csv", rows);
    return (directory / "data.csv").string();
}

} // namespace

TEST_CASE("the mean of F1 is over annotated sounds, and others are listed apart", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\na.wav,0,1.5,Dog\n");
    const auto model = test::writeNamedModel(directory / "a.safetensors", {"Dog", "Rain", "Bell"});
    const Words words = {model, "--data", (directory / "data.csv").string(), "--thresholds", "0"};
    const Json report = evaluated(words);
    // All three are found from the beginning to the end.
    for (const char* kind : {"events_200ms", "events_500ms", "segments_1s"})
        CHECK(report.at(kind).at("macro_f1") == 1.0);
    CHECK(report.at("events_200ms").at("f1") == 0.5);
    CHECK(report.at("classes")[0].at("label") == "Dog");
    CHECK(report.at("classes_detected_but_not_in_data").size() == 2);
    CHECK_THAT(runEarshot(with({"evaluate"}, words)).output,
               ContainsSubstring("not annotated in this data") &&
                   ContainsSubstring("1 event in 2 seconds  Rain"));
}

TEST_CASE("annotated sounds of no length are counted and named", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav");
    test::makeNoise(directory / "b.wav");
    const auto model = test::writeNamedModel(directory / "a.safetensors", {"Dog", "Rain"});
    const auto report = [&](const std::string& name, const std::string& text, const char* threshold) {
        test::writeBytes(directory / name, text);
        return evaluated({model, "--data", (directory / name).string(), "--thresholds", threshold});
    };
    const std::string rows = "file,onset,offset,label\na.wav,0.5,0.5,Dog\nb.wav,0,1.5,Dog\nb.wav,1,1,Rain\n";
    const Json deaf = report("data.csv", rows, "1");
    CHECK(deaf.at("data").at("sounds_of_no_length") == Json({{"Dog", 1}, {"Rain", 1}}));
    CHECK(deaf.at("data").at("recordings") == 2);
    CHECK(deaf.at("events_500ms").at("false_negatives") == 3);
    CHECK(deaf.at("classes")[0].at("annotated").get<int>() +
              deaf.at("classes")[1].at("annotated").get<int>() ==
          3);
    // PSDS has the one sound that can be covered.
    CHECK(report("data.csv", rows, "0").at("psds2") ==
          report("data.csv", "file,onset,offset,label\na.wav,,,\nb.wav,0,1.5,Dog\n", "0").at("psds2"));
    // A label track of moments alone.
    CHECK(report("a.txt", "0.5\t0.5\tDog\n1\t1\tDog\n", "1").at("events_200ms").at("false_negatives") == 2);
    const auto table = runEarshot({"evaluate", model, "--data", (directory / "a.txt").string()});
    CHECK(table.errors.empty());
    CHECK_THAT(table.output,
               ContainsSubstring("2 annotated sounds of no length") && ContainsSubstring("Dog (2)"));
}

TEST_CASE("evaluate computes in the numbers that analyze uses", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string data = makeData(directory);
    CHECK(evaluated({"--data", data}) == evaluated({"--data", data, "--precision", "auto"}));
    CHECK(evaluated({"--data", data, "--precision", "f32"}).at("precision") == "float32");
    const auto help = runEarshot({"evaluate", "--help"}).output;
    CHECK_THAT(help, ContainsSubstring("(default: auto)"));
    CHECK_THAT(runEarshot({"evaluate", "--data", data}).output, ContainsSubstring("Computed in "));
}

TEST_CASE("evaluate --bootstrap gives intervals, the same for a seed", "[unit]") {
    const test::TemporaryDirectory directory;
    const Words words = {"--data", makeData(directory), "--thresholds", "0", "--bootstrap", "200"};
    const Json report = evaluated(words);
    const Json& intervals = report.at("intervals");
    CHECK(intervals.at("level") == 0.95);
    CHECK(intervals.at("draws") == 200);
    const Json& scores = intervals.at("scores");
    CHECK(scores.size() == 13);
    for (const auto& [name, score] : scores.items()) {
        CAPTURE(name);
        CHECK(score.at("low") <= score.at("value"));
        CHECK(score.at("high") >= score.at("value"));
    }
    CHECK(scores.at("event_f1_500ms").at("value").get<double>() ==
          Approx(report.at("events_500ms").at("f1").get<double>()));
    CHECK(scores.at("segment_error_rate_1s").at("value").get<double>() ==
          Approx(report.at("segments_1s").at("error_rate").get<double>()));
    CHECK(scores.at("psds1").at("value").get<double>() == Approx(report.at("psds1").get<double>()));
    CHECK(scores.at("segment_f1_1s").at("low") < scores.at("segment_f1_1s").at("high"));
    CHECK(evaluated(words) == report);
    CHECK(evaluated(with(words, {"--seed", "2"})).at("intervals") != intervals);

    const auto table = runEarshot(with({"evaluate"}, words));
    CHECK_THAT(table.output,
               ContainsSubstring("95 % intervals over 6 recordings (percentile bootstrap, 200"));
    const auto rows = test::parseCsv(runEarshot(with({"evaluate", "--format", "csv"}, words)).output);
    REQUIRE(rows.size() == 14);
    CHECK(rows[0] == test::parseCsv("score,value,low,high\n")[0]);

    const auto fails = [](const Words& arguments, const std::string& says) {
        const auto result = runEarshot(with({"evaluate"}, arguments));
        CHECK(result.exitCode == 2);
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(says));
    };
    fails({"--noise", "1", "--bootstrap", "100"}, "--data");
    fails(with(words, {"--format", "csv", "--sweep"}), "--sweep or --bootstrap");
    fails({"--data", words[1], "--bootstrap", "9"}, "100");
    fails({"--noise", "1", "--against", "x.ckpt"}, "--data");
    fails(with(words, {"--noise", "1", "--against", "x.ckpt"}), "--noise");
}

TEST_CASE("evaluate --against compares two models on the sounds that both know", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string data = makeData(directory);
    const auto model = test::writeNamedModel(directory / "a.safetensors", {"Dog", "Rain", "Bell"});
    const auto other = test::writeNamedModel(directory / "b.safetensors", {"Bell", "Zither", "dog"});
    const Words words = {model, "--data", data, "--thresholds", "0", "--bootstrap", "100"};

    const Json same = evaluated(with(words, {"--against", model}));
    CHECK(same.at("comparison").at("sounds_both_know") == 3);
    for (const auto& [name, score] : same.at("comparison").at("scores").items()) {
        CAPTURE(name);
        CHECK(score.at("difference") == 0.0);
        CHECK(score.at("p_value") == 1.0);
        CHECK(score.at("differ") == false);
    }
    CHECK(same.at("intervals") == evaluated(words).at("intervals"));

    const Json report = evaluated(with(words, {"--against", other}));
    CHECK(report.at("comparison").at("sounds_both_know") == 2);
    CHECK(report.at("comparison").at("second") == "b.safetensors");
    // At threshold 0 both find everything, of the two sounds alone.
    CHECK(report.at("classes").size() == 2);
    CHECK(report.at("events_500ms").at("false_positives") == 8);
    CHECK(report.at("comparison").at("scores").at("event_f1_500ms").at("difference") == 0.0);

    const auto table = runEarshot(with({"evaluate"}, with(words, {"--against", other})));
    CAPTURE(table.errors);
    CHECK_THAT(table.output,
               ContainsSubstring("B: b.safetensors") && ContainsSubstring("2 sounds that both"));
    const auto rows = test::parseCsv(
        runEarshot(with({"evaluate", "--format", "csv"}, with(words, {"--against", other}))).output);
    REQUIRE(rows.size() == 14);
    for (const auto& row : rows) CHECK(row.size() == 12);

    const auto third = test::writeNamedModel(directory / "c.safetensors", {"Zither"});
    const auto nothing = runEarshot(with({"evaluate"}, with(words, {"--against", third})));
    CHECK(nothing.exitCode == 1);
    CHECK_THAT(nothing.errors, ContainsSubstring("no sound in common"));
    const auto gone = runEarshot(with({"evaluate"}, with(words, {"--against", "gone.ckpt"})));
    CHECK(gone.exitCode == 1);
    CHECK_THAT(gone.errors, ContainsSubstring("gone.ckpt"));
}

TEST_CASE("scenes are the same for two models", "[slow]") {
    const test::TemporaryDirectory directory;
    std::filesystem::create_directories(directory / "clips/Dog");
    std::filesystem::create_directories(directory / "clips/Rain");
    std::uint32_t seed = 1;
    for (const char* name : {"Dog/1.wav", "Dog/2.wav", "Rain/1.wav", "Rain/2.wav"})
        test::writeAudio(directory / "clips" / name, test::AudioFormat::wavPcm16, 32000, 1,
                         test::noise(48000, seed++));
    const auto model = test::writeNamedModel(directory / "a.safetensors", {"Dog", "Rain"});
    const auto other = test::writeNamedModel(directory / "b.safetensors", {"Rain", "Dog", "Bell"});
    const Json report =
        evaluated({model, "--data", (directory / "clips").string(), "--scenes", "4", "--scene-seconds", "6",
                   "--thresholds", "0", "--against", other, "--bootstrap", "100"});
    CHECK(report.at("data").at("kind") == "scenes");
    CHECK(report.at("comparison").at("scores").at("segment_f1_1s").at("difference") == 0.0);
}
