#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>

using namespace earshot;
using test::runEarshot;

namespace {

using Json = nlohmann::json;

Json evaluated(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "evaluate");
    arguments.insert(arguments.end(), {"--format", "json"});
    const auto result = runEarshot(arguments);
    CAPTURE(result.errors);
    REQUIRE(result.exitCode == 0);
    return Json::parse(result.output);
}

// Noise of `seconds` with silence before and after, each of a fifth of that.
void writeBurst(const std::filesystem::path& file, double seconds, std::uint32_t seed) {
    const auto quiet = static_cast<std::size_t>(seconds * 32000.0 / 5.0);
    std::vector<float> samples(quiet, 0.0f);
    const auto burst = test::noise(static_cast<std::size_t>(seconds * 32000.0), seed);
    samples.insert(samples.end(), burst.begin(), burst.end());
    samples.resize(samples.size() + quiet, 0.0f);
    test::writeAudio(file, test::AudioFormat::wavPcm16, 32000, 1, samples);
}

// Two clips each of two sounds the model knows, and one of a sound it does not.
std::string makeClipFolders(const test::TemporaryDirectory& directory) {
    std::uint32_t seed = 1;
    for (const std::string name : {"Dog/1.wav", "Dog/2.wav", "rain/1.wav", "rain/2.wav", "Zither/1.wav"}) {
        const auto file = directory / ("clips/" + name);
        std::filesystem::create_directories(file.parent_path());
        writeBurst(file, 1.0, seed++);
    }
    return (directory / "clips").string();
}

} // namespace

TEST_CASE("recordings with times are scored by events and seconds", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    test::makeNoise(directory / "b.wav");
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\n"
                                             "a.wav,0,1.5,Dog\n"
                                             "b.wav,0,1.5,dog\n"
                                             "b.wav,0.2,0.9,Zither\n");
    const std::string data = (directory / "data.csv").string();
    // At threshold 0 every sound is heard from the beginning to the end: both dogs are found, and all the
    // other sounds are wrong in each of two recordings.
    const Json report = evaluated({"--data", data, "--thresholds", "0"});
    const auto classes = report.at("classes").size();
    REQUIRE(classes > 2);
    const auto others = static_cast<int>(classes) - 1;
    CHECK(report.at("data").at("recordings") == 2);
    CHECK(report.at("data").at("times_annotated") == 2);
    CHECK(report.at("data").at("seconds").get<double>() == Approx(3.0));
    CHECK(report.at("data").at("labels_unknown_to_model") == Json::array({"Zither"}));
    CHECK(report.at("data").at("classes_not_in_data").size() == classes - 1);
    for (const char* kind : {"events_200ms", "events_500ms"}) {
        CHECK(report.at(kind).at("true_positives") == 2);
        CHECK(report.at(kind).at("false_positives") == 2 * others);
        CHECK(report.at(kind).at("recall") == 1.0);
    }
    CHECK(report.at("segments_1s").at("true_positives") == 4);
    CHECK(report.at("segments_1s").at("false_positives") == 4 * others);
    CHECK(report.at("false_alarms_per_hour").get<double>() == Approx(2.0 * others * 3600.0 / 3.0));
    CHECK(report.at("mean_average_precision") == 1.0);
    CHECK(report.at("classes")[0].at("label") == "Dog");
    CHECK(report.at("classes")[0].at("annotated") == 2);
    CHECK(report.count("clips") == 0);

    const Json deaf = evaluated({"--data", data, "--thresholds", "1"});
    CHECK(deaf.at("events_200ms").at("false_negatives") == 2);
    CHECK(deaf.at("false_alarms_per_hour") == 0.0);
    CHECK(deaf.at("classes").size() == 1);
}

