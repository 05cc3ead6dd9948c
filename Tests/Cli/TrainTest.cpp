#include "Cli/Earshot.h"
#include "Cli/NamedModel.h"
#include "Support/Catch.h"
#include "Support/ProceduralWeights.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <numbers>

using namespace earshot;
namespace fs = std::filesystem;
using test::runEarshot;

namespace {

// Three classes of sounds that are told apart at once, six clips of each, and two files that are no good.
void makeSounds(const std::filesystem::path& folder) {
    constexpr int rate = 32000;
    for (const std::string name : {"Beep", "Buzz", "Hiss"}) {
        std::filesystem::create_directories(folder / name);
        for (int i = 0; i < 6; ++i) {
            const auto clip = std::to_string(i) + ".wav";
            std::vector<float> samples = test::noise(rate, 100u + static_cast<unsigned>(i), 0.3f);
            if (name != "Hiss")
                samples = test::sine((name == "Beep" ? 2500.0 : 150.0) * (1.0 + 0.05 * i), 1.0, rate);
            if (name == "Buzz")
                for (float& sample : samples) sample = sample > 0.0f ? 0.4f : -0.4f;
            test::writeAudio(folder / name / clip, test::AudioFormat::wavFloat, rate, 1, samples);
        }
    }
    test::writeBytes(folder / "Beep" / "broken.wav", "not a sound at all");
    test::writeAudio(folder / "Buzz" / "silent.wav", test::AudioFormat::wavFloat, rate, 1,
                     std::vector<float>(rate, 0.0f));
}

std::vector<std::string> tinyTraining(const std::filesystem::path& folder, const std::string& output) {
    return {"train",
            "--data",
            (folder / "sounds").string(),
            "--output",
            (folder / output).string(),
            "--width",
            "8",
            "--depths",
            "1,1,1,1",
            "--heads",
            "1,1,2,2",
            "--epochs",
            "2",
            "--scenes-per-epoch",
            "16",
            "--batch",
            "8",
            "--valid-scenes",
            "4",
            "--rate",
            "0.003",
            "--threads",
            "2"};
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// A model of images, as small as can be.
std::string writeImageModel(const std::filesystem::path& file,
                            model::BlockKind block = model::BlockKind::v1) {
    auto image = test::tinyImage();
    image.config.embedDim = 8;
    image.config.depths = {1, 1, 1, 1};
    image.config.heads = {1, 1, 2, 2};
    image.config.block = block;
    test::writeProceduralModel(file, image);
    return file.string();
}

// Without one option and its value.
std::vector<std::string> without(std::vector<std::string> arguments, const std::string& option) {
    const auto found = std::find(arguments.begin(), arguments.end(), option);
    REQUIRE(found != arguments.end());
    arguments.erase(found, found + 2);
    return arguments;
}

// A finished training, as each section of the next test finds it.
struct FinishedTraining {
    test::TemporaryDirectory folder, copy;
    std::vector<std::string> arguments;
    test::ProcessResult result;

    explicit FinishedTraining(const std::vector<std::string>& more)
        : arguments(with(tinyTraining(folder.path(), "my.safetensors"), more)) {
        makeSounds(folder / "sounds");
        result = runEarshot(arguments);
        fs::copy(folder.path(), copy.path(), fs::copy_options::recursive);
    }
    void putBack() const {
        for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove_all(entry);
        fs::copy(copy.path(), folder.path(), fs::copy_options::recursive);
    }
};

} // namespace

TEST_CASE("train makes a model that analyze uses, with card, log and curves", "[slow]") {
    static const FinishedTraining usual({"--licence", "CC0-1.0"});
    static const FinishedTraining other(
        {"--licence", "CC0-1.0", "--fine-head", "8,1", "--newest-weight", "4", "--blocks", "v2"});
    const bool fine = GENERATE(false, true);
    const auto& [folder, copy, arguments, trained] = fine ? other : usual;
    (fine ? other : usual).putBack();
    INFO(trained.errors);
    REQUIRE(trained.exitCode == 0);
    CHECK_THAT(trained.output, ContainsSubstring("my.safetensors: trained for 2 epochs"));
    CHECK_THAT(trained.errors, ContainsSubstring("broken.wav") && ContainsSubstring("silent.wav"));
    CHECK_THAT(trained.errors, ContainsSubstring("epoch 2 of 2: loss ") && ContainsSubstring("event F1 "));
    CHECK(trained.errors.find('\r') == std::string::npos);

    const auto log = test::parseCsv(test::readBytes(folder / "my.csv"));
    REQUIRE(log.size() == 3);
    CHECK(log[2][1] == "4"); // steps
    const auto card = test::readBytes(folder / "my.md");
    for (const std::string part :
         {"| Beep |", "| Buzz |", "PSDS1", "CC0-1.0", "earshot train --data", "Seed 1", "Threshold"})
        CHECK_THAT(card, ContainsSubstring(part));
    CHECK_THAT(card, ContainsSubstring(fine ? "last 0.96 s | 4 |" : "last 0.96 s | 1 |"));
    CHECK((card.find("of Swin V2 blocks") != std::string::npos) == fine);
    CHECK_THAT(test::readBytes(folder / "my.svg"), ContainsSubstring("</svg>"));

    const auto info = runEarshot({"info", (folder / "my.safetensors").string()});
    CHECK(info.exitCode == 0);
    CHECK_THAT(info.output, ContainsSubstring("CC0-1.0") && ContainsSubstring("Beep; Buzz; Hiss"));
    CHECK_THAT(info.output,
               ContainsSubstring(fine ? "10.24 s in steps of 0.08 s" : "10.24 s in steps of 0.32 s"));
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(has(card, "As boxes") == has(info.output, "--confidence auto"));
    const auto analysed = runEarshot(
        {"analyze", test::makeNoise(folder / "n.wav"), "--model", (folder / "my.safetensors").string()});
    CHECK(analysed.exitCode == 0);

    SECTION("sounds of few sources to validate with are scored apart in the card") {
        CHECK_THAT(card, !ContainsSubstring("with fewer"));
        for (int i = 6; i < 18; ++i) {
            const auto name = std::to_string(i) + ".wav";
            const auto frequency = 2500.0 + 50.0 * i;
            test::writeAudio(folder / "sounds" / "Beep" / name, test::AudioFormat::wavFloat, 32000, 1,
                             test::sine(frequency, 1.0, 32000));
        }
        CHECK(runEarshot(with(arguments, {"--overwrite", "--valid-percent", "33"})).exitCode == 0);
        const auto mixed = test::readBytes(folder / "my.md");
        CHECK_THAT(mixed, ContainsSubstring("| 1 with at least 4 sources to validate with, by thresholds |"));
        CHECK_THAT(mixed, ContainsSubstring("| 2 with fewer, by thresholds |"));
    }
    SECTION("the same again gives the same model") {
        const auto before = test::readBytes(folder / "my.safetensors");
        CHECK(runEarshot(with(arguments, {"--overwrite"})).exitCode == 0);
        CHECK(test::readBytes(folder / "my.safetensors") == before);
        for (const std::string share : {"0", "1"}) {
            CHECK(runEarshot(with(arguments, {"--overwrite", "--late-onsets", share})).exitCode == 0);
            CHECK((test::readBytes(folder / "my.safetensors") == before) == (share == "0"));
        }
    }
    SECTION("nothing is overwritten unasked") {
        const auto refused = runEarshot(arguments);
        CHECK(refused.exitCode == 1);
        CHECK_THAT(refused.errors, ContainsSubstring("my.safetensors") && ContainsSubstring("--overwrite"));
    }
    SECTION("a resumed training that is done stays as it is") {
        const auto before = test::readBytes(folder / "my.safetensors");
        CHECK(runEarshot(with(arguments, {"--resume"})).exitCode == 0);
        CHECK(test::readBytes(folder / "my.safetensors") == before);
        const auto other = runEarshot(with(without(arguments, "--rate"), {"--resume", "--rate", "0.001"}));
        CHECK(other.exitCode == 1);
        CHECK_THAT(other.errors, ContainsSubstring("rate 0.003, not 0.001"));
        struct Change {
            std::string option, value, message;
        };
        for (const auto& [option, value, message] :
             {Change{"--variation", "2", "variation 1, not 2"},
              {"--filter-range", "3.3", "filter-range 6, not 3.3"},
              {"--late-onsets", "0.3", "late-onsets 0, not 0.3"},
              {"--max-events", "1", "max-events 4, not 1"},
              {"--lowest-snr", "20", "lowest-snr -3, not 20"},
              {"--level-spread", "6", "level-spread 12, not 6"},
              {"--validate-every", "2", "validate-every 1, not 2"},
              {"--store", "float32", "store \"float16\", not \"float32\""}}) {
            const auto refused = runEarshot(with(arguments, {"--resume", option, value}));
            CAPTURE(option, refused.errors);
            CHECK(refused.exitCode == 1);
            CHECK_THAT(refused.errors, ContainsSubstring("my.training.safetensors: was trained with " +
                                                         message + "; resume with the same options"));
        }
        // How recordings are read is theirs, too; a training for which nothing was stated has no word of it.
        for (const auto& [option, value, message] : {Change{"--channel", "1", "channel \"1\""},
                                                     {"--gain", "auto", "gain \"auto\""},
                                                     {"--speed", "1", "speed \"1\""}}) {
            const auto refused = runEarshot(with(arguments, {"--resume", option, value}));
            CAPTURE(option, refused.errors);
            CHECK(refused.exitCode == 1);
            CHECK_THAT(refused.errors, ContainsSubstring("my.training.safetensors: was trained without " +
                                                         message + "; resume with the same options"));
        }
        const auto fewer =
            runEarshot(with(without(arguments, "--valid-scenes"), {"--resume", "--valid-scenes", "3"}));
        CHECK_THAT(fewer.errors, ContainsSubstring("valid-scenes 4, not 3"));
        CHECK(test::readBytes(folder / "my.safetensors") == before);
        // Checkpoints of earlier versions hold no options.
        auto checkpoint = test::readBytes(folder / "my.training.safetensors");
        const auto key = checkpoint.find("earshot.training.options");
        REQUIRE(key != std::string::npos);
        checkpoint[key] = 'E';
        test::writeBytes(folder / "my.training.safetensors", checkpoint);
        CHECK(runEarshot(with(arguments, {"--resume", "--quiet"})).exitCode == 0);
    }
    SECTION("its encoder serves for other sounds") {
        const std::vector<std::string> tuning = {"train",
                                                 "--data",
                                                 (folder / "sounds").string(),
                                                 "--only",
                                                 "Beep,Hiss",
                                                 "--valid-percent",
                                                 "34",
                                                 "--seed",
                                                 "2",
                                                 "--output",
                                                 (folder / "new.safetensors").string(),
                                                 "--from",
                                                 (folder / "my.safetensors").string(),
                                                 "--epochs",
                                                 "2",
                                                 "--scenes-per-epoch",
                                                 "16",
                                                 "--batch",
                                                 "8",
                                                 "--valid-scenes",
                                                 "4"};
        for (const auto& way : {std::vector<std::string>{"--freeze", "encoder"},
                                std::vector<std::string>{"--unfreeze-over", "0.5", "--overwrite"}}) {
            const auto tuned = runEarshot(with(tuning, way));
            INFO(tuned.errors);
            CHECK(tuned.exitCode == 0);
            const auto described = runEarshot({"info", (folder / "new.safetensors").string()});
            CHECK_THAT(described.output, ContainsSubstring("Beep; Hiss"));
            // It is scored on the clips that this training kept: more than the one before.
            const auto kept =
                runEarshot({"evaluate", (folder / "new.safetensors").string(), "--data",
                            (folder / "sounds").string(), "--split", "valid", "--format", "json"});
            const int count = nlohmann::json::parse(kept.output).at("data").at("recordings").get<int>();
            CHECK(count > 2);
            CHECK_THAT(tuned.errors, ContainsSubstring(", " + std::to_string(count) + " to validate with"));
            // It knew both by name, and Buzz besides.
            const bool headAlone = way.front() == "--freeze";
            CHECK_THAT(test::readBytes(folder / "new.md"),
                       ContainsSubstring(headAlone ? "only the head was trained; the model"
                                                   : "my.safetensors, which was trained further; the model"));
        }
        const auto resumed = with(tuning, {"--unfreeze-over", "0.5", "--resume"});
        CHECK(runEarshot(resumed).exitCode == 0);
        REQUIRE(runEarshot(with(arguments, {"--seed", "2", "--overwrite"})).exitCode == 0);
        const auto clone = runEarshot(resumed);
        CHECK(clone.exitCode == 1);
        CHECK_THAT(clone.errors, ContainsSubstring("was trained with SHA-256 of --from \""));
    }
}

TEST_CASE("train learns from a teacher, and says so", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    std::string soft = "file,Buzz,Beep,Hiss,Bark\n", embeddings = "file,a,b\n";
    int row = 0;
    for (const std::string name : {"Beep", "Buzz", "Hiss"})
        for (int i = 0; i < 6; ++i, ++row) {
            const auto file = name + "/" + std::to_string(i) + ".wav";
            soft += file + (name == "Buzz" ? ",0.75" : ",0.125") + ",0.25,0,0\n";
            embeddings += file + "," + std::to_string(row) + "," + std::to_string(row % 4) + "\n";
        }
    test::writeBytes(folder / "soft.csv", soft);
    test::writeBytes(folder / "embeddings.csv", embeddings);
    const auto table = [&](const char* name) { return (folder / name).string(); };
    auto arguments = tinyTraining(folder.path(), "my.safetensors");
    REQUIRE(runEarshot(arguments).exitCode == 0);
    const auto before = test::readBytes(folder / "my.safetensors");
    arguments = with(arguments, {"--soft-labels", table("soft.csv"), "--embeddings", table("embeddings.csv"),
                                 "--teacher", "Owl (MIT)", "--clean-clips", "0.25"});
    const auto trained = runEarshot(with(arguments, {"--overwrite"}));
    INFO(trained.errors);
    REQUIRE(trained.exitCode == 0);
    CHECK_THAT(trained.errors,
               ContainsSubstring("from a teacher: soft labels of 18 of 20 recordings, 3 of 3 classes; "
                                 "embeddings of 2 values of 18 of 20 recordings"));
    CHECK(test::readBytes(folder / "my.safetensors") != before);
    CHECK(test::readBytes(folder / "my.safetensors").size() <
          before.size() + 1000); // the task's layer is not in it
    const auto card = test::readBytes(folder / "my.md");
    for (const std::string part : {"| Teacher | Owl (MIT) |", "| Share of soft labels in the targets | 0.5 |",
                                   "| Gradient of embeddings beside that of labels | 1 |",
                                   "| Scenes of one unchanged recording | 0.25 |"})
        CHECK_THAT(card, ContainsSubstring(part));
    const auto log = test::parseCsv(test::readBytes(folder / "my.csv"));
    REQUIRE(log.size() == 3);
    CHECK(log[0].back() == "embedding_r2");
    CHECK_FALSE(log[2].back().empty());
    CHECK(runEarshot(with(arguments, {"--resume"})).exitCode == 0);
    for (const auto& [more, message] : {std::pair<std::vector<std::string>, std::string>{
                                            {"--soft-share", "0.25"}, "soft-share 0.5, not 0.25"},
                                        {{"--embedding-weight", "2"}, "embedding-weight 1.0, not 2.0"}}) {
        const auto refused = runEarshot(with(with(arguments, {"--resume"}), more));
        CHECK(refused.exitCode == 1);
        CHECK_THAT(refused.errors, ContainsSubstring(message));
    }
    const auto plain = runEarshot(
        with(tinyTraining(folder.path(), "my.safetensors"), {"--resume", "--clean-clips", "0.25"}));
    CHECK(plain.exitCode == 1);
    CHECK_THAT(plain.errors, ContainsSubstring("was trained with"));
    test::writeBytes(folder / "soft.csv", "file,Beep\nnowhere.wav,1\n");
    const auto none = runEarshot(with(arguments, {"--overwrite"}));
    CHECK(none.exitCode == 1);
    CHECK_THAT(none.errors, ContainsSubstring("soft.csv: names none of the recordings"));
    const auto frozen = runEarshot(
        with(with(tinyTraining(folder.path(), "x.safetensors"), {"--embeddings", table("embeddings.csv")}),
             {"--from", "default", "--freeze", "encoder"}));
    CHECK(frozen.exitCode == 2);
}

TEST_CASE("train starts from an image model, as from first values", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto block = GENERATE(model::BlockKind::v1, model::BlockKind::v2);
    const std::string version = block == model::BlockKind::v1 ? "V1" : "V2";
    const auto image = writeImageModel(folder / "swin.safetensors", block);
    auto arguments = tinyTraining(folder.path(), "my.safetensors");
    for (const std::string option : {"--width", "--depths", "--heads"})
        arguments = without(arguments, option);
    const auto trained = runEarshot(with(arguments, {"--from", image}));
    INFO(trained.errors);
    REQUIRE(trained.exitCode == 0);
    CHECK_THAT(trained.errors, ContainsSubstring("million parameters: 4 steps of 8 scenes take about ") &&
                                   ContainsSubstring("epoch 2 of 2: loss "));
    const auto card = test::readBytes(folder / "my.md");
    CHECK_THAT(card,
               ContainsSubstring("swin.safetensors, a Swin " + version +
                                 " image model (10 classes), whose encoder was trained further on sounds") &&
                   ContainsSubstring("| Averaging | 0.999 |"));
    const auto info = runEarshot({"info", (folder / "my.safetensors").string()});
    CHECK_THAT(info.output, ContainsSubstring("Beep; Buzz; Hiss") &&
                                ContainsSubstring("width 8, depths 1, 1, 1, 1, heads 1, 1, 2, 2") &&
                                ContainsSubstring("window 4;"));
    const auto analysed = runEarshot(
        {"analyze", test::makeNoise(folder / "n.wav"), "--model", (folder / "my.safetensors").string()});
    CHECK(analysed.exitCode == 0);
    // It is another training than one from first values.
    const auto before = test::readBytes(folder / "my.safetensors");
    REQUIRE(runEarshot(with(tinyTraining(folder.path(), "my.safetensors"), {"--overwrite"})).exitCode == 0);
    CHECK(test::readBytes(folder / "my.safetensors") != before);
}

TEST_CASE("Ctrl-C saves a training, and --resume ends it as if nothing had happened", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto whole = tinyTraining(folder.path(), "whole.safetensors");
    REQUIRE(runEarshot(whole).exitCode == 0);

    const auto arguments = tinyTraining(folder.path(), "cut.safetensors");
    std::string script = "'" + test::programPath() + "'";
    for (const auto& argument : arguments) script += " '" + argument + "'";
    // The first epoch is told on standard error; then Ctrl-C.
    script += " 2> '" + (folder / "log").string() +
              "' & pid=$!; while kill -0 $pid 2> /dev/null && ! grep -q "
              "'epoch 1 of 2' '" +
              (folder / "log").string() + "'; do sleep 0.02; done; kill -INT $pid; wait $pid";
    const auto stopped = test::runProcess("/bin/bash", {"-c", script}, {});
    const auto said = test::readBytes(folder / "log");
    INFO(said);
    if (stopped.exitCode != 0) { // else it was quicker than the signal
        CHECK(stopped.exitCode == 130);
        CHECK_THAT(said, ContainsSubstring("--resume"));
        CHECK(std::filesystem::exists(folder / "cut.training.safetensors"));
    }
    const auto resumed = runEarshot(with(arguments, {"--resume"}));
    INFO(resumed.errors);
    CHECK(resumed.exitCode == 0);
    CHECK(test::readBytes(folder / "cut.safetensors") == test::readBytes(folder / "whole.safetensors"));
}

TEST_CASE("a training that cannot be saved says so by the checkpoint's name", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto arguments =
        with(without(tinyTraining(folder.path(), "my.safetensors"), "--epochs"), {"--epochs", "500"});
    const auto checkpoint = (folder / "my.training.safetensors").string();
    const auto log = (folder / "log").string();
    // A folder in the checkpoint's place after the first epoch, as if somebody were at work there; then
    // Ctrl-C.
    const auto script = "\"$0\" \"$@\" 2> '" + log +
                        "' & pid=$!; while kill -0 $pid && ! grep -q 'epoch 1 of' '" + log +
                        "'; do sleep 0.02; done; mkdir '" + checkpoint + "'; kill -INT $pid; wait $pid";
    auto words = arguments;
    words.insert(words.begin(), {"-c", script, test::programPath()});
    const auto stopped = test::runProcess("/bin/bash", words);
    const auto said = test::readBytes(log);
    INFO(said);
    CHECK(stopped.exitCode == 1);
    CHECK_THAT(said, ContainsSubstring("my.training.safetensors: cannot be written"));
    CHECK_THAT(said, !ContainsSubstring("nothing was written"));
}

TEST_CASE("Ctrl-C stops the last scoring, and --resume scores", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto arguments = with(without(tinyTraining(folder.path(), "my.safetensors"), "--valid-scenes"),
                                {"--valid-scenes", "60"});
    const auto log = (folder / "log").string();
    const auto script = "\"$0\" \"$@\" 2> '" + log +
                        "' & pid=$!; while kill -0 $pid && ! grep -q 'epoch 2 of' '" + log +
                        "'; do sleep 0.02; done; kill -INT $pid; wait $pid";
    auto words = arguments;
    words.insert(words.begin(), {"-c", script, test::programPath()});
    const auto stopped = test::runProcess("/bin/bash", words);
    const auto said = test::readBytes(log);
    INFO(said);
    CHECK(stopped.exitCode == 130);
    CHECK_THAT(said, ContainsSubstring("stopped after 2 epochs") && ContainsSubstring("--resume"));
    CHECK_FALSE(std::filesystem::exists(folder / "my.md"));
    const auto resumed = runEarshot(with(arguments, {"--resume"}));
    INFO(resumed.errors);
    CHECK(resumed.exitCode == 0);
    CHECK_THAT(test::readBytes(folder / "my.md"), ContainsSubstring("PSDS1"));
}

TEST_CASE("a full disk stops a training with how it goes on, and keeps no model from being scored",
          "[slow][file-limit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto arguments = tinyTraining(folder.path(), "my.safetensors");
    REQUIRE(runEarshot(arguments).exitCode == 0);
    const auto model = test::readBytes(folder / "my.safetensors");
    const auto sizeOf = [&](const char* name) { return std::filesystem::file_size(folder / name); };
    REQUIRE(sizeOf("my.safetensors") + 2048 < sizeOf("my.training.safetensors"));
    const auto run = [&](std::uintmax_t bytes, const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "-c", "trap '' XFSZ; ulimit -f " + std::to_string(bytes / 1024 + 1) + "; exec \"$0\" \"$@\"",
            test::programPath()};
        const auto all = with(arguments, more);
        words.insert(words.end(), all.begin(), all.end());
        return test::runProcess("/bin/bash", words);
    };
    // There is room for the model, and not for the checkpoint.
    std::filesystem::remove(folder / "my.training.safetensors");
    const auto scored = run(sizeOf("my.safetensors"), {"--overwrite"});
    INFO(scored.errors);
    CHECK(scored.exitCode == 0);
    CHECK_THAT(scored.errors, ContainsSubstring("my.training.safetensors: cannot be written") &&
                                  ContainsSubstring("the trained model is there, and is scored"));
    CHECK(test::readBytes(folder / "my.safetensors") == model);
    // There is room for neither.
    const auto failed = run(4096, {"--overwrite"});
    INFO(failed.errors);
    CHECK(failed.exitCode == 1);
    CHECK_THAT(failed.errors, ContainsSubstring("my.safetensors: cannot be written") &&
                                  ContainsSubstring("No step is saved yet: begin again with --overwrite"));
    CHECK(runEarshot(with(arguments, {"--overwrite"})).exitCode == 0);
    const auto again = run(4096, {"--resume"});
    INFO(again.errors);
    CHECK(again.exitCode == 1);
    CHECK_THAT(again.errors, ContainsSubstring("my.training.safetensors holds the training until then: go on "
                                               "with --resume"));
}

