#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"
#include "Support/Skip.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include <sys/stat.h>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;

namespace {

constexpr const char* csvHeader =
    "file,onset_s,offset_s,label,class_index,peak,mean,confidence,channel,onset_time\n";

} // namespace

TEST_CASE("every kind of sound file is fine", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto path = directory / "sound";
    const auto expectFine = [&](const std::string& what, bool tooShort = false) {
        CAPTURE(what);
        const auto result = runEarshot({"analyze", path.string()});
        CHECK(result.exitCode == 0);
        if (tooShort)
            CHECK_THAT(result.errors, ContainsSubstring("nothing is reported of recordings under"));
        else
            CHECK(result.errors.empty());
        CHECK_THAT(result.output, Catch::Matchers::StartsWith(path.string()));
    };
    const auto write = [&](AudioFormat format, int rate, int channels, const std::vector<float>& samples) {
        test::writeAudio(path, format, rate, channels, samples);
    };
    write(AudioFormat::wavPcm16, 32000, 1, std::vector<float>(32000));
    expectFine("silence");
    for (const std::size_t length : {1u, 10u}) {
        for (const int rate : {8000, 32000, 192000}) {
            write(AudioFormat::wavFloat, rate, 1, std::vector<float>(length, 0.5f));
            expectFine(std::to_string(length) + " samples at " + std::to_string(rate), true);
        }
    }
    write(AudioFormat::wavPcm16, 48000, 6, test::noise(6 * 24000, 1));
    expectFine("six channels");
    for (const int rate : {8000, 44100, 192000}) {
        write(AudioFormat::flacPcm16, rate, 1, test::noise(static_cast<std::size_t>(rate) / 2, 1));
        expectFine(std::to_string(rate) + " Hz");
    }
    for (const AudioFormat format : {AudioFormat::rf64Float, AudioFormat::w64Float, AudioFormat::aiffPcm16,
                                     AudioFormat::vorbis, AudioFormat::opus, AudioFormat::mp3}) {
        if (!test::canWrite(format)) {
            test::skip("this libsndfile does not write format " + std::to_string(static_cast<int>(format)));
            continue;
        }
        write(format, 48000, 2, test::noise(48000, 1));
        expectFine("format " + std::to_string(static_cast<int>(format)));
    }
}

TEST_CASE("channels that cancel each other out are a warning", "[unit]") {
    const test::TemporaryDirectory directory;
    std::vector<float> samples;
    for (const float sample : test::noise(32000, 1)) samples.insert(samples.end(), {sample, -sample});
    const std::string path = (directory / "turned.wav").string();
    test::writeAudio(path, AudioFormat::wavFloat, 32000, 2, samples);
    const auto result = runEarshot({"analyze", path});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring(path + ": warning: its channels cancel each other out "
                                                       "(nothing is left)"));

    const std::string results = (directory / "results").string();
    const auto batch = runEarshot({"analyze", path, "--output-dir", results});
    CHECK(batch.exitCode == 0);
    CHECK_THAT(batch.errors, ContainsSubstring(path + ": its channels cancel each other out"));
}

TEST_CASE("samples that are not finite are a warning", "[unit]") {
    const test::TemporaryDirectory directory;
    std::vector<float> samples = test::noise(32000, 1);
    samples[5] = std::numeric_limits<float>::quiet_NaN();
    samples[7] = std::numeric_limits<float>::infinity();
    const std::string path = (directory / "nan.wav").string();
    test::writeAudio(path, AudioFormat::wavFloat, 32000, 1, samples);
    const auto result = runEarshot({"analyze", path, "--format", "json", "--threshold", "0"});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring(path) && ContainsSubstring("2 samples"));
    CHECK(test::lineCount(result.errors) == 1);
    CHECK(nlohmann::json::parse(result.output).size() == test::soundCount());

    const auto quiet = runEarshot({"analyze", path, "--quiet"});
    CHECK(quiet.exitCode == 0);
    CHECK(quiet.errors.empty());
}

