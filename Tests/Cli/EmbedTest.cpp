#include "Cli/Earshot.h"
#include "Core/Formats/Npy.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Threads.h"
#include "Core/Text/TextEncoder.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <cmath>
#include <fstream>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;

namespace {

// A small LAION-CLAP: 512 values for each 2.55 s at 48 kHz.
struct Studio {
    Studio() {
        test::writeProceduralModel(directory / "clap.safetensors", test::asLaionClap(test::smallModel()));
    }

    std::string record(const std::string& name, double seconds, std::uint32_t seed = 1) const {
        const auto path = directory / name;
        std::filesystem::create_directories(path.parent_path());
        test::writeAudio(path, AudioFormat::wavFloat, 48000, 1,
                         test::noise(static_cast<std::size_t>(seconds * 48000), seed));
        return path.string();
    }
    test::ProcessResult embed(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "embed");
        arguments.insert(arguments.end(), {"--model", (directory / "clap.safetensors").string()});
        return runEarshot(arguments);
    }
    std::string folder(const std::string& name) const { return (directory / name).string(); }
    formats::NpyArray vectors(const std::string& name) const {
        return formats::readNpy(directory / (name + ".embeddings.npy"));
    }
    std::vector<test::CsvRow> times(const std::string& name) const {
        return test::parseCsv(test::readBytes(directory / (name + ".embeddings.csv")));
    }
    std::size_t filesIn(const std::string& name) const {
        const auto all = std::filesystem::directory_iterator(directory / name);
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }

    test::TemporaryDirectory directory;
};

} // namespace

TEST_CASE("embed writes vectors and their times", "[unit]") {
    const Studio studio;
    const auto result = studio.embed({studio.record("a.wav", 6.0), "--output-dir", studio.folder("out")});
    CHECK(result.exitCode == 0);
    CHECK(result.output.empty());
    CHECK(result.errors.empty());
    CHECK(studio.filesIn("out") == 2);
    const auto array = studio.vectors("out/a.wav");
    CHECK(array.shape == std::vector<std::int64_t>{3, 512});
    for (std::size_t row = 0; row < 3; ++row) {
        double squares = 0.0;
        for (std::size_t i = 0; i < 512; ++i) squares += std::pow(array.values[row * 512 + i], 2.0);
        CHECK(std::abs(squares - 1.0) <= 1e-5);
    }
    const auto times = studio.times("out/a.wav");
    REQUIRE(times.size() == 4);
    CHECK(times[0] == test::CsvRow{"row", "start_s", "end_s"});
    CHECK(times[1] == test::CsvRow{"0", "0.000000", "2.550000"});
    CHECK(times[3] == test::CsvRow{"2", "5.100000", "6.000000"});
}

TEST_CASE("embed offers other hops, kinds and one vector for a file", "[unit]") {
    const Studio studio;
    const auto file = studio.record("a.wav", 6.0);
    CHECK(studio.embed({file, "--hop", "1.5", "--kind", "latent"}).exitCode == 0);
    CHECK(studio.vectors("a.wav").shape == std::vector<std::int64_t>{4, 16});
    CHECK(studio.times("a.wav")[2] == test::CsvRow{"1", "1.500000", "4.050000"});
    CHECK(studio.times("a.wav").back() == test::CsvRow{"3", "4.500000", "6.000000"});

    CHECK(studio.embed({file, "--overwrite"}).exitCode == 0);
    const auto windows = studio.vectors("a.wav");
    CHECK(studio.embed({file, "--per", "file", "--output-dir", studio.folder("one")}).exitCode == 0);
    const auto one = studio.vectors("one/a.wav");
    CHECK(one.shape == std::vector<std::int64_t>{1, 512});
    CHECK(studio.times("one/a.wav").back() == test::CsvRow{"0", "0.000000", "6.000000"});
    std::vector<double> mean(512);
    const std::vector<double> seconds = {2.55, 2.55, 0.9};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t i = 0; i < 512; ++i) mean[i] += seconds[row] * windows.values[row * 512 + i];
    double squares = 0.0;
    for (const double value : mean) squares += value * value;
    for (double& value : mean) value /= std::sqrt(squares);
    CHECK(test::maxDifference(one.values, mean) <= 1e-5);
}

TEST_CASE("embed gives the same bytes on any number of threads", "[unit]") {
    const Studio studio;
    const auto file = studio.record("a.wav", 20.0);
    const auto bytes = [&](const std::string& threads) {
        REQUIRE(studio.embed({file, "--threads", threads, "--hop", "0.7", "--overwrite"}).exitCode == 0);
        return test::readBytes(studio.directory / "a.wav.embeddings.npy");
    };
    const auto expected = bytes("1");
    CHECK(bytes("2") == expected);
    CHECK(bytes("4") == expected);
}

