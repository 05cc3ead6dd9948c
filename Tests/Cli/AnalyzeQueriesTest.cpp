#include "Cli/Earshot.h"
#include "Core/Base/Float16.h"
#include "Core/Formats/Npy.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;

namespace {

// Five seconds of a low tone, then five of noise, with a small CLAP model and queries made of both.
struct Scene {
    Scene() {
        auto model = test::asLaionClap(test::smallModel());
        model.logScale = 4.6f;
        test::writeProceduralModel(directory / "clap.safetensors", model);
        const auto tone = test::sine(200.0, 5.0, 48000), noise = test::noise(240000, 1);
        auto both = tone;
        both.insert(both.end(), noise.begin(), noise.end());
        write("both.wav", both);
        write("tone.wav", tone);
        write("noise.wav", noise);
        const auto embedded =
            runEarshot({"embed", path("tone.wav"), path("noise.wav"), "--per", "file", "--model",
                        path("clap.safetensors"), "--output-dir", directory.path().string()});
        REQUIRE(embedded.exitCode == 0);
        for (const std::string name : {"tone", "noise"}) {
            const auto array = formats::readNpy(directory / (name + ".wav.embeddings.npy"));
            vectors.insert(vectors.end(), array.values.begin(), array.values.end());
        }
        writeVectors("q.npy", vectors, 512);
        test::writeBytes(directory / "q.txt", "a deep hum\nhiss, wind\n");
    }

    std::string path(const std::string& name) const { return (directory / name).string(); }
    void write(const std::string& name, const std::vector<float>& samples) const {
        test::writeAudio(directory / name, AudioFormat::wavFloat, 48000, 1, samples);
    }
    void writeVectors(const std::string& name, const std::vector<float>& values, std::int64_t width) const {
        WholeFile file(directory / name);
        formats::NpyWriter writer(file, formats::NpyType::float32, {width});
        writer.write(values);
        writer.finish();
        file.commit();
    }
    test::ProcessResult analyze(std::vector<std::string> more) const {
        more.insert(more.begin(), {"analyze", path("both.wav"), "--model", path("clap.safetensors")});
        return runEarshot(more);
    }

    test::TemporaryDirectory directory;
    std::vector<float> vectors; // (2, 512)
};

} // namespace

TEST_CASE("analyze hears queries where their sounds are", "[unit]") {
    const Scene scene;
    // The two are so alike to this model; a sound is more like itself.
    const double alike = std::inner_product(scene.vectors.begin(), scene.vectors.begin() + 512,
                                            scene.vectors.begin() + 512, 0.0);
    REQUIRE(alike < 0.999);
    for (const std::string scores : {"softmax", "cosine"}) {
        CAPTURE(scores, alike);
        const auto threshold = std::to_string(scores == "cosine" ? (1.0 + alike) / 2 : 0.5);
        const auto result = scene.analyze({"--queries", scene.path("q.npy"), "--query-scores", scores,
                                           "--query-times", "window", "--format", "json", "--threshold",
                                           threshold, "--release-threshold", threshold});
        CHECK(result.exitCode == 0);
        CHECK(result.errors.empty());
        const auto events = nlohmann::json::parse(result.output);
        const auto longest = [&](const std::string& label) {
            nlohmann::json best;
            for (const auto& event : events)
                if (event.at("label") == label &&
                    (best.is_null() ||
                     event.at("offset_s").get<double>() - event.at("onset_s").get<double>() >
                         best.at("offset_s").get<double>() - best.at("onset_s").get<double>()))
                    best = event;
            REQUIRE(!best.is_null());
            return best;
        };
        // Windows are 2.56 s long: a border is found to within one.
        const auto hum = longest("a deep hum"), hiss = longest("hiss, wind");
        CHECK(hum.at("onset_s") == 0.0);
        CHECK(std::abs(hum.at("offset_s").get<double>() - 5.0) <= 2.56);
        CHECK(std::abs(hiss.at("onset_s").get<double>() - 5.0) <= 2.56);
        CHECK(hiss.at("offset_s") == 10.0);
    }
}