TEST_CASE("a batch that threads cannot share is rounded up, and said to be", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto arguments = without(tinyTraining(folder.path(), "my.safetensors"), "--threads");
    const auto rounded = runEarshot(with(arguments, {"--threads", "3"}));
    INFO(rounded.errors);
    CHECK(rounded.exitCode == 0);
    CHECK_THAT(rounded.errors, ContainsSubstring("a step has 12 scenes rather than 8"));
    const auto capped = runEarshot(with(arguments, {"--threads", "16", "--overwrite"}));
    CHECK(capped.exitCode == 0);
    CHECK_THAT(capped.errors, !ContainsSubstring("rather than") && ContainsSubstring("steps of 8 scenes"));
}

TEST_CASE("the card of one class, without validation, says no more than is true", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    std::filesystem::rename(folder / "sounds" / "Hiss", folder / "sounds" / "noise");
    const auto arguments = without(tinyTraining(folder.path(), "my.safetensors"), "--valid-scenes");
    const auto trained = runEarshot(with(arguments, {"--only", "noise", "--valid-scenes", "0"}));
    INFO(trained.errors);
    REQUIRE(trained.exitCode == 0);
    CHECK_THAT(trained.errors, ContainsSubstring("1 class; "));
    CHECK_THAT(test::readBytes(folder / "my.md"),
               ContainsSubstring("it says whether one sound is present, and when") &&
                   ContainsSubstring("epoch 2, the last one; nothing was validated.") &&
                   ContainsSubstring("None: no validation was asked for."));
    CHECK(runEarshot(with(arguments, {"--overwrite", "--valid-scenes", "6"})).exitCode == 0);
    CHECK_THAT(test::readBytes(folder / "my.md"),
               ContainsSubstring("On 61 seconds of scenes mixed") &&
                   ContainsSubstring("the best on the validation scenes") &&
                   ContainsSubstring("In noise, noise is no false alarm."));
}