TEST_CASE("embed takes folders and keeps their shape", "[unit]") {
    const Studio studio;
    studio.record("archive/day/a.wav", 1.0, 1);
    studio.record("archive/night/a.wav", 1.0, 2);
    CHECK(studio.embed({studio.folder("archive"), "--output-dir", studio.folder("out")}).exitCode == 0);
    CHECK(studio.vectors("out/day/a.wav").values != studio.vectors("out/night/a.wav").values);
    // Beside the recordings where no folder is named; what is there is replaced on demand.
    CHECK(studio.embed({studio.folder("archive")}).exitCode == 0);
    CHECK(studio.embed({studio.folder("archive")}).exitCode == 1);
    CHECK(studio.embed({studio.folder("archive"), "--overwrite"}).exitCode == 0);
    CHECK(studio.vectors("archive/day/a.wav").values == studio.vectors("out/day/a.wav").values);
    CHECK(studio.filesIn("archive/day") == 3);
}

TEST_CASE("embed resamples as it must, and takes any channel count", "[unit]") {
    const Studio studio;
    const auto tone = test::sine(440.0, 2.5, 44100);
    std::vector<float> stereo;
    for (const float value : tone) stereo.insert(stereo.end(), {value, value});
    test::writeAudio(studio.directory / "a.wav", AudioFormat::wavFloat, 44100, 2, stereo);
    test::writeAudio(studio.directory / "b.wav", AudioFormat::wavFloat, 44100, 1, tone);
    CHECK(studio.embed({studio.folder("a.wav"), studio.folder("b.wav")}).exitCode == 0);
    CHECK(studio.vectors("a.wav").values == studio.vectors("b.wav").values);
    CHECK(studio.times("a.wav").back() == test::CsvRow{"0", "0.000000", "2.500000"});
}

TEST_CASE("a recording that cannot be embedded fails by name, and the others are done", "[unit]") {
    const Studio studio;
    test::writeBytes(studio.directory / "text.wav", "This is a shopping list.\n");
    const auto good = studio.record("good.wav", 1.0);
    const auto result = studio.embed({studio.folder("text.wav"), studio.folder("missing.wav"), good,
                                      "--output-dir", studio.folder("out")});
    CHECK(result.exitCode == 1);
    CHECK(test::lineCount(result.errors) == 2);
    CHECK_THAT(result.errors, ContainsSubstring("text.wav") && ContainsSubstring("missing.wav"));
    CHECK(studio.vectors("out/good.wav").shape.front() == 1);
    CHECK(studio.filesIn("out") == 2);

    const auto projected = runEarshot({"embed", good, "--kind", "projected"});
    CHECK(projected.exitCode == 1);
    CHECK_THAT(projected.errors, ContainsSubstring("no CLAP model"));
    test::writeBytes(studio.directory / "file", "");
    const auto nowhere = studio.embed({good, "--output-dir", studio.folder("file")});
    CHECK(nowhere.exitCode == 1);
    CHECK(test::lineCount(nowhere.errors) == 1);
    CHECK_THAT(nowhere.errors, ContainsSubstring(studio.folder("file")));
    for (const auto& wrong : std::vector<std::vector<std::string>>{
             {good, "--hop", "0"}, {good, "--per", "day"}, {good, "--kind", "best"}, {}})
        CHECK(studio.embed(wrong).exitCode == 2);
}

TEST_CASE("embed gives the published embeddings", "[golden][slow]") {
    const test::TemporaryDirectory directory;
    const auto golden = model::Checkpoint::open(test::goldenDirectory() / "clap_outputs.safetensors");
    const auto check = [&](const test::ProceduralModel& model, const std::string& name,
                           const std::string& clip) {
        CAPTURE(name);
        test::writeProceduralModel(directory / "clap.safetensors", model);
        const auto result = runEarshot({"embed", (test::goldenDirectory() / clip).string(), "--model",
                                        (directory / "clap.safetensors").string(), "--output-dir",
                                        directory.path().string()});
        CHECK(result.exitCode == 0);
        const auto array = formats::readNpy(directory / (clip + ".embeddings.npy"));
        CHECK(array.shape == std::vector<std::int64_t>{1, model.embeddingDim});
        CHECK(test::maxDifference(array.values, golden->read(name + ".embedding").values()) <= 1e-4);
    };
    check(test::asMicrosoftClap(test::fullModel()), "msclap_7s", "input_7s_44100.flac");
    check(test::asLaionClap(test::fullModel()), "laion_10s", "input_10s_48000.flac");
}