TEST_CASE("what is found in a recording without sounds is wrong in every score", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    test::makeNoise(directory / "b.wav");
    const auto evaluate = [&](const std::string& rows) {
        test::writeBytes(directory / "data.csv", "file,onset,offset,label\n" + rows);
        return evaluated({"--data", (directory / "data.csv").string(), "--thresholds", "0"});
    };
    const Json report = evaluate("a.wav,0,1.5,Dog\nb.wav,,,\n");
    CHECK(report.at("data").at("recordings") == 2);
    CHECK(report.at("data").at("times_annotated") == 2);
    CHECK(report.count("nothing_to_hear") == 0);
    const auto alarms = 2 * static_cast<int>(report.at("classes").size()) - 1;
    CHECK(report.at("events_500ms").at("true_positives") == 1);
    CHECK(report.at("events_500ms").at("false_positives") == alarms);
    CHECK(report.at("segments_1s").at("false_positives") == 2 * alarms);
    CHECK(report.at("false_alarms_per_hour").get<double>() == Approx(alarms * 3600.0 / 3.0));
    CHECK(report.at("mean_average_precision") == 0.5); // the dog is as likely in both
    // Data with other sounds alone counts alike.
    const Json others = evaluate("a.wav,0,1.5,Dog\nb.wav,0,1,Zither\n");
    for (const char* score : {"events_200ms", "events_500ms", "segments_1s", "psds1", "psds2"})
        CHECK(report.at(score) == others.at(score));
    CHECK(others.at("mean_average_precision") == 0.5);
    // Without times it counts for average precision alone.
    const Json weak = evaluate("a.wav,0,1.5,Dog\nb.wav,,,Zither\n");
    CHECK(weak.at("data").at("recordings") == 1);
    CHECK(weak.at("mean_average_precision") == 0.5);
    CHECK(weak.at("events_500ms").at("false_positives") == alarms / 2);
}

TEST_CASE("pauses below --merge-gap are part of a sound, annotated or found", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\n"
                                             "a.wav,0,0.2,Dog\n"
                                             "a.wav,0.6,0.8,Dog\n"
                                             "a.wav,1.3,1.5,Dog\n");
    const std::string data = (directory / "data.csv").string();
    const Json own = Json::parse(runEarshot({"info", "--format", "json"}).output).at("rules").at("merge_gap");
    const auto countsWith = [&](const std::string& gap) {
        const Json report = evaluated({"--data", data, "--thresholds", "0", "--merge-gap", gap});
        CHECK(report.at("merge_gap") == std::max(std::stod(gap), own.get<double>()));
        CHECK(report.at("classes")[0].at("label") == "Dog");
        const Json& events = report.at("events_200ms");
        return std::pair(report.at("classes")[0].at("annotated").get<int>(),
                         events.at("true_positives").get<int>());
    };
    CHECK(countsWith("0") == std::pair(3, 0));
    CHECK(countsWith("0.45") == std::pair(2, 0));
    CHECK(countsWith("0.55") == std::pair(1, 1)); // as found: from the beginning to the end
    CHECK_THAT(runEarshot({"evaluate", "--data", data, "--merge-gap", "0.5"}).output,
               ContainsSubstring("Pauses below 0.5 s"));
}

TEST_CASE("folders of clips are timed by their envelope and scored as clips", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string data = makeClipFolders(directory);
    const Json report = evaluated({"--data", data, "--thresholds", "0.01"});
    CHECK(report.at("data").at("recordings") == 4);
    CHECK(report.at("data").at("times_by_envelope") == 4);
    CHECK(report.at("data").at("labels_unknown_to_model") == Json::array({"Zither"}));
    CHECK(report.at("clips").at("count") == 4);
    const auto& classes = report.at("classes");
    CHECK(std::ranges::count_if(classes, [](const Json& one) { return one.at("annotated") == 2; }) == 2);
    // The clip of a sound the model does not know: whatever it hears there is wrong.
    REQUIRE(report.at("nothing_to_hear").size() == 1);
    CHECK(report.at("nothing_to_hear")[0].at("recordings") == 1);

    const auto table = runEarshot({"evaluate", "--data", data});
    CHECK(table.exitCode == 0);
    CHECK_THAT(table.output,
               ContainsSubstring("4 clips of one sound, its times taken from the energy envelope") &&
                   ContainsSubstring("Clip accuracy") && ContainsSubstring("PSDS 1") &&
                   ContainsSubstring("does not know, left out: Zither") &&
                   ContainsSubstring("not in the data: "));

    const auto sure = runEarshot({"evaluate", "--data", data, "--bootstrap", "100", "--format", "json"});
    const Json intervals = Json::parse(sure.output).at("intervals").at("scores");
    CHECK(intervals.at("clip_accuracy_by_peak").at("value") == report.at("clips").at("accuracy_by_peak"));
    CHECK(intervals.at("clip_accuracy_by_mean").at("value") == report.at("clips").at("accuracy_by_mean"));
}