TEST_CASE("queries go with every other option of analyze", "[unit]") {
    const Scene scene;
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--queries", scene.path("q.npy")});
        return scene.analyze(more);
    };
    const auto only = with({"--only", "A deep HUM", "--format", "csv"});
    CHECK(only.exitCode == 0);
    CHECK_THAT(only.output, ContainsSubstring("a deep hum") && !ContainsSubstring("hiss"));
    CHECK_THAT(with({"--explain", "--class-threshold", "hiss, wind=1"}).output,
               ContainsSubstring("a deep hum"));
    const auto one = with({"--threads", "1", "--format", "csv", "--hop", "0.16"});
    CHECK(one.exitCode == 0);
    CHECK(with({"--threads", "4", "--format", "csv", "--hop", "0.16"}).output == one.output);
    CHECK(with({"--mode", "repeat"}).exitCode == 0);
    CHECK(with({"--hop", "3"}).exitCode == 2);
    CHECK(with({"--only", "dog"}).exitCode == 2);
    CHECK(scene.analyze({"--query-names", scene.path("q.txt")}).exitCode == 2);
}

TEST_CASE("a batch knows its queries", "[unit]") {
    const Scene scene;
    const std::vector<std::string> batch = {"--queries", scene.path("q.npy"), "--output-dir",
                                            scene.path("out")};
    CHECK(scene.analyze(batch).exitCode == 0);
    CHECK_THAT(test::readBytes(scene.directory / "out" / "both.wav.csv"), ContainsSubstring("a deep hum"));
    CHECK(scene.analyze(batch).exitCode == 0);
    test::writeBytes(scene.directory / "q.txt", "a deep hum\nsurf\n");
    const auto changed = scene.analyze(batch);
    CHECK(changed.exitCode != 0);
    CHECK_THAT(changed.errors, ContainsSubstring("queries"));
}

TEST_CASE("queries that do not fit are one-line errors", "[unit]") {
    const Scene scene;
    const auto expectError = [&](const std::vector<std::string>& options, const std::string& message) {
        CAPTURE(message);
        const auto result = scene.analyze(options);
        CHECK(result.exitCode == 1);
        CHECK(result.output.empty());
        CHECK(test::lineCount(result.errors) == 1);
        CHECK_THAT(result.errors, ContainsSubstring(message));
    };
    const auto q = scene.path("q.npy");
    test::writeBytes(scene.directory / "three.txt", "a\nb\nc\n");
    expectError({"--queries", q, "--query-names", scene.path("three.txt")}, "2 queries, but 3 names");
    expectError({"--queries", q, "--query-names", scene.path("none.txt")}, "none.txt: no such file");
    expectError({"--queries", scene.path("none.npy")}, "none.npy: no such file");
    expectError({"--queries", scene.path("q.txt")}, "no NumPy array");
    const auto names = scene.path("q.txt");
    scene.writeVectors("narrow.npy", scene.vectors, 256);
    test::writeBytes(scene.directory / "four.txt", "a\nb\nc\nd\n");
    expectError({"--queries", scene.path("narrow.npy"), "--query-names", scene.path("four.txt")}, "256");
    expectError({"--queries", scene.path("narrow.npy")}, "narrow.txt");
    auto broken = scene.vectors;
    broken[600] = std::numeric_limits<float>::quiet_NaN();
    scene.writeVectors("nan.npy", broken, 512);
    expectError({"--queries", scene.path("nan.npy"), "--query-names", names}, "\"hiss, wind\" holds values");
    {
        WholeFile file(scene.directory / "flat.npy");
        formats::NpyWriter writer(file, formats::NpyType::float32, {});
        writer.write(scene.vectors);
        writer.finish();
        file.commit();
    }
    expectError({"--queries", scene.path("flat.npy"), "--query-names", names}, "two dimensions");
    scene.writeVectors("one.npy", {scene.vectors.begin(), scene.vectors.begin() + 512}, 512);
    test::writeBytes(scene.directory / "one.txt", "hum\n");
    expectError({"--queries", scene.path("one.npy")}, "background noise");
    CHECK(scene.analyze({"--queries", scene.path("one.npy"), "--query-scores", "cosine"}).exitCode == 0);

    const auto plain = runEarshot({"analyze", scene.path("both.wav"), "--queries", q});
    CHECK(plain.exitCode == 1);
    CHECK_THAT(plain.errors,
               ContainsSubstring("compares no sounds with vectors of texts; name the CLAP model "
                                 "that made them with --model (see the manual, Models)"));
    const auto text = runEarshot({"analyze", scene.path("both.wav"), "--listen", "dog"});
    CHECK(text.exitCode == 1);
    CHECK(test::lineCount(text.errors) == 1);
    CHECK_THAT(text.errors,
               ContainsSubstring("earshot-default.safetensors: takes no texts; name a whole CLAP "
                                 "checkpoint with --model (see the manual, Models)"));
}