TEST_CASE("the loudest finite samples are no failure", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string path = (directory / "loud.wav").string();
    test::writeAudio(path, AudioFormat::wavFloat, 32000, 1,
                     test::noise(32000, 1, std::numeric_limits<float>::max()));
    const auto result = runEarshot({"analyze", path, "--format", "json", "--threshold", "0"});
    CHECK(result.exitCode == 0);
    CHECK(nlohmann::json::parse(result.output).size() >= test::soundCount());
}

TEST_CASE("bad files fail by name and the good ones are still done", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string good = test::makeNoise(directory / "good.wav");
    test::writeBytes(directory / "empty.wav", "");
    test::writeBytes(directory / "text.wav", "This is a shopping list.\n");
    test::writeRawWav(directory / "header.wav", {}, {});
    test::writeRawWav(directory / "rate0.wav", {.sampleRate = 0}, std::vector<std::int16_t>(100));
    test::writeRawWav(directory / "rate.wav", {.sampleRate = 0x80000000u}, std::vector<std::int16_t>(100));
    const std::vector<std::string> bad = {"empty.wav", "text.wav", "header.wav",
                                          "rate0.wav", "rate.wav", "missing.wav"};
    std::vector<std::string> arguments = {"analyze", "--format", "csv", "--threshold", "0", good};
    for (const std::string& name : bad) arguments.push_back((directory / name).string());
    arguments.push_back(test::makeNoise(directory / "also good.wav"));
    const auto result = runEarshot(arguments);
    CHECK(result.exitCode == 1);
    CHECK(test::lineCount(result.errors) == static_cast<std::ptrdiff_t>(bad.size()));
    for (const std::string& name : bad)
        CHECK_THAT(result.errors, ContainsSubstring("earshot: " + (directory / name).string() + ": "));
    CHECK(test::parseCsv(result.output).size() == 1 + 2 * test::soundCount());

    const auto onlyBad = runEarshot({"analyze", (directory / "text.wav").string(), "--format", "json"});
    CHECK(onlyBad.exitCode == 1);
    CHECK(nlohmann::json::parse(onlyBad.output) == nlohmann::json::array());
}

TEST_CASE("what precedes the damage in a file is reported", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string path = (directory / "cut.flac").string();
    test::writeAudio(path, AudioFormat::flacPcm16, 32000, 1, test::noise(4 * 32000, 1));
    test::truncate(path, 0.6);
    const auto result = runEarshot({"analyze", path, "--format", "json", "--threshold", "0"});
    CHECK(result.exitCode == 1);
    CHECK_THAT(result.errors, ContainsSubstring(path) && ContainsSubstring("damaged"));
    CHECK(nlohmann::json::parse(result.output).size() == test::soundCount());
}

TEST_CASE("CSV and JSON hold the same columns and events", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto csv = runEarshot({"analyze", file, "--format", "csv", "--threshold", "0"});
    const auto json = runEarshot({"analyze", file, "--format", "json", "--threshold", "0"},
                                 {.environment = {{"LC_ALL", "de_DE.UTF-8"}}});
    CHECK(csv.exitCode == 0);
    CHECK(json.exitCode == 0);
    CHECK_THAT(csv.output, Catch::Matchers::StartsWith(csvHeader));
    const auto rows = test::parseCsv(csv.output);
    const auto events = nlohmann::json::parse(json.output);
    REQUIRE(rows.size() == 1 + test::soundCount());
    REQUIRE(events.size() == test::soundCount());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const test::CsvRow& row = rows[i + 1];
        const auto& event = events[i];
        REQUIRE(row.size() == 10);
        CHECK(event.size() == 7);
        CHECK(event.at("file").get<std::string>() == file);
        CHECK(row[0] == file);
        CHECK(std::stod(row[1]) == event.at("onset_s").get<double>());
        CHECK(std::stod(row[2]) == event.at("offset_s").get<double>());
        CHECK(row[3] == event.at("label").get<std::string>());
        CHECK(row[4] == std::to_string(event.at("class_index").get<int>()));
        CHECK(std::stod(row[5]) == event.at("peak").get<double>());
        CHECK(std::stod(row[6]) == event.at("mean").get<double>());
        CHECK(row[7].empty());
        CHECK(row[8].empty());
        CHECK(row[9].empty());
        // Threshold 0: every sound, from the beginning to the end.
        CHECK(row[1] == "0.000");
        CHECK(row[2] == "1.500");
        CHECK(event.at("peak").get<double>() >= event.at("mean").get<double>());
        CHECK(row[5].size() - row[5].find('.') - 1 >= 4);
    }
}