TEST_CASE("sounds of few sources are reported apart", "[unit]") {
    const test::TemporaryDirectory directory;
    std::string rows = "file,label,group\n";
    for (const std::string name : {"1", "2", "3", "4", "5", "6"}) {
        writeBurst(directory / (name + ".wav"), 0.5, 1);
        const bool isDog = name < "5";
        rows += name + ".wav," + (isDog ? "Dog," + name : "Rain,one place") + "\n";
    }
    test::writeBytes(directory / "data.csv", rows);
    const std::string data = (directory / "data.csv").string();

    const Json parts = evaluated({"--data", data, "--thresholds", "0"}).at("by_sources");
    CHECK(parts.at("fewest_of_many") == 4);
    CHECK(parts.at("many").at("classes") == 1);
    CHECK(parts.at("many").at("segments_1s").at("true_positives") == 4);
    CHECK(parts.at("few").at("classes") == 1);
    CHECK(parts.at("few").at("segments_1s").at("true_positives") == 2);
    CHECK(parts.at("few").at("segments_1s").at("false_positives") == 4);

    const auto table = runEarshot({"evaluate", "--data", data}).output;
    CHECK_THAT(table,
               ContainsSubstring("1 sound of at least 4 sources") && ContainsSubstring("1 sound of fewer"));
    const auto onePart = runEarshot({"evaluate", "--data", makeClipFolders(directory)}).output;
    CHECK_THAT(onePart, !ContainsSubstring("sources"));
}

TEST_CASE("recordings without times have average precision alone, and that is said", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav");
    test::makeNoise(directory / "b.wav");
    test::writeBytes(directory / "data.csv", "file,label\na.wav,Dog;Rain\nb.wav,Rain;Bird\n");
    const std::string data = (directory / "data.csv").string();
    const Json report = evaluated({"--data", data});
    CHECK(report.at("data").at("times_unknown") == 2);
    CHECK(report.count("events_200ms") == 0);
    CHECK(report.count("psds1") == 0);
    CHECK(report.at("classes").size() == 3);
    CHECK_THAT(runEarshot({"evaluate", "--data", data}).output, ContainsSubstring("does not say when"));
    const auto best = runEarshot({"evaluate", "--data", data, "--thresholds", "best"});
    CHECK(best.exitCode == 2);
    CHECK(test::lineCount(best.errors) == 1);
}

TEST_CASE("the valid part is scored where the data names one", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const char* name : {"a.wav", "b.wav", "c.wav"}) test::makeNoise(directory / name);
    test::writeBytes(directory / "data.csv",
                     "file,onset,offset,label,split\n"
                     "a.wav,0,1,Dog,train\nb.wav,0,1,Dog,train\nc.wav,0,1,Rain,valid\n");
    const std::string data = (directory / "data.csv").string();
    const auto recordings = [&](std::vector<std::string> options) {
        options.insert(options.end(), {"--data", data});
        return evaluated(options).at("data").at("recordings").get<int>();
    };
    CHECK(recordings({}) == 1);
    CHECK(recordings({"--split", "valid"}) == 1);
    CHECK(recordings({"--split", "train"}) == 2);
    CHECK(recordings({"--split", "all"}) == 3);
}

