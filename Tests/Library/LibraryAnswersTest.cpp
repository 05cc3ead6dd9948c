#include "Library/Client.h"

#include "Core/Detection/Events/Sebbs.h"

#include <algorithm>
#include <limits>

using namespace earshot;

namespace {

struct Columns : detection::ColumnObserver {
    void begin(int, double) override {}
    void column(std::int64_t, std::span<const float> probabilities) override {
        values.insert(values.end(), probabilities.begin(), probabilities.end());
    }
    void end(double) override {}

    std::vector<float> values;
};

// What the engine finds in a file, without the library: the command line's path.
struct Expected {
    std::vector<detection::Event> events;
    std::vector<float> columns;
};

class Engine {
  public:
    explicit Engine(const std::filesystem::path& model = test::defaultModelFile())
        : model_(detection::openModel(model)) {}

    const detection::ListeningModel& model() const { return model_; }

    Expected analyze(const std::filesystem::path& file, const detection::EventSettings& events,
                     detection::Mode mode = detection::Mode::automatic, int channel = 0) const {
        const auto detector = detection::makeDetector(model_, {.mode = mode,
                                                               .hop = *detection::hopTokens(model_, mode, {}),
                                                               .events = events,
                                                               .thorough = true});
        audio::AudioFile audio(file, Pipes::refused, {.channel = channel});
        const tensor::ThreadCountScope one(1);
        const auto analyzer = detector.makeAnalyzer(1);
        Columns columns;
        detection::RecordingQuestion question{.settings = events, .reported = {}, .observers = {}};
        if (channel >= 0) question.observers = {&columns};
        const auto result = detection::analyzeRecording(audio, *analyzer, detector.modelRate, question);
        return {result.found.events, columns.values};
    }

  private:
    detection::ListeningModel model_;
};

void checkSame(const std::vector<earshot_event>& events, const std::vector<detection::Event>& expected) {
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        INFO("event " << i);
        CHECK(events[i].onset == expected[i].onset);
        CHECK(events[i].offset == expected[i].offset);
        CHECK(events[i].class_index == expected[i].classIndex);
        CHECK(events[i].channel == expected[i].channel);
        CHECK(events[i].peak == expected[i].peak);
        CHECK(events[i].mean == expected[i].mean);
        CHECK(events[i].confidence == expected[i].confidence);
        CHECK(events[i].reserved == 0);
    }
}

detection::EventSettings lowRules(const detection::Labels& labels) {
    detection::RuleChoice choice;
    for (int i = 0; i < labels.count(); ++i) choice.classThresholds[i] = 0.02f;
    return detection::eventSettings(choice, labels);
}

} // namespace

TEST_CASE("files and samples of any rate, channels and length give the engine's own events and activations",
          "[unit]") {
    const test::TemporaryDirectory folder;
    const Engine engine;
    const auto model = test::openModel();
    earshot_rules rules = EARSHOT_RULES_INIT;
    rules.threshold = 0.02;
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.rules = &rules;
    analysis.keep_activations = 1;
    struct Case {
        double seconds;
        int rate, channels;
    };
    std::size_t found = 0;
    for (const Case& one : {Case{0.04, 32000, 1}, Case{0.06, 44100, 1}, Case{0.5, 8000, 2},
                            Case{1.9, 48000, 1}, Case{2.1, 22050, 3}, Case{11.3, 96000, 2}}) {
        CAPTURE(one.seconds, one.rate, one.channels);
        const auto clip = test::changingClip(one.seconds, one.rate, one.channels);
        clip.write(folder / "clip.wav");
        const auto expected = engine.analyze(folder / "clip.wav", lowRules(engine.model().labels));

        const auto fromFile = test::analyzeFile(model, folder / "clip.wav", analysis);
        checkSame(test::eventsOf(fromFile), expected.events);
        CHECK(test::same(test::activationsOf(fromFile, model), expected.columns));

        const auto fromSamples = test::analyzeSamples(model, clip.audio(), analysis);
        checkSame(test::eventsOf(fromSamples), expected.events);
        CHECK(test::same(test::activationsOf(fromSamples, model), expected.columns));
        CHECK(earshot_result_duration(fromSamples.get()) == earshot_result_duration(fromFile.get()));

        const auto planes = clip.planes();
        const auto all = test::pointers(planes);
        auto planar = clip.audio();
        planar.interleaved = nullptr;
        planar.planes = all.data();
        checkSame(test::eventsOf(test::analyzeSamples(model, planar, analysis)), expected.events);
        found += expected.events.size();
    }
    CHECK(found > 10);
}