TEST_CASE("threshold 1 hears nothing and says so", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    CHECK(runEarshot({"analyze", file, "--format", "csv", "--threshold", "1"}).output == csvHeader);
    CHECK(
        nlohmann::json::parse(runEarshot({"analyze", file, "--format", "json", "--threshold", "1"}).output) ==
        nlohmann::json::array());
    CHECK_THAT(runEarshot({"analyze", file, "--threshold", "1"}).output,
               ContainsSubstring("Nothing detected. Nearest: ") && ContainsSubstring("1.00 it needs"));
}

TEST_CASE("odd file names survive", "[unit][no-emulator]") {
    const test::TemporaryDirectory directory;
    for (const std::string name : {"a,b.wav", "say \"hi\".wav", "two\nlines.wav", "[a,b]", "M\xc3\xb6we.wav",
                                   "latin \xe4.wav", " space ", "-dash.wav", "-", "{}%s.wav"}) {
        CAPTURE(name);
        const std::string file = test::makeNoise(directory / name);
        const auto csv = runEarshot({"analyze", "--format", "csv", "--threshold", "0", "--", file});
        CHECK(csv.exitCode == 0);
        const auto rows = test::parseCsv(csv.output);
        REQUIRE(rows.size() == 1 + test::soundCount());
        CHECK(rows.back().size() == 10);
        const auto json = runEarshot({"analyze", "--format", "json", "--threshold", "0", file});
        CHECK(json.exitCode == 0);
        const auto events = nlohmann::json::parse(json.output);
        REQUIRE(events.size() == test::soundCount());
        const std::string shown = events[0].at("file");
        CHECK(rows.back()[0] == shown);
        if (name == "latin \xe4.wav") {
            CHECK(shown == (directory / "latin \xef\xbf\xbd.wav").string());
        } else {
            CHECK(shown == file);
        }
        const auto table = runEarshot({"analyze", file});
        CHECK(table.exitCode == 0);
        CHECK(test::lineCount(table.output.substr(0, table.output.find("Hz"))) == 0);
    }
    const auto missing = runEarshot({"analyze", (directory / "no\nsuch \xe4.wav").string()});
    CHECK(missing.exitCode == 1);
    CHECK(test::lineCount(missing.errors) == 1);
}

TEST_CASE("standard input equals the file", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const AudioFormat format : {AudioFormat::wavPcm16, AudioFormat::flacPcm16, AudioFormat::vorbis}) {
        const std::string file = (directory / "sound").string();
        test::writeAudio(file, format, 44100, 1, test::noise(100000, 1));
        const std::vector<std::string> options = {"--format", "csv", "--threshold", "0.0001"};
        std::vector<std::string> fromFile = {"analyze", file};
        std::vector<std::string> fromInput = {"analyze", "-"};
        fromFile.insert(fromFile.end(), options.begin(), options.end());
        fromInput.insert(fromInput.end(), options.begin(), options.end());
        const auto piped = runEarshot(fromInput, {.input = test::readBytes(file)});
        CHECK(piped.exitCode == 0);
        auto expected = test::parseCsv(runEarshot(fromFile).output);
        REQUIRE(expected.size() > 1);
        for (std::size_t i = 1; i < expected.size(); ++i) expected[i][0] = "-";
        CHECK(test::parseCsv(piped.output) == expected);
    }
    const auto empty = runEarshot({"analyze", "-"});
    CHECK(empty.exitCode == 1);
    CHECK_THAT(empty.errors, ContainsSubstring("standard input"));
}