TEST_CASE("the valid part is drawn as the model notes that its training drew it", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const std::string name : {"Dog", "Rain", "Zither"}) {
        std::filesystem::create_directories(directory / ("clips/" + name));
        for (int i = 0; i < 6; ++i)
            test::makeNoise(directory / ("clips/" + name + "/" + std::to_string(i) + ".wav"));
    }
    const std::string data = (directory / "clips").string();
    const auto file = directory / "a.safetensors";
    const auto evaluate = [&](const char* part) {
        const auto result =
            runEarshot({"evaluate", file.string(), "--data", data, "--split", part, "--format", "json"});
        CAPTURE(result.errors);
        REQUIRE(result.exitCode == 0);
        return std::pair(Json::parse(result.output).at("data").at("recordings").get<int>(), result.errors);
    };
    const auto damaged = [&](const std::string& note) {
        test::writeNamedModel(file, {"Dog", "Rain"}, {{"earshot.split", note}});
        return runEarshot({"evaluate", file.string(), "--data", data, "--split", "valid"});
    };
    SECTION("as it was told to") {
        // A third of Dog's and of Rain's; the training had another class, too.
        test::writeNamedModel(
            file, {"Dog", "Rain"},
            {{"earshot.split",
              R"({"seed": 7, "valid_share": 0.35, "only": ["dog", "Rain", "Bell"], "distractors": ["Bang"]})"}});
        const auto valid = evaluate("valid"), train = evaluate("train");
        CHECK(valid.first == 4);
        CHECK(train.first == 8);
        CHECK(valid.second.empty());
    }
    SECTION("without a note a fifth is drawn, and that is said") {
        test::writeNamedModel(file, {"Dog", "Rain"});
        const auto valid = evaluate("valid");
        CHECK(valid.first == 2);
        CHECK(test::lineCount(valid.second) == 1);
        CHECK_THAT(valid.second, ContainsSubstring("a.safetensors does not note which clips"));
        CHECK(evaluate("all").second.empty());
    }
    SECTION("a damaged note is named") {
        for (const std::string note :
             {"7", "{", "{}", R"({"seed": -1, "valid_share": 0.2})", R"({"seed": 1, "valid_share": 2})",
              R"({"seed": 1, "valid_share": 0.2, "only": [1]})",
              R"({"seed": 1, "valid_share": 0.2, "without_licences": [""]})"}) {
            CAPTURE(note);
            const auto result = damaged(note);
            CHECK(result.exitCode == 1);
            CHECK(test::lineCount(result.errors) == 1);
            CHECK_THAT(result.errors, ContainsSubstring("a.safetensors: earshot.split: "));
        }
    }
}

TEST_CASE("files that cannot be used are named and the others scored", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "good.wav");
    test::writeBytes(directory / "text.wav", "This is a shopping list.\n");
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\n"
                                             "good.wav,0,1,Dog\ngood.wav,7,8,Dog\ntext.wav,0,1,Dog\n");
    const auto result =
        runEarshot({"evaluate", "--data", (directory / "data.csv").string(), "--format", "json"});
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.errors, ContainsSubstring((directory / "text.wav").string()) &&
                                  ContainsSubstring("begin after its end"));
    const Json report = Json::parse(result.output);
    CHECK(report.at("data").at("recordings") == 1);
    CHECK(report.at("data").at("unusable_files") == 1);
    CHECK(report.at("classes")[0].at("annotated") == 1);
}

