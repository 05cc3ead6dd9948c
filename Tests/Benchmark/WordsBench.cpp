// earshot_words_bench: what it takes to listen for words. It makes a CLAP model with both halves from a seed,
// and adds words to a stream, as plugin and app do. Linux counts the memory.
#include "Benchmark/Goals.h"
#include "Benchmark/Processes.h"
#include "Benchmark/Program.h"
#include "Core/Streaming/Session.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/ProceduralWeights.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;
using namespace earshot::benchmark;

namespace {

constexpr int maxWords = 256; // of a project

struct Options {
    std::string size = "full";
    std::string layout = "microsoft";
    double minutes = 20.0;
    std::string json;
};

void writeModel(const std::filesystem::path& file, const Options& options) {
    const bool isMicrosoft = options.layout == "microsoft", isFull = options.size == "full";
    const auto network = isFull ? test::fullModel() : test::tinyModel();
    test::writeProceduralModel(file,
                               isMicrosoft ? test::asMicrosoftClap(network) : test::asLaionClap(network),
                               isFull ? test::fullText(isMicrosoft) : test::tinyText(isMicrosoft));
}

detection::QueryChoice choiceOf(int words, const std::shared_ptr<detection::TextVectors>& known) {
    detection::QueryChoice choice;
    for (int i = 1; i <= words; ++i) {
        const auto text = fmt::format("the sound of a thing that is called number {}", i);
        choice.listen.texts.push_back({text, text, i});
    }
    choice.listen.known = known;
    choice.scores = detection::QueryScores::each;
    return choice;
}

// A stream with words.
class Stream {
  public:
    explicit Stream(std::filesystem::path model)
        : model_(std::move(model)) {}

    // Returns once as many words as that are there, for all that is kept.
    void listenFor(int words) {
        const auto choice = choiceOf(words, known_);
        if (words_ == 0)
            session_.setModel(streaming::loaderFor(model_, choice));
        else
            session_.setWords(streaming::wordsLoaderFor(model_, choice),
                              streaming::loaderFor(model_, choice));
        words_ = words;
        for (;;) {
            const auto status = session_.status();
            if (status.state == streaming::State::failed) throw Error(status.message);
            if (status.classes == words) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    void begin() {
        session_.setSettings({.mode = detection::Mode::automatic, .hopSeconds = 10.24});
        session_.prepare(rate, true);
    }
    void hear(double minutes) {
        const auto second = test::noise(static_cast<std::size_t>(rate), 1, 0.1f);
        for (int i = 0; i < static_cast<int>(60.0 * minutes); ++i) session_.pushAndWait(second, {});
    }
    double vectorBytes() const { return static_cast<double>(session_.status().kept.vectors.bytes); }
    void end() { session_.release(); }

  private:
    static constexpr double rate = 48000.0;

    std::filesystem::path model_;
    std::shared_ptr<detection::TextVectors> known_ = std::make_shared<detection::TextVectors>();
    streaming::Session session_;
    int words_ = 0;
};

std::vector<Goal> measure(const Options& options) {
    const test::TemporaryDirectory folder;
    const auto file = folder / "clap.safetensors";
    writeModel(file, options);
    fmt::print("model {}, as {} CLAP: {:.0f} MB; one thread\n", options.size, options.layout,
               static_cast<double>(std::filesystem::file_size(file)) * 1e-6);
    Stream stream(file);
    stream.begin();
    const double before = residentMemory();
    const double first = timed([&] { stream.listenFor(1); });
    stream.hear(options.minutes);
    const double second = timed([&] { stream.listenFor(2); });
    const double ten = timed([&] { stream.listenFor(12); });
    const double again = timed([&] { stream.listenFor(11); });
    const double vectors = stream.vectorBytes();
    const double resident = residentMemory();
    const double most = timed([&] { stream.listenFor(maxWords); });
    const double mostAgain = timed([&] { stream.listenFor(maxWords - 1); });
    stream.end();
    return {
        {"model, half of texts and the first word", first, "s", {}, {}},
        {"a second word, until its lane is there", second, "s", {}, {}},
        {"ten more words at once", ten, "s", {}, {}},
        {fmt::format("{:g} minutes scored again for 11 known words", options.minutes), again, "s", {}, {}},
        {fmt::format("{} words in all, embedded and scored", maxWords), most, "s", {}, {}},
        {fmt::format("{:g} minutes scored again for {} known words", options.minutes, maxWords - 1),
         mostAgain,
         "s",
         {},
         {}},
        {"vectors of an hour", vectors * 1e-6 * 60.0 / options.minutes, "MB", {}, {}},
        {"resident memory that all this adds", (resident - before) * 1e-6, "MB", {}, {}}};
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app("Says what it takes to listen for words, with a CLAP model of weights from a seed.");
    app.add_option("--model", options.size, "the model's size")
        ->check(CLI::IsMember({"full", "tiny"}))
        ->capture_default_str();
    app.add_option("--layout", options.layout, "whose CLAP")
        ->check(CLI::IsMember({"microsoft", "laion"}))
        ->capture_default_str();
    app.add_option("--minutes", options.minutes, "of sound that are kept")
        ->check(CLI::Range(0.2, 600.0))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the numbers to this file");
    CLI11_PARSE(app, argc, argv);

    tensor::setThreadCount(1);
    const auto goals = measure(options);
    fmt::print("{}", asTable(goals));
    writeJson(options.json, {{"goals", asJson(goals)}});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return runBenchmark("earshot_words_bench", [&] { return run(argc, argv); });
}
