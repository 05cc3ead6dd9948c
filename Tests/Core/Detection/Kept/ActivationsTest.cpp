#include "Core/Detection/Kept/Activations.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Safetensors.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace earshot;
using namespace earshot::detection;

namespace {

constexpr double columnSeconds = 0.32;

std::string someBoxes(std::size_t classes) {
    SebbNetwork network;
    network.scale.fill(1.0f);
    network.hiddenWeights.resize(1);
    network.hiddenWeights[0].front() = 0.5f;
    network.hiddenBiases = {0.25f};
    network.outputWeights = {2.0f};
    network.classBiases.resize(classes);
    return SebbScorer(network, 0.375f).metadata();
}

const ActivationInfo info = {.labels = {"Dog", "say \"hi\", M\xc3\xb6we", "Rain"},
                             .thresholds = {0.3f, std::nullopt, 0.1f},
                             .rules = {.release = 0.25f, .mergeGap = 0.32},
                             .sebbs = someBoxes(3),
                             .licence = "CC0",
                             .model = "small.safetensors",
                             .modelSha256 = std::string(64, 'a'),
                             .mode = "auto",
                             .hop = 2.56,
                             .minHz = 50.0,
                             .maxHz = 14000.0};

// (columns, classes) of sounds that come and go; in steps of 1 / `steps`.
std::vector<float> someColumns(std::int64_t columns, unsigned seed, int steps) {
    std::mt19937 random(seed);
    std::vector<float> level(info.labels.size()), values;
    for (std::int64_t i = 0; i < columns; ++i)
        for (float& now : level) {
            if (random() % 9 == 0)
                now = static_cast<float>(random() % static_cast<unsigned>(steps + 1)) /
                      static_cast<float>(steps);
            values.push_back(now);
        }
    return values;
}

double lengthOf(std::int64_t columns) {
    return columns == 0 ? 0.0 : (static_cast<double>(columns) - 0.3) * columnSeconds;
}

ActivationRecording recordingOf(std::int64_t columns) {
    return {.name = "night/one.flac",
            .seconds = lengthOf(columns),
            .sampleRate = 44100,
            .channels = 2,
            .complete = false};
}

RecordingResult judge(std::span<const float> values, const RecordingQuestion& question) {
    const std::size_t width = info.labels.size();
    const auto columns = static_cast<std::int64_t>(values.size() / width);
    EventCollector judge(static_cast<int>(width), columnSeconds, question);
    for (std::int64_t i = 0; i < columns; ++i)
        judge.add(values.subspan(static_cast<std::size_t>(i) * width, width));
    FileSummary summary;
    summary.seconds = lengthOf(columns);
    return judge.finish(summary, lengthOf(columns));
}

void keep(const std::filesystem::path& file, std::span<const float> values,
          ActivationKind kind = ActivationKind::safetensors, const std::string& name = "night/one.flac") {
    WholeFile whole(file);
    const auto writer = makeActivationWriter(kind, whole, info);
    RecordingQuestion question;
    question.observers = {writer.get()};
    judge(values, question);
    auto recording = recordingOf(static_cast<std::int64_t>(values.size() / info.labels.size()));
    recording.name = name;
    writer->finish(recording);
    whole.commit();
}

std::vector<float> readAll(const std::filesystem::path& file, std::size_t columnsAtOnce) {
    ActivationReader reader(file);
    std::vector<float> values, block(columnsAtOnce * info.labels.size());
    while (const auto count = static_cast<std::size_t>(reader.read(block)))
        values.insert(values.end(), block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(count * info.labels.size()));
    return values;
}

} // namespace