TEST_CASE("a training that is given too little time says what its one epoch takes", "[slow]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto arguments = without(tinyTraining(folder.path(), "my.safetensors"), "--epochs");
    const auto result = runEarshot(
        with(without(arguments, "--scenes-per-epoch"), {"--minutes", "0.01", "--scenes-per-epoch", "200"}));
    INFO(result.errors);
    CHECK(result.exitCode == 0);
    CHECK_THAT(result.errors, ContainsSubstring("one epoch is the least: its 200 scenes take about ") &&
                                  ContainsSubstring("more than 0.01 minutes; a smaller --scenes-per-epoch"));
    CHECK_THAT(result.errors, !ContainsSubstring("fit"));
    CHECK_THAT(result.output, ContainsSubstring("trained for 1 epoch"));
}

TEST_CASE("train says in one line what is wrong", "[unit]") {
    const test::TemporaryDirectory folder;
    makeSounds(folder / "sounds");
    const auto good = tinyTraining(folder.path(), "my.safetensors");
    const auto fails = [&](const std::vector<std::string>& arguments, int code, const std::string& words) {
        const auto result = runEarshot(arguments);
        CAPTURE(result.errors);
        CHECK(result.exitCode == code);
        CHECK_THAT(result.errors, ContainsSubstring(words));
        CHECK(result.errors.rfind("earshot: ", 0) == 0);
        CHECK_FALSE(std::filesystem::exists(folder / "my.safetensors"));
    };
    fails(without(good, "--output"), 2, "--output is required");
    fails(with(without(good, "--heads"), {"--heads", "3,3,3,3"}), 2, "multiple of the heads");
    fails(with(good, {"--resume", "--overwrite"}), 2, "choose one");
    fails(with(good, {"--resume"}), 1, "nothing to resume");
    fails(with(good, {"--freeze", "encoder"}), 2, "--freeze requires --from");
    fails(with(good, {"--only", "Meow"}), 1, "Meow");
    fails(with(good, {"--minutes", "3"}), 2, "--epochs excludes --minutes");
    fails(with(good, {"--fewest-clips", "20"}), 1, "at least 20 are needed");
    fails(with(without(good, "--output"), {"--output", (folder / "my.bin").string()}), 1,
          "ends in .safetensors");
    fails(with(without(good, "--output"), {"--output", (folder / "a/b/my.safetensors").string()}), 1,
          "create it first");
    // The log of my.safetensors would be my.csv.
    const auto table = folder / "my.csv";
    test::writeBytes(table, "file,label\n");
    fails(with(good, {"--data", table.string(), "--overwrite"}), 1, "is the data");
    CHECK(test::readBytes(table) == "file,label\n");
    std::filesystem::remove(table);
    // So would its checkpoint be a clip, and a list of its problems what somebody has noted.
    const auto clip = folder / "my.training.safetensors";
    std::filesystem::create_hard_link(folder / "sounds" / "Beep" / "0.wav", clip);
    const auto sound = test::readBytes(clip);
    for (const auto& more : {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}})
        fails(with(good, more), 1, "0.wav: is a clip of the data");
    CHECK(test::readBytes(clip) == sound);
    std::filesystem::remove(clip);
    test::writeBytes(folder / "my.problems.txt", "the second take is too loud");
    fails(good, 1, "my.problems.txt: is there already");
    std::filesystem::remove(folder / "my.problems.txt");
    // Folders in the place of results show before anything is decoded.
    for (const std::string name : {"my.safetensors", "my.md", "my.training.safetensors"}) {
        std::filesystem::create_directories(folder / name);
        const auto refused = runEarshot(with(good, {"--overwrite"}));
        CHECK(refused.exitCode == 1);
        CHECK(test::lineCount(refused.errors) == 1);
        CHECK_THAT(refused.errors, ContainsSubstring(name + ": cannot be written (Is a directory)"));
        std::filesystem::remove(folder / name);
    }
    const auto known = test::writeNamedModel(folder / "known.safetensors", {"Beep", "Buzz"});
    const auto weights = test::readBytes(known);
    const auto onward = runEarshot(
        {"train", "--data", (folder / "sounds").string(), "--output", known, "--from", known, "--overwrite"});
    CHECK(onward.exitCode == 1);
    CHECK_THAT(onward.errors, ContainsSubstring("known.safetensors: is the model to start from"));
    CHECK(test::readBytes(known) == weights);
    const std::vector<std::string> onwards = {"train", "--data", (folder / "sounds").string(), "--output",
                                              (folder / "my.safetensors").string()};
    fails(with(onwards, {"--from", "absent.safetensors"}), 2, "no such model file");
    const auto image = writeImageModel(folder / "swin.safetensors");
    fails(
        with(onwards, {"--from", image, "--freeze", "encoder"}), 1,
        "swin.safetensors: is a Swin V1 image model (10 classes), and its encoder was not trained on sounds");
}