TEST_CASE("pipes are read where the command line names them, and nowhere else", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string sound = test::makeNoise(directory / "noise.wav");
    const std::string pipe = (directory / "pipe.wav").string(), list = (directory / "list.txt").string();
    const std::vector<std::string> options = {"--format", "csv", "--threshold", "0.0001"};
    const auto run = [&](std::vector<std::string> arguments, const std::optional<std::string>& written) {
        arguments.insert(arguments.begin(), "analyze");
        arguments.insert(arguments.end(), options.begin(), options.end());
        std::thread writer;
        if (written) writer = std::thread([&] { test::writeBytes(pipe, *written); });
        auto result = runEarshot(arguments, {.signalAfter = std::chrono::seconds(60)});
        if (writer.joinable()) writer.join();
        return result;
    };
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto events = test::lineCount(run({sound}, {}).output);
    REQUIRE(events > 1);
    CHECK(test::lineCount(run({pipe}, test::readBytes(sound)).output) == events);
    CHECK(test::lineCount(run({"--list", pipe}, sound + "\n").output) == events);

    const auto stopped =
        runEarshot({"analyze", "--list", pipe}, {.signalAfter = std::chrono::seconds(3), .signal = SIGINT});
    CHECK(stopped.exitCode == 130);
    CHECK(stopped.errors.empty());

    // Nobody writes: whoever opened it would wait.
    test::writeBytes(list, pipe + "\n" + sound + "\n");
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const auto result = run(arguments, {});
        CAPTURE(arguments, result.output);
        CHECK(result.exitCode == 1);
        CHECK_THAT(result.errors, ContainsSubstring("pipe.wav: is a pipe"));
    };
    refused({"--list", list});
    refused({pipe, "--output-dir", (directory / "results").string()});
    refused({"--list", list, "--output-dir", (directory / "others").string()});
    CHECK_THAT(run({"--list", "/dev/zero"}, {}).errors, ContainsSubstring("/dev/zero: is a device"));
}

TEST_CASE("the same input gives the same output, byte for byte, on any number of threads",
          "[unit][no-emulator]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "long.flac").string();
    test::writeAudio(file, AudioFormat::flacPcm16, 44100, 1, test::noise(44100 * 15, 9));
    for (const std::string mode : {"auto", "crop", "repeat"}) {
        const auto withThreads = [&](const std::string& threads) {
            return runEarshot({"analyze", file, "--mode", mode, "--format", "csv", "--threshold", "0.0001",
                               "--threads", threads});
        };
        const auto first = withThreads("2");
        CHECK(first.exitCode == 0);
        CHECK(test::lineCount(first.output) > 1);
        for (const std::string threads : {"1", "2", "3"}) CHECK(withThreads(threads).output == first.output);
    }
}

TEST_CASE("every hop on the grid works, and off it is rounded", "[unit][no-emulator]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "long.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 14, 9));
    const auto withHop = [&](const std::string& mode, const std::string& hop) {
        const auto result = runEarshot(
            {"analyze", file, "--mode", mode, "--hop", hop, "--format", "csv", "--threshold", "0"});
        CHECK(result.exitCode == 0);
        return result.output;
    };
    const auto lines = 1 + static_cast<std::ptrdiff_t>(test::soundCount());
    for (const std::string hop : {"0.001", "0.32", "10.24"})
        CHECK(test::lineCount(withHop("auto", hop)) == lines);
    CHECK(test::lineCount(withHop("repeat", "2.56")) == lines);
    CHECK((withHop("auto", "2.53") == withHop("auto", "2.56")));
    CHECK((withHop("auto", "1.6") != withHop("auto", "2.56")));
}