TEST_CASE("what is kept of a recording gives its events again", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "one.activations.safetensors";
    std::size_t events = 0, sebbs = 0;
    for (const std::int64_t columns : {0, 1, 2, 255, 3000}) {
        CAPTURE(columns);
        const auto values = someColumns(columns, 7, 256); // which float16 holds exactly
        keep(file, values);
        ActivationReader reader(file);
        CHECK(reader.columns() == columns);
        CHECK(reader.labels().names() == info.labels);
        for (int c = 0; c < 3; ++c)
            CHECK(reader.labels().threshold(c) == info.thresholds[static_cast<std::size_t>(c)]);
        CHECK(reader.labels().rules() == info.rules);
        CHECK(reader.labels().licence() == info.licence);
        REQUIRE(reader.labels().sebbs());
        CHECK(reader.labels().sebbs()->metadata() == info.sebbs);
        const ActivationFacts& facts = reader.facts();
        CHECK(facts.recording == recordingOf(columns));
        CHECK(facts.duration == lengthOf(columns));
        CHECK(facts.secondsPerColumn == columnSeconds);
        CHECK(facts.info.model == info.model);
        CHECK(facts.info.modelSha256 == info.modelSha256);
        CHECK(facts.info.mode == info.mode);
        CHECK(facts.info.hop == info.hop);
        CHECK(facts.info.minHz == info.minHz);
        CHECK(facts.info.maxHz == info.maxHz);

        RecordingQuestion question;
        question.settings = {{.on = 0.5f, .off = 0.25f, .median = 3, .mergeGap = 1.0},
                             {{1, {.on = 0.75f, .off = 0.5f}}}};
        const auto expected = judge(values, question);
        const auto found = judgeActivations(reader, question);
        REQUIRE(found);
        CHECK(found->found.events == expected.found.events);
        CHECK(found->found.nearMisses == expected.found.nearMisses);
        CHECK(found->nearest == expected.nearest);
        CHECK(found->summary.seconds == lengthOf(columns));

        question.settings.sebbs = reader.labels().sebbs();
        ActivationReader again(file);
        const auto byConfidence = judge(values, question);
        CHECK(judgeActivations(again, question)->found.events == byConfidence.found.events);
        sebbs += byConfidence.found.events.size();
        events += expected.found.events.size();
        for (const std::size_t atOnce : {1u, 100u, 5000u}) CHECK(readAll(file, atOnce) == values);
    }
    REQUIRE(events > 100);
    REQUIRE(sebbs > 30);
}

TEST_CASE("what float16 rounds away moves no event whose probabilities are clear of the thresholds",
          "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "one.activations.safetensors";
    std::size_t events = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        auto values = someColumns(500, seed, 1'000'000);
        RecordingQuestion question;
        question.settings = {{.on = 0.4f, .off = 0.2f, .median = 3, .minDuration = 0.5}, {}};
        // Largest error of a value up to 1: half of 2^-11.
        constexpr float rounding = 0x1p-12f;
        for (float& value : values)
            for (const float threshold : {0.4f, 0.2f})
                if (std::abs(value - threshold) <= rounding) value = threshold + 2.0f * rounding;
        keep(file, values);
        const auto kept = readAll(file, 64);
        REQUIRE(kept.size() == values.size());
        for (std::size_t i = 0; i < kept.size(); ++i)
            REQUIRE(std::abs(kept[i] - values[i]) <= std::max(values[i] * 0x1p-11f, 0x1p-25f));
        ActivationReader reader(file);
        const auto expected = judge(values, question).found.events;
        const auto found = judgeActivations(reader, question)->found.events;
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            REQUIRE(found[i].classIndex == expected[i].classIndex);
            REQUIRE(found[i].onset == expected[i].onset);
            REQUIRE(found[i].offset == expected[i].offset);
            REQUIRE(std::abs(found[i].peak - expected[i].peak) <= rounding);
            REQUIRE(std::abs(found[i].mean - expected[i].mean) <= rounding);
        }
        events += found.size();
    }
    REQUIRE(events > 200);
}

TEST_CASE("kept activations are a safetensors file, and the same for the same recording", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto values = someColumns(300, 1, 256);
    keep(directory / "a", values);
    keep(directory / "b", values);
    CHECK(test::readBytes(directory / "a") == test::readBytes(directory / "b"));
    const auto checkpoint = model::openSafetensors(RegularFile(directory / "a"));
    REQUIRE(checkpoint->tensors().size() == 1);
    const auto tensor = checkpoint->read("probabilities");
    CHECK(tensor.shape() == tensor::Shape{300, 3});
    CHECK(std::ranges::equal(tensor.values(), values));

    keep(directory / "a.npy", values, ActivationKind::npy);
    const std::string npy = test::readBytes(directory / "a.npy");
    REQUIRE(npy.size() > values.size() * sizeof(float));
    CHECK(std::memcmp(npy.data() + npy.size() - values.size() * sizeof(float), values.data(),
                      values.size() * sizeof(float)) == 0);
}