TEST_CASE("what cannot be evaluated says what to do", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav");
    test::writeBytes(directory / "data.csv", "file,label\na.wav,Zither\n");
    const std::string data = (directory / "data.csv").string();
    const auto fails = [](const std::vector<std::string>& arguments, int exitCode, const std::string& says) {
        CAPTURE(says);
        const auto result = runEarshot(arguments);
        CHECK(result.exitCode == exitCode);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(says));
    };
    fails({"evaluate"}, 2, "--data");
    fails({"evaluate", "--scenes", "3", "--noise", "1"}, 2, "--data");
    fails({"evaluate", "--data", data}, 1, "earshot info");
    test::writeBytes(directory / "empty.csv", "file,onset,offset,label\ngone.wav,0,1,Dog\na.wav,1,,Dog\n");
    fails({"evaluate", "--data", (directory / "empty.csv").string()}, 1,
          "no labelled recordings were found: empty.csv, line 2: there is no file gone.wav");
    test::writeBytes(directory / "empty.csv", "file,label\na.wav,\"Dog\nb.wav,Cat\n");
    fails({"evaluate", "--data", (directory / "empty.csv").string()}, 1,
          "empty.csv: line 2: a quotation mark");
    test::makeNoise(directory / "b.wav");
    test::writeBytes(directory / "empty.csv", "file,label,split\na.wav,Dog,train\nb.wav,,valid\n");
    fails({"evaluate", "--data", (directory / "empty.csv").string()}, 1, "--split all");
    fails({"evaluate", "--data", (directory / "nowhere").string()}, 1, "nowhere");
    fails({"evaluate", "--data", data, "--thresholds", "most"}, 2, "model, best");
    fails({"evaluate", "--data", data, "--thresholds", "1.5"}, 2, "model, best");
    fails({"evaluate", "--data", data, "--hop", "99"}, 2, "--hop");
    fails({"evaluate", "--data", data, "--output", data}, 2, "overwrite");
}

TEST_CASE("a truth of silent recordings alone counts false alarms", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    test::makeNoise(directory / "b.wav");
    for (const char* rows : {"file,onset,offset,label\na.wav,,,\nb.wav,,,\n",
                             "filename\tonset\toffset\tevent_label\na.wav\t\t\t\nb.wav\t\t\t\n"}) {
        test::writeBytes(directory / "data.csv", rows);
        const std::string data = (directory / "data.csv").string();
        const Json report = evaluated({"--data", data, "--thresholds", "0"});
        CHECK(report.at("data").at("recordings") == 2);
        CHECK(report.at("data").at("times_annotated") == 2);
        const auto alarms = 2 * static_cast<int>(report.at("classes").size());
        CHECK(alarms > 2);
        CHECK(report.at("events_500ms").at("false_positives") == alarms);
        CHECK(report.at("events_500ms").at("false_negatives") == 0);
        CHECK(report.at("false_alarms_per_hour").get<double>() == Approx(alarms * 3600.0 / 3.0));
        const Json deaf = evaluated({"--data", data, "--thresholds", "1"});
        CHECK(deaf.at("false_alarms_per_hour") == 0.0);
        const auto table = runEarshot({"evaluate", "--data", data, "--thresholds", "best", "--sweep"});
        CHECK(table.exitCode == 0);
        CHECK_THAT(table.output, !ContainsSubstring("nan") && ContainsSubstring("alse alarms"));
    }
}

TEST_CASE("tables of other programs and Earshot's own give the same scores", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav"); // 1.5 s
    const auto scores = [&](const std::string& name, const std::string& text,
                            const std::vector<std::string>& more = {}) {
        test::writeBytes(directory / name, text);
        std::vector<std::string> words = {"--data", (directory / name).string(), "--thresholds", "0"};
        words.insert(words.end(), more.begin(), more.end());
        Json report = evaluated(words);
        report.at("data").erase("name");
        return report;
    };
    const Json expected = scores("a.csv", "file,onset,offset,label\na.wav,0,1.25,Dog\n");
    CHECK(expected.at("classes")[0].at("annotated") == 1);
    CHECK(scores("german.csv", "file;onset;offset;label\r\na.wav;-0,004;0:01,25;Dog\r\n") == expected);
    CHECK(scores("a.txt", "0.000000\t1.250000\tDog\n\\\t400.0\t2000.0\n") == expected);
    CHECK(scores("a.Table.1.selections.txt",
                 "Selection\tView\tBegin Time (s)\tEnd Time (s)\tAnnotation\n"
                 "1\tWaveform 1\t0\t1.25\tDog\n1\tSpectrogram 1\t0\t1.25\tDog\n") == expected);
    CHECK(scores("desed.tsv", "filename\tonset\toffset\tevent_label\na.wav\t0\t1.25\tDog\n") == expected);
    CHECK(scores("meta.csv", "INDIR,FOLDER,IN FILE,OFFSET,DURATION,MANUAL ID\n,,a.wav,0,1.25,Dog\n") ==
          expected);
    CHECK(scores("a.jsonl",
                 "{\"file\": \"a.wav\", \"onset_s\": 0, \"offset_s\": 1.25, \"label\": \"Dog\"}\n") ==
          expected);
    CHECK(scores("b.csv", "file,onset,offset,label,mine\na.wav,0,1.25,Cow,Dog\n",
                 {"--label-column", "mine"}) == expected);
}