TEST_CASE("channels, modes, confidence and thresholds are those of the engine", "[unit]") {
    const test::TemporaryDirectory folder;
    const Engine engine;
    const auto& labels = engine.model().labels;
    const auto model = test::openModel();
    const auto clip = test::changingClip(4.0, 32000, 2);
    clip.write(folder / "clip.wav");
    earshot_rules rules = EARSHOT_RULES_INIT;
    rules.threshold = 0.02;
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.rules = &rules;
    for (const int channel : {EARSHOT_CHANNEL_MIX, 1, 2, EARSHOT_CHANNEL_EACH}) {
        CAPTURE(channel);
        analysis.channel = channel;
        const auto expected =
            engine.analyze(folder / "clip.wav", lowRules(labels), detection::Mode::automatic, channel);
        REQUIRE(!expected.events.empty());
        checkSame(test::eventsOf(test::analyzeFile(model, folder / "clip.wav", analysis)), expected.events);
        checkSame(test::eventsOf(test::analyzeSamples(model, clip.audio(), analysis)), expected.events);
    }
    analysis.channel = EARSHOT_CHANNEL_MIX;
    analysis.mode = EARSHOT_MODE_REPEAT;
    checkSame(test::eventsOf(test::analyzeSamples(model, clip.audio(), analysis)),
              engine.analyze(folder / "clip.wav", lowRules(labels), detection::Mode::repeat).events);

    analysis.mode = EARSHOT_MODE_AUTO;
    rules = EARSHOT_RULES_INIT;
    rules.by_confidence = 1;
    auto settings = detection::eventSettings({}, labels);
    detection::useSebbs(settings, labels.sebbs(), labels.sebbs()->minConfidence());
    const auto expected = engine.analyze(test::demoFile(), settings);
    REQUIRE(!expected.events.empty());
    checkSame(test::eventsOf(test::analyzeFile(model, test::demoFile(), analysis)), expected.events);
}

TEST_CASE("a class has its own threshold, and may be left out", "[unit]") {
    const auto model = test::openModel();
    const auto classes = earshot_model_class_count(model.get());
    const auto speech = earshot_model_find_class(model.get(), "sPEECH");
    REQUIRE(speech >= 0);
    CHECK(std::string(earshot_model_label(model.get(), speech)) == "Speech");
    std::vector<float> thresholds(classes, std::numeric_limits<float>::quiet_NaN());
    earshot_rules rules = EARSHOT_RULES_INIT;
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.rules = &rules;
    const auto isSpeech = [&](const earshot_event& event) { return event.class_index == speech; };
    const auto count = [&] {
        const auto events = test::eventsOf(test::analyzeFile(model, test::demoFile(), analysis));
        const auto ours = std::ranges::count_if(events, isSpeech);
        return std::pair(ours, static_cast<std::ptrdiff_t>(events.size()) - ours);
    };
    const auto [usual, others] = count();
    REQUIRE(usual > 0);
    REQUIRE(others > 0);
    rules.class_thresholds = thresholds.data();
    CHECK(count() == std::pair(usual, others));
    thresholds[static_cast<std::size_t>(speech)] = 1.0f;
    CHECK(count() == std::pair(std::ptrdiff_t{0}, others));

    rules.class_thresholds = nullptr;
    std::vector<std::uint8_t> reported(classes, 0);
    reported[static_cast<std::size_t>(speech)] = 1;
    rules.reported = reported.data();
    CHECK(count() == std::pair(usual, std::ptrdiff_t{0}));
}