TEST_CASE("thresholds, labels and filters decide what is reported", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto rowsWith = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"analyze", file, "--format", "csv"});
        const auto result = runEarshot(options);
        CHECK(result.exitCode == 0);
        auto rows = test::parseCsv(result.output);
        rows.erase(rows.begin());
        return rows;
    };
    const auto model =
        test::writeNamedModel(directory / "a.safetensors", {"Cat", "Dog", "Gunshot, explosion", "Water"});
    const auto only = rowsWith(
        {"--model", model, "--threshold", "0", "--only", "dog,Gunshot, explosion", "--only", "Water"});
    REQUIRE(only.size() == 3);
    CHECK(only[0][3] == "Dog");
    CHECK(only[1][3] == "Gunshot, explosion");
    CHECK(only[2][3] == "Water");
    const auto own =
        rowsWith({"--threshold", "1", "--class-threshold", "Dog=0", "--class-threshold", "water=0.0"});
    REQUIRE(own.size() == 2);
    CHECK(own[0][3] == "Dog");
    CHECK(own[1][3] == "Water");
    CHECK(rowsWith({"--threshold", "0", "--min-duration", "1.4"}).size() == test::soundCount());
    CHECK(rowsWith({"--threshold", "0", "--min-duration", "1.6"}).empty());
    CHECK(rowsWith({"--threshold", "0", "--median", "3", "--merge-gap", "1", "--release-threshold", "0"})
              .size() == test::soundCount());
}

TEST_CASE("near misses are explained in a section of their own", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto result = runEarshot(
        {"analyze", file, "--threshold", "1", "--release-threshold", "0", "--only", "Dog", "--explain"});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.output,
               ContainsSubstring("Near misses") && ContainsSubstring("below the threshold 1.00"));
    CHECK_THAT(runEarshot({"analyze", file, "--threshold", "0"}).output, !ContainsSubstring("Near misses"));
}

TEST_CASE("no colour and no progress away from a terminal", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const auto result =
        runEarshot({"analyze", file, "--threshold", "0"}, {.environment = {{"TERM", "xterm-256color"}}});
    CHECK(result.output.find('\033') == std::string::npos);
    CHECK(result.errors.empty());
}

TEST_CASE("results go to a file when asked", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    const std::string output = (directory / "out.csv").string();
    const std::vector<std::string> arguments = {"analyze", file, "--format", "csv", "--threshold", "0"};
    auto redirected = arguments;
    redirected.insert(redirected.end(), {"--output", output});
    const auto result = runEarshot(redirected);
    CHECK(result.exitCode == 0);
    CHECK(result.output.empty());
    CHECK(test::readBytes(output) == runEarshot(arguments).output);

    redirected.back() = (directory / "no folder" / "out.csv").string();
    const auto impossible = runEarshot(redirected);
    CHECK(impossible.exitCode == 1);
    CHECK_THAT(impossible.errors, ContainsSubstring("no folder"));
}

TEST_CASE("a full disk is an error, a reader that leaves is none", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = test::makeNoise(directory / "noise.wav");
    if (std::filesystem::exists("/dev/full")) {
        for (const std::string format : {"table", "csv", "json"}) {
            const auto full =
                runEarshot({"analyze", file, "--format", format}, {.standardOutput = "/dev/full"});
            CHECK(full.exitCode == 1);
            CHECK(test::lineCount(full.errors) == 1);
            CHECK_THAT(full.errors, ContainsSubstring("cannot be written"));
        }
        CHECK(runEarshot({"--help"}, {.standardOutput = "/dev/full"}).exitCode == 1);
        CHECK(runEarshot({"info"}, {.standardOutput = "/dev/full"}).exitCode == 1);
        CHECK(runEarshot({"analyze", file, "--output", "/dev/full"}).exitCode == 1);
    }
    // Far more than a pipe holds.
    std::vector<std::string> arguments = {"analyze", "--threshold", "0", "--format", "json"};
    for (int i = 0; i < 20; ++i)
        arguments.push_back(test::makeNoise(directory / (std::to_string(i) + ".wav")));
    const auto left = runEarshot(arguments, {.closeOutputAfter = 1});
    CHECK(left.exitCode == 0);
    CHECK(left.errors.empty());
}