TEST_CASE("analyze listens for texts as for their vectors", "[unit]") {
    const Scene scene;
    auto model = test::asLaionClap(test::smallModel());
    model.logScale = 4.6f;
    test::writeProceduralModel(scene.directory / "clap.safetensors", model, test::tinyText(false));
    test::writeBytes(scene.directory / "texts.txt", "glass breaking\na dog barks\n");
    const auto embedded =
        runEarshot({"embed", "--texts", scene.path("texts.txt"), "--output", scene.path("texts.npy"),
                    "--model", scene.path("clap.safetensors"), "--precision", "auto"}); // as analyze
    REQUIRE(embedded.exitCode == 0);
    // Texts are listened for as projects keep them.
    auto vectors = formats::readNpy(scene.directory / "texts.npy").values;
    std::ranges::transform(vectors, vectors.begin(), [](float x) { return fromFloat16(toFloat16(x)); });
    scene.writeVectors("texts.npy", vectors, 512);
    const auto events = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--format", "csv", "--threshold", "0.01"});
        const auto result = scene.analyze(arguments);
        CAPTURE(arguments, result.errors);
        CHECK(result.exitCode == 0);
        return result.output;
    };
    const auto byVectors = events({"--queries", scene.path("texts.npy")});
    CHECK_THAT(byVectors, ContainsSubstring("glass breaking") && ContainsSubstring("a dog barks"));
    CHECK(events({"--listen", "glass breaking", "--listen", "a dog barks", "--rivals", "none",
                  "--no-prompt"}) == byVectors);
    CHECK(events({"--listen-file", scene.path("texts.txt"), "--rivals", "none", "--no-prompt"}) == byVectors);
    // A rival that is like the texts leaves them less, and is no class.
    const auto beside = events({"--listen", "glass breaking", "--listen", "a dog barks", "--no-prompt"});
    CHECK(beside != byVectors);
    CHECK_THAT(beside, !ContainsSubstring("silence"));
    CHECK(events({"--listen", "glass breaking", "--listen", "a dog barks"}) != beside);
    const auto named = events({"--listen", "glass breaking=Glass", "--listen", "a dog barks=Dog, near"});
    CHECK_THAT(named, ContainsSubstring("Glass") && ContainsSubstring("\"Dog, near\"") &&
                          !ContainsSubstring("breaking"));

    // Each text by itself: another one changes nothing of it, and one alone may be.
    const auto glassOf = [](const std::string& csv) {
        std::string lines;
        std::istringstream text(csv);
        for (std::string line; std::getline(text, line);)
            if (line.find("glass breaking") != std::string::npos) lines += line + "\n";
        return lines;
    };
    for (const std::string how : {"each", "zscore"}) {
        const auto alone = events({"--listen", "glass breaking", "--query-scores", how});
        CHECK_THAT(alone, ContainsSubstring("glass breaking"));
        CHECK(glassOf(events({"--listen", "glass breaking", "--listen", "a dog barks", "--query-scores",
                              how})) == glassOf(alone));
    }
    CHECK_THAT(events({"--listen", "glass breaking", "--query-times", "window"}),
               ContainsSubstring("glass breaking"));
    const auto joined = events({"--listen", "glass breaking", "--query-scores", "each", "--keep-classes"});
    CHECK_THAT(joined, ContainsSubstring("class ") && ContainsSubstring("glass breaking"));

    // A batch goes on with the same texts alone.
    const auto batch = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--output-dir", scene.path("results"), "--quiet"});
        return scene.analyze(arguments);
    };
    CHECK(batch({"--listen", "glass breaking"}).exitCode == 0);
    CHECK(batch({"--listen", "glass breaking"}).exitCode == 0);
    const auto other = batch({"--listen", "glass breaking", "--rivals", "silence"});
    CHECK(other.exitCode != 0);
    CHECK_THAT(other.errors, ContainsSubstring("queries"));
    for (const auto& change : std::vector<std::vector<std::string>>{
             {"--query-scores", "each"}, {"--query-times", "window"}, {"--keep-classes"}}) {
        std::vector<std::string> arguments = {"--listen", "glass breaking"};
        arguments.insert(arguments.end(), change.begin(), change.end());
        const auto refused = batch(arguments);
        CHECK(refused.exitCode != 0);
        CHECK_THAT(refused.errors, ContainsSubstring("queries"));
    }
}