TEST_CASE("CSV has a row per sound, and with a sweep one per threshold", "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav");
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\na.wav,0,1.5,\"Gunshot, explosion\"\n");
    const std::string data = (directory / "data.csv").string();
    const auto model =
        test::writeNamedModel(directory / "a.safetensors", {"Dog", "Gunshot, explosion", "Rain"});
    const auto sounds =
        runEarshot({"evaluate", model, "--data", data, "--thresholds", "0", "--format", "csv"});
    const auto rows = test::parseCsv(sounds.output);
    REQUIRE(rows.size() == 1 + 3);
    for (const auto& row : rows) CHECK(row.size() == 7);
    CHECK(rows[1][0] == "Gunshot, explosion");
    CHECK(rows[1][1] == "1");
    CHECK(rows[1][6] == "0.0000");

    const std::string file = (directory / "sweep.csv").string();
    const auto sweep =
        runEarshot({"evaluate", model, "--data", data, "--sweep", "--format", "csv", "--output", file});
    CHECK(sweep.exitCode == 0);
    CHECK(sweep.output.empty());
    const auto points = test::parseCsv(test::readBytes(file));
    REQUIRE(points.size() == 20);
    CHECK(points[1][0] == "0.05");
    CHECK(points[19][0] == "0.95");
}

TEST_CASE("sounds that a spreadsheet would run, or that nobody would see, are scored by their names",
          "[unit]") {
    const test::TemporaryDirectory directory;
    test::makeNoise(directory / "a.wav");
    test::makeNoise(directory / "b.wav");
    test::makeNoise(directory / "c.wav");
    test::writeBytes(directory / "data.csv", "file,onset,offset,label\na.wav,0,1.5,\"=SUM(1,2)\"\n"
                                             "b.wav,0,1.5,\"'=SUM(1,2)\"\nc.wav,0,1.5,Do\u202eg\n");
    const auto model = test::writeNamedModel(directory / "a.safetensors", {"=SUM(1,2)", "Do\u202eg", "Rain"});
    const auto sounds = runEarshot({"evaluate", model, "--data", (directory / "data.csv").string(),
                                    "--thresholds", "0", "--format", "csv"});
    CAPTURE(sounds.output, sounds.errors);
    const auto rows = test::parseCsv(sounds.output);
    REQUIRE(rows.size() == 1 + 3);
    for (const auto& row : rows) {
        CHECK(row.size() == 7);
        if (row[0] == "'=SUM(1,2)") CHECK(row[1] == "2");
        if (row[0] == "Do<U+202E>g") CHECK(row[1] == "1");
        CHECK(row[0] != "=SUM(1,2)");
    }
}