TEST_CASE("Ctrl-C prints what is done and exits with 130", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string file = (directory / "long.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1, test::noise(32000 * 600, 2));
    for (const std::string format : {"csv", "json"}) {
        CAPTURE(format);
        std::vector<std::string> arguments = {"analyze", "--format", format, "--threshold",
                                              "0",       "--hop",    "0.32"};
        // The first, short file's events are what the interruption waits for.
        arguments.push_back(test::makeNoise(directory / "short.wav"));
        arguments.push_back(file);
        const auto result = runEarshot(arguments, {.interrupt = true});
        CHECK(result.exitCode == 130);
        CHECK(result.errors.empty());
        if (format == "json") {
            const auto events = nlohmann::json::parse(result.output);
            for (const auto& event : events) CHECK(event.at("offset_s").get<double>() < 600.0);
        } else {
            CHECK_THAT(result.output, Catch::Matchers::StartsWith(csvHeader));
            CHECK(result.output.back() == '\n');
        }
    }
}

TEST_CASE("folders, globs and lists are recordings like any others", "[unit]") {
    const test::TemporaryDirectory directory;
    std::filesystem::create_directories(directory / "in/sub");
    for (const std::string name : {"in/b.wav", "in/a.wav", "in/sub/c.wav"}) test::makeNoise(directory / name);
    test::writeBytes(directory / "in/notes.txt", "no sound");
    const auto filesOf = [&](std::vector<std::string> arguments, const test::ProcessOptions& options = {}) {
        arguments.insert(arguments.begin(),
                         {"analyze", "--format", "csv", "--threshold", "0", "--only", "Dog"});
        const auto result = runEarshot(arguments, options);
        CHECK(result.exitCode == 0);
        CHECK(result.errors.empty());
        std::vector<std::string> files;
        for (const auto& row : test::parseCsv(result.output))
            if (row[0] != "file")
                files.push_back(std::filesystem::path(row[0]).lexically_relative(directory.path()));
        return files;
    };
    const std::string in = (directory / "in").string();
    using Files = std::vector<std::string>;
    CHECK(filesOf({in}) == Files{"in/a.wav", "in/b.wav", "in/sub/c.wav"});
    CHECK(filesOf({in + "/*.wav"}) == Files{"in/a.wav", "in/b.wav"});
    CHECK(filesOf({in + "/**/c.wav", in + "/b.wav"}) == Files{"in/sub/c.wav", "in/b.wav"});
    const std::string list = in + "/sub/c.wav\r\n# note\r\n\r\n" + in + "/a.wav\r\n";
    test::writeBytes(directory / "list.txt", list);
    CHECK(filesOf({"--list", (directory / "list.txt").string()}) == Files{"in/sub/c.wav", "in/a.wav"});
    CHECK(filesOf({"--list", "-"}, {.input = list}) == Files{"in/sub/c.wav", "in/a.wav"});
    // Twice is once.
    CHECK(filesOf({in + "/a.wav", in, in + "/a.wav"}) == Files{"in/a.wav", "in/b.wav", "in/sub/c.wav"});

    std::filesystem::create_directories(directory / "empty");
    const auto empty = runEarshot({"analyze", (directory / "empty").string()});
    CHECK(empty.exitCode == 1);
    CHECK_THAT(empty.errors, ContainsSubstring("empty: no audio files"));
    CHECK(test::lineCount(empty.errors) == 1);
}

TEST_CASE("a format of one recording takes no more", "[unit]") {
    const test::TemporaryDirectory directory;
    const std::string a = test::makeNoise(directory / "a.wav");
    const std::string b = test::makeNoise(directory / "b.wav");
    CHECK(runEarshot({"analyze", a, "--format", "audacity", "--threshold", "0"}).exitCode == 0);
    const auto two = runEarshot({"analyze", a, b, "--format", "audacity"});
    CHECK(two.exitCode == 2);
    CHECK_THAT(two.errors, ContainsSubstring("--output-dir"));
    for (const auto& wrong :
         std::vector<std::vector<std::string>>{{"--format", "csv,json"},
                                               {"--joined", "csv"},
                                               {"--jobs", "2"},
                                               {"--shard", "0/2"},
                                               {"--restart"},
                                               {"--list", "/dev/null", "--shard", "2/2"}}) {
        std::vector<std::string> arguments = {"analyze", a};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        CHECK(runEarshot(arguments).exitCode == 2);
    }
    CHECK(runEarshot({"analyze"}).exitCode == 2);
    CHECK(runEarshot({"analyze", "--list", "/dev/null"}).exitCode == 1);
}