TEST_CASE("progress is reported to the end, and may cancel", "[unit]") {
    const auto model = test::openModel();
    const auto clip = test::changingClip(5.0, 16000, 1);
    struct Seen {
        std::vector<double> done;
        std::size_t most = 1000;
    } seen;
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.user = &seen;
    analysis.progress = [](void* user, double done) {
        auto& all = *static_cast<Seen*>(user);
        all.done.push_back(done);
        return all.done.size() >= all.most ? 1 : 0;
    };
    test::analyzeSamples(model, clip.audio(), analysis);
    REQUIRE(seen.done.size() >= 5);
    CHECK(std::ranges::is_sorted(seen.done));
    CHECK(seen.done.back() == 1.0);

    const auto audio = clip.audio();
    const auto demo = test::demoFile().string();
    std::vector<float> vector(earshot_model_embedding_size(model.get()));
    seen = {};
    REQUIRE(earshot_embed_samples(model.get(), &audio, &analysis, vector.data(), vector.size()) ==
            EARSHOT_OK);
    CHECK(seen.done.size() == 5);
    CHECK(seen.done.back() == 1.0);
    for (const bool fromFile : {false, true}) {
        seen = {.done = {}, .most = 2};
        const auto status =
            fromFile ? earshot_embed_file(model.get(), demo.c_str(), &analysis, vector.data(), vector.size())
                     : earshot_embed_samples(model.get(), &audio, &analysis, vector.data(), vector.size());
        CHECK(status == EARSHOT_CANCELLED);
        CHECK(seen.done.size() == 2);
    }
    for (const bool fromFile : {false, true}) {
        seen = {.done = {}, .most = 2};
        earshot_result* result = nullptr;
        const auto status = fromFile ? earshot_analyze_file(model.get(), demo.c_str(), &analysis, &result)
                                     : earshot_analyze_samples(model.get(), &audio, &analysis, &result);
        CHECK(status == EARSHOT_CANCELLED);
        CHECK(result == nullptr);
        CHECK(seen.done.size() == 2);
        CHECK(std::string(earshot_last_error()).find("cancel") != std::string::npos);
    }
}

TEST_CASE("a file that breaks off gives what was found before, and an error that says so", "[unit]") {
    const test::TemporaryDirectory folder;
    std::filesystem::copy_file(test::demoFile(), folder / "cut.flac");
    test::truncate(folder / "cut.flac", 0.5);
    const auto model = test::openModel();
    earshot_result* broken = nullptr;
    const auto status =
        earshot_analyze_file(model.get(), (folder / "cut.flac").string().c_str(), nullptr, &broken);
    const test::Result result(broken);
    CHECK(status == EARSHOT_FILE_ERROR);
    CHECK(std::string(earshot_last_error()).find("cut.flac") != std::string::npos);
    REQUIRE(result);
    CHECK(earshot_result_duration(result.get()) > 5.0);
    CHECK(!test::eventsOf(result).empty());
}

TEST_CASE("the library says what is odd about the audio", "[unit]") {
    const auto model = test::openModel();
    auto clip = test::changingClip(1.0, 32000, 1);
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    CHECK(std::string(earshot_result_remarks(test::analyzeSamples(model, clip.audio(), analysis).get()))
              .empty());
    clip.samples[5] = std::numeric_limits<float>::quiet_NaN();
    clip.samples[7] = std::numeric_limits<float>::infinity();
    const auto result = test::analyzeSamples(model, clip.audio(), analysis);
    CHECK_THAT(earshot_result_remarks(result.get()), ContainsSubstring("audio: 2 samples are not finite"));
    clip.samples.resize(100);
    CHECK_THAT(earshot_result_remarks(test::analyzeSamples(model, clip.audio(), analysis).get()),
               ContainsSubstring("nothing is reported"));
}