TEST_CASE("scenes are mixed from the clips, the same every time", "[slow]") {
    const test::TemporaryDirectory directory;
    const std::string data = makeClipFolders(directory);
    const std::vector<std::string> arguments = {"--data", data, "--scenes", "3", "--scene-seconds", "6"};
    const Json report = evaluated(arguments);
    CHECK(report.at("data").at("kind") == "scenes");
    CHECK(report.at("data").at("recordings") == 3);
    CHECK(report.at("data").at("seconds").get<double>() == Approx(18.0));
    CHECK(evaluated(arguments) == report);
    auto others = arguments;
    others.insert(others.end(), {"--seed", "2"});
    CHECK(evaluated(others) != report);

    const auto sounds = [](const Json& evaluation) {
        int count = 0;
        for (const auto& sound : evaluation.at("classes")) count += sound.at("annotated").get<int>();
        return count;
    };
    auto sparse = arguments, dense = arguments;
    sparse.insert(sparse.end(), {"--max-events", "1"});
    dense.insert(dense.end(), {"--max-events", "16"});
    CHECK(sounds(evaluated(sparse)) < sounds(evaluated(dense)));
    auto usual = arguments;
    usual.insert(usual.end(), {"--thresholds", "0.01"});
    auto clear = usual;
    clear.insert(clear.end(), {"--lowest-snr", "30", "--level-spread", "0"});
    CHECK(evaluated(clear) != evaluated(usual));
}

TEST_CASE("false alarms are counted on noise alone", "[slow]") {
    const Json report = evaluated({"--noise", "0.01", "--thresholds", "0"});
    const auto& heard = report.at("nothing_to_hear");
    REQUIRE(heard.size() == 6);
    const auto classes = static_cast<int>(test::soundCount());
    for (std::size_t kind = 0; kind < 5; ++kind) {
        CHECK(heard[kind].at("seconds").get<double>() == Approx(30.0));
        CHECK(heard[kind].at("false_alarms") == classes); // every sound, all the time
    }
    CHECK(heard[5].at("false_alarms") == 5 * classes);
    CHECK(heard[5].at("false_alarms_per_hour").get<double>() == Approx(5.0 * classes * 3600.0 / 150.0));
    CHECK(report.count("data") == 0);
}

TEST_CASE("a stopped evaluate says that its result is partial, and writes it whole", "[unit]") {
    const test::TemporaryDirectory directory;
    std::string rows = "file,onset,offset,label\n";
    for (int i = 0; i < 20; ++i) {
        const auto name = fmt::format("{}.wav", i);
        test::writeAudio(directory / name, test::AudioFormat::wavPcm16, 32000, 1,
                         test::noise(32000 * 10, static_cast<std::uint32_t>(i)));
        rows += name + ",1,2,Dog\n";
    }
    test::writeBytes(directory / "data.csv", rows);
    const auto output = (directory / "scores.json").string();
    // Whatever is being done when Ctrl-C comes. Noise for 1000 hours ends in no time that a test has.
    for (const auto& what :
         {std::vector<std::string>{"--data", (directory / "data.csv").string(), "--noise", "1000"},
          {"--data", (directory / "data.csv").string(), "--scenes", "100000"}}) {
        auto words = what;
        words.insert(words.begin(), "evaluate");
        words.insert(words.end(), {"--format", "json", "--threads", "2", "--output", output, "--overwrite"});
        std::filesystem::remove(output);
        const auto stopped =
            runEarshot(words, {.signalAfter = std::chrono::milliseconds(4000), .signal = SIGINT});
        INFO(stopped.errors);
        CHECK(stopped.exitCode == 130);
        CHECK_THAT(stopped.errors, ContainsSubstring("stopped; the result is partial"));
        CHECK(stopped.output.empty());
        const Json report = Json::parse(test::readBytes(output));
        CHECK(report.at("data").at("complete") == false);
        for (const auto& file : std::filesystem::directory_iterator(directory.path()))
            CHECK(file.path().extension() != ".partial");
    }
    // A result that is there is worth more than a part of one.
    test::writeBytes(output, "mine");
    const auto left = runEarshot({"evaluate", "--noise", "1000", "--output", output, "--overwrite"},
                                 {.signalAfter = std::chrono::milliseconds(2000), .signal = SIGINT});
    CHECK(left.exitCode == 130);
    CHECK_THAT(left.errors, ContainsSubstring("stopped; the result is partial") &&
                                ContainsSubstring("scores.json stays as it was"));
    CHECK(test::readBytes(output) == "mine");
}