TEST_CASE("recordings of any name are kept", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto values = someColumns(3, 1, 256);
    const auto nameKept = [&](const std::string& name) {
        keep(directory / "file", values, ActivationKind::safetensors, name);
        return ActivationReader(directory / "file").facts().recording.name;
    };
    for (const std::string name : {"", "-", "two\nlines \"and\" \\ more.wav", "M\xc3\xb6we.wav"})
        CHECK(nameKept(name) == name);
    CHECK(nameKept("latin \xe4.wav") == "latin \xef\xbf\xbd.wav");
    const std::string longest = std::string(4090, 'x') + "/y.wav";
    CHECK(nameKept(longest) == longest);
    CHECK(nameKept(std::string(3000, '"') + "/y.wav") == "y.wav");
    CHECK(nameKept(std::string(9000, 'x')) == "recording");
}

TEST_CASE("columns are at least a millisecond long", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "fine.activations.safetensors";
    const auto readOf = [&](double secondsPerColumn) {
        WholeFile whole(file);
        const auto writer = makeActivationWriter(ActivationKind::safetensors, whole, info);
        writer->begin(static_cast<int>(info.labels.size()), secondsPerColumn);
        writer->column(0, std::vector<float>(info.labels.size(), 0.5f));
        writer->end(secondsPerColumn);
        writer->finish(recordingOf(1));
        whole.commit();
        return ActivationReader(file).facts().secondsPerColumn;
    };
    for (const double seconds : {0.001, 0.08, 0.32}) CHECK(readOf(seconds) == seconds);
    for (const double seconds : {0.0009, 1e-6})
        CHECK_THROWS_WITH(readOf(seconds), ContainsSubstring("earshot.seconds_per_column is ") &&
                                               ContainsSubstring("expected a number from 0.001 to 3600"));
}

TEST_CASE("activations that make no sense are refused by name", "[unit]") {
    const test::TemporaryDirectory directory;
    const auto file = directory / "broken.activations.safetensors";
    keep(file, someColumns(40, 3, 256));
    const std::string whole = test::readBytes(file);
    const auto refused = [&](const std::string& bytes) {
        test::writeBytes(file, bytes);
        try {
            ActivationReader reader(file);
            judgeActivations(reader, {});
        } catch (const Error& error) {
            CHECK_THAT(error.what(), ContainsSubstring("broken.activations"));
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
            return true;
        }
        return false;
    };
    REQUIRE_FALSE(refused(whole));
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 50) {
        CAPTURE(size);
        CHECK(refused(whole.substr(0, size)));
    }
    CHECK(refused(whole + "x"));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string bytes = whole;
        const auto at = bytes.find(from);
        REQUIRE(at != std::string::npos);
        REQUIRE(from.size() == to.size());
        return bytes.replace(at, from.size(), to);
    };
    const std::vector<std::pair<std::string, std::string>> lies = {
        {"earshot.activations\":\"1\"", "earshot.activations\":\"2\""},
        {"earshot.activations\"", "earshot.deactivated\""},
        {"earshot.labels", "earshot.lapels"},
        {"\"F16\"", "\"I16\""},
        {"[40,3]", "[3,40]"},
        {"[40,3]", "[60,2]"},
        {"probabilities", "probabilitius"},
        {"per_column\":\"0.32\"", "per_column\":\"0.01\""},
        {"per_column\":\"0.32\"", "per_column\":\"-0.3\""},
        {"per_column\":\"0.32\"", "per_column\":\"nan \""},
        {"per_column\":\"0.32\"", "per_column\":\"9e99\""},
        {"duration\":\"12", "duration\":\"11"},
        {"duration\":\"12", "duration\":\"13"},
        {"sample_rate\":\"44100", "sample_rate\":\"44.10"},
        {"channels\":\"2\"", "channels\":\"0\""},
        {"complete\":\"false", "complete\":\"maybe"},
        {"earshot.seconds\"", "earshot.seconde\""},
        {"class_biases", "class_diases"},
    };
    for (const auto& [from, to] : lies) {
        CAPTURE(from, to);
        CHECK(refused(with(from, to)));
    }
    for (const unsigned bits : {0x3c01, 0x8400, 0x7c00, 0x7e00, 0xfc00}) {
        const auto notProbability = static_cast<std::uint16_t>(bits);
        CAPTURE(notProbability);
        std::string bytes = whole;
        std::memcpy(bytes.data() + bytes.size() - 20, &notProbability, sizeof notProbability);
        CHECK(refused(bytes));
    }
    // Anything else may be read or refused, and does no harm.
    for (std::uint32_t seed = 0; seed < 2000; ++seed) refused(test::mutated(whole, seed));
    CHECK_THROWS_AS(ActivationReader(directory / "none"), Error);
    CHECK_THROWS_AS(ActivationReader(directory.path()), Error);
}