TEST_CASE("embed writes lines of text as vectors", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto path = [&](const std::string& name) { return (folder / name).string(); };
    test::writeProceduralModel(folder / "clap.safetensors", test::asLaionClap(test::smallModel()),
                               test::tinyText(false));
    test::writeBytes(folder / "texts.txt", "\xEF\xBB\xBF"
                                           "a dog barking\r\nRegen, na\xC3\xAFve\r\n");
    const auto embed = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "embed");
        arguments.insert(arguments.end(), {"--model", path("clap.safetensors")});
        return runEarshot(arguments);
    };
    const auto result = embed({"--texts", path("texts.txt"), "--output", path("texts.npy")});
    CHECK(result.errors.empty());
    REQUIRE(result.exitCode == 0);
    const auto found = formats::readNpy(folder / "texts.npy");
    REQUIRE(found.shape == std::vector<std::int64_t>{2, 512});
    const tensor::ThreadCountScope threads(1);
    const auto checkpoint = model::Checkpoint::open(folder / "clap.safetensors");
    const std::vector<std::string> texts = {"a dog barking", "Regen, na\u00efve"};
    const auto expected = text::TextEncoder(*checkpoint).embed(texts);
    CHECK(test::maxDifference(found.values, expected.values()) <= 1e-6);

    // Of a text that is too long the beginning counts, and that is said.
    test::writeBytes(folder / "long.txt", "a dog\n" + std::string(1000, 'a') + "\n");
    const auto cut = embed({"--texts", path("long.txt"), "--output", path("long.npy")});
    CHECK(cut.exitCode == 0);
    CHECK_THAT(cut.errors, ContainsSubstring("warning: 1 text is longer than the 75 tokens"));
    CHECK(embed({"--texts", path("long.txt"), "--output", path("long.npy"), "--overwrite", "--quiet"})
              .errors.empty());

    // They are queries as they are.
    test::writeAudio(folder / "a.wav", AudioFormat::wavFloat, 48000, 1, test::noise(48000, 1));
    const auto scores =
        runEarshot({"analyze", path("a.wav"), "--model", path("clap.safetensors"), "--queries",
                    path("texts.npy"), "--format", "csv", "--threshold", "0.01"});
    CHECK(scores.exitCode == 0);
    CHECK_THAT(scores.output, ContainsSubstring("a dog barking"));

    const auto info = runEarshot({"info", path("clap.safetensors")});
    CHECK_THAT(info.output, ContainsSubstring("RoBERTa: width 64, 2 layers, 4 heads"));
    const auto json = runEarshot({"info", path("clap.safetensors"), "--format", "json"});
    CHECK_THAT(json.output, ContainsSubstring("\"encoder\": \"RoBERTa\""));

    // Another text encoder leaves the audio half as it is.
    auto other = test::tinyText(false);
    other.words = 30522; // BERT's
    test::writeProceduralModel(folder / "clap.safetensors", test::asLaionClap(test::smallModel()), other);
    const auto bert = runEarshot({"info", path("clap.safetensors")});
    CHECK(bert.exitCode == 0);
    CHECK_THAT(bert.output, ContainsSubstring("cannot be used"));
    const auto bertJson = runEarshot({"info", path("clap.safetensors"), "--format", "json"});
    CHECK_THAT(bertJson.output, ContainsSubstring("\"problem\"") && ContainsSubstring("word_embeddings"));
    CHECK(runEarshot({"embed", path("a.wav"), "--model", path("clap.safetensors")}).exitCode == 0);
}

TEST_CASE("embed says what is wrong with texts", "[unit]") {
    const Studio studio;
    const auto texts = studio.folder("texts.txt"), output = studio.folder("out.npy");
    test::writeBytes(texts, "rain\n\nwind\n");
    const auto requireRefused = [&](const std::vector<std::string>& arguments, int exitCode,
                                    const std::string& message) {
        CAPTURE(arguments);
        const auto result = studio.embed(arguments);
        CHECK(result.exitCode == exitCode);
        CHECK_THAT(result.errors, ContainsSubstring(message));
        CHECK_FALSE(std::filesystem::exists(output));
    };
    requireRefused({}, 2, "name recordings, or give --texts FILE");
    requireRefused({"--texts", texts}, 2, "--texts needs --output");
    requireRefused({"a.wav", "--texts", texts, "--output", output}, 2, "excludes");
    requireRefused({"--texts", texts, "--output", output, "--hop", "1"}, 2, "excludes");
    requireRefused({"--texts", texts, "--output", output, "--precision", "int8"}, 2, "f32 or bf16");
    requireRefused({"--texts", texts, "--output", output}, 1, "line 2 is empty");
    requireRefused({"--texts", texts, "--output", texts, "--overwrite"}, 2, "the file of texts");
    test::writeBytes(texts, "");
    requireRefused({"--texts", texts, "--output", output}, 1, "is empty");
    test::writeBytes(texts, std::string("\xff\xfer\0\n\0", 6));
    requireRefused({"--texts", texts, "--output", output}, 1, "is in UTF-16; save it as UTF-8");
    test::writeBytes(texts, std::string("rain\nwi\0nd\n", 11));
    requireRefused({"--texts", texts, "--output", output}, 1, "line 2 holds a null byte");
    test::writeBytes(texts, "rain\nsn\xf6w\n");
    requireRefused({"--texts", texts, "--output", output}, 1, "line 2 is not UTF-8");
    test::writeBytes(texts, "rain\n");
    requireRefused({"--texts", texts, "--output", output}, 1, "holds no text half");
}