TEST_CASE("a thousand texts are listened for, and their names are one visible line each", "[unit]") {
    const Scene scene;
    test::writeProceduralModel(scene.directory / "clap.safetensors", test::asLaionClap(test::smallModel()),
                               test::tinyText(false));
    std::string lines = "bell\x1b[31m=bell\x1b[31m\n";
    for (int i = 1; i < 1000; ++i) lines += "a sound with the number " + std::to_string(i) + "\n";
    test::writeBytes(scene.directory / "texts.txt", lines);
    const auto result = scene.analyze({"--listen-file", scene.path("texts.txt"), "--threshold", "0.0001",
                                       "--format", "csv", "--query-scores", "each"});
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.output,
               ContainsSubstring("bell?[31m") && ContainsSubstring("a sound with the number 999"));
    CHECK(result.output.find('\x1b') == std::string::npos);
    CHECK(result.errors.empty());
    const auto cut =
        scene.analyze({"--listen", std::string(1000, 'a') + "=A", "--listen", "rain", "--format", "csv"});
    CHECK(cut.exitCode == 0);
    CHECK_THAT(cut.errors, ContainsSubstring("1 text is longer than the 75 tokens"));
}

TEST_CASE("analyze says what is wrong with texts to listen for", "[unit]") {
    const Scene scene;
    const auto requireRefused = [&](const std::vector<std::string>& arguments, int exitCode,
                                    const std::string& message) {
        CAPTURE(arguments);
        const auto result = scene.analyze(arguments);
        CHECK(result.exitCode == exitCode);
        CHECK_THAT(result.errors, ContainsSubstring(message));
    };
    requireRefused({"--no-prompt"}, 2, "are for --listen");
    requireRefused({"--rivals", "silence"}, 2, "are for --listen");
    for (const auto& alone : std::vector<std::vector<std::string>>{
             {"--query-scores", "each"}, {"--query-times", "window"}, {"--keep-classes"}})
        requireRefused(alone, 2, "need --listen or --queries");
    requireRefused({"--queries", scene.path("q.npy"), "--query-scores", "each"}, 1, "needs at least 1");
    requireRefused({"--queries", scene.path("q.npy"), "--query-scores", "zscore"}, 1, "needs at least 2");
    requireRefused({"--listen", "rain", "--queries", scene.path("q.npy")}, 2, "excludes");
    requireRefused({"--listen", "rain", "--confidence", "auto"}, 2, "--confidence is for");
    requireRefused({"--listen", "rain"}, 1, "whole checkpoint");
    auto model = test::asLaionClap(test::smallModel());
    test::writeProceduralModel(scene.directory / "clap.safetensors", model, test::tinyText(false));
    requireRefused({"--listen", "rain", "--rivals", "none"}, 1, "one query alone always wins");
    requireRefused({"--listen", "rain", "--rivals", "silence", "--query-scores", "zscore"}, 1, "at least 2");
    requireRefused({"--listen", "rain", "--listen", "snow=rain"}, 1, "two queries are called");
    requireRefused({"--listen", "rain="}, 1, "nothing to listen for");
    requireRefused({"--listen", "=Rain"}, 1, "nothing to listen for");
    requireRefused({"--listen-file", scene.path("missing.txt")}, 1, "missing.txt");
    // Files that are no list of texts, though bytes could be found in them.
    const auto bytes = [](std::string_view text) { return std::string(text); };
    for (const auto& [content, message] : std::vector<std::pair<std::string, std::string>>{
             {"", "is empty; write one text"},
             {"\n\r\n\n", "is empty; write one text"},
             {"  \n \t\n", "line 1: \"  \" is nothing to listen for"},
             {"rain\n\nwind\n", "line 2: \"\" is nothing to listen for"},
             {bytes({"\xff\xfer\0a\0i\0n\0\n\0", 12}), "is in UTF-16; save it as UTF-8"},
             {bytes({"\xfe\xff\0r\0a\0i\0n\0\n", 12}), "is in UTF-16; save it as UTF-8"},
             {bytes({"r\0a\0i\0n\0\n\0", 10}), "is in UTF-16; save it as UTF-8"},
             {bytes({"rain\nwi\0nd\n", 11}), "line 2 holds a null byte"},
             {"rain\nbl\xfcte\n", "line 2 is not UTF-8; save the file as UTF-8"}}) {
        CAPTURE(content);
        test::writeBytes(scene.path("texts.txt"), content);
        requireRefused({"--listen-file", scene.path("texts.txt")}, 1, "texts.txt: " + message);
    }
    requireRefused({"--listen", "bl\xfcte"}, 1, "is not UTF-8");
}
