// The Vamp plugin, called as hosts call it, against libearshot given the same samples at once.
#include "VampPlugin.h"

#include "Library/Client.h"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <tuple>

using namespace earshot;
using namespace earshot::test;
using vamp::VampPlugin;
using Features = Vamp::Plugin::FeatureSet;

namespace {

void append(Features& all, const Features& more) {
    for (const auto& [output, features] : more)
        all[output].insert(all[output].end(), features.begin(), features.end());
}

struct Blocks {
    std::size_t block = 4096, step = 4096;
    Vamp::RealTime begin; // of the first sample
};

// What a host gets that fills the last block with zeros.
Features play(VampPlugin& plugin, const Clip& clip, const Blocks& blocks = {}) {
    auto planes = clip.planes();
    REQUIRE(plugin.initialise(planes.size(), blocks.step, blocks.block));
    for (auto& plane : planes) plane.resize(clip.frames() + blocks.block, 0.0f);
    Features all;
    for (std::size_t first = 0; first < clip.frames(); first += blocks.step) {
        auto at = pointers(planes);
        for (auto& plane : at) plane += first;
        const auto time =
            Vamp::RealTime::frame2RealTime(static_cast<long>(first), static_cast<unsigned>(clip.rate));
        append(all, plugin.process(at.data(), blocks.begin + time));
    }
    append(all, plugin.getRemainingFeatures());
    return all;
}

using Row = std::tuple<double, double, std::string, float>; // onset, offset, label, class

std::vector<Row> rowsOf(const Features& features) {
    std::vector<Row> rows;
    if (const auto events = features.find(0); events != features.end())
        for (const auto& event : events->second) {
            REQUIRE((event.hasTimestamp && event.hasDuration && event.values.size() == 1));
            const double onset = event.timestamp / Vamp::RealTime(1, 0),
                         length = event.duration / Vamp::RealTime(1, 0);
            rows.emplace_back(std::round(1e6 * onset) / 1e6, std::round(1e6 * (onset + length)) / 1e6,
                              event.label, event.values.front());
        }
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<Row> rowsOf(const Result& result, const Model& model, double later = 0.0) {
    std::vector<Row> rows;
    for (const auto& event : eventsOf(result))
        rows.emplace_back(
            std::round(1e6 * (event.onset + later)) / 1e6, std::round(1e6 * (event.offset + later)) / 1e6,
            earshot_model_label(model.get(), event.class_index), static_cast<float>(event.class_index));
    std::sort(rows.begin(), rows.end());
    return rows;
}

earshot_analysis keeping() {
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.keep_activations = 1;
    return analysis;
}

} // namespace

TEST_CASE("blocks of any size give the library's events and columns", "[vamp]") {
    const auto model = openModel();
    const auto clip = demoClip();
    const auto expected = analyzeSamples(model, clip.audio(), keeping());
    const auto block =
        GENERATE(Blocks{4096, 4096, {}}, Blocks{1000, 1000, {}}, Blocks{1u << 21, 1u << 21, {}},
                 Blocks{4096, 4096, Vamp::RealTime(70, 500000000)});
    CAPTURE(block.block, block.begin.sec);
    VampPlugin plugin(static_cast<float>(clip.rate));
    const auto features = play(plugin, clip, block);
    const double later = block.begin / Vamp::RealTime(1, 0);
    CHECK(rowsOf(features).size() > 4);
    CHECK(rowsOf(features) == rowsOf(expected, model, later));

    const auto& columns = features.at(1);
    const auto& strongest = features.at(2);
    const auto activations = activationsOf(expected, model);
    const auto classes = earshot_model_class_count(model.get());
    REQUIRE(columns.size() * classes == activations.size());
    REQUIRE(strongest.size() == columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::vector<float> column(activations.begin() + static_cast<long>(i * classes),
                                        activations.begin() + static_cast<long>((i + 1) * classes));
        REQUIRE(columns[i].values == column);
        REQUIRE(std::abs(columns[i].timestamp / Vamp::RealTime(1, 0) - later -
                         0.08 * static_cast<double>(i)) < 1e-6);
        const auto most = std::max_element(column.begin(), column.end());
        REQUIRE(strongest[i].values == std::vector<float>{*most});
        REQUIRE(strongest[i].label ==
                earshot_model_label(model.get(), static_cast<int>(most - column.begin())));
    }
}

TEST_CASE("blocks that overlap are not heard twice", "[vamp]") {
    const auto model = openModel();
    auto clip = demoClip();
    clip.samples.resize(static_cast<std::size_t>(clip.channels) * 4096 *
                        400); // whole blocks, the last within sound
    const auto expected = analyzeSamples(model, clip.audio(), keeping());
    VampPlugin plugin(static_cast<float>(clip.rate));
    auto planes = clip.planes();
    REQUIRE(plugin.initialise(planes.size(), 1024, 4096));
    Features all;
    for (std::size_t first = 0; first + 4096 <= clip.frames(); first += 1024) {
        auto at = pointers(planes);
        for (auto& plane : at) plane += first;
        append(all,
               plugin.process(at.data(), Vamp::RealTime::frame2RealTime(static_cast<long>(first), 48000)));
    }
    append(all, plugin.getRemainingFeatures());
    CHECK(rowsOf(all) == rowsOf(expected, model));
    CHECK(all[1].size() == earshot_result_column_count(expected.get()));
}

TEST_CASE("any rate and number of channels gives the library's events", "[vamp]") {
    const auto model = openModel();
    const auto [rate, channels] = GENERATE(std::pair(8000, 1), std::pair(44100, 2), std::pair(192000, 1),
                                           std::pair(11025, 7), std::pair(32000, 64), std::pair(1000, 3));
    CAPTURE(rate, channels);
    const auto clip = changingClip(4.0, rate, channels);
    VampPlugin plugin(static_cast<float>(rate));
    CHECK(rowsOf(play(plugin, clip, {777, 777, {}})) ==
          rowsOf(analyzeSamples(model, clip.audio(), keeping()), model));
}

TEST_CASE("parameters are the rules", "[vamp]") {
    const auto model = openModel();
    const auto clip = demoClip();
    VampPlugin plugin(static_cast<float>(clip.rate));
    std::vector<std::string> names;
    for (const auto& parameter : plugin.getParameterDescriptors()) {
        names.push_back(parameter.identifier);
        CHECK(plugin.getParameter(parameter.identifier) == parameter.defaultValue);
    }
    CHECK(names == std::vector<std::string>{"threshold", "shortest", "class"});
    const auto flute = earshot_model_find_class(model.get(), "Flute");
    CHECK(plugin.getParameterDescriptors().back().valueNames.at(static_cast<std::size_t>(flute) + 1) ==
          "Flute");

    plugin.setParameter("threshold", 0.1f);
    plugin.setParameter("shortest", 1.5f);
    earshot_rules rules = EARSHOT_RULES_INIT;
    rules.threshold = 0.1f;
    rules.min_duration = 1.5;
    auto analysis = keeping();
    analysis.rules = &rules;
    const auto all = rowsOf(play(plugin, clip));
    CHECK(all == rowsOf(analyzeSamples(model, clip.audio(), analysis), model));

    plugin.setParameter("class", static_cast<float>(flute) + 1.0f);
    const auto flutes = rowsOf(play(plugin, clip));
    CHECK(!flutes.empty());
    CHECK(flutes.size() < all.size());
    CHECK(std::all_of(flutes.begin(), flutes.end(),
                      [](const Row& row) { return std::get<2>(row) == "Flute"; }));
}

TEST_CASE("values out of range are limited, and wrong choices refused", "[vamp]") {
    VampPlugin plugin(48000.0f);
    plugin.setParameter("threshold", 7.0f);
    plugin.setParameter("shortest", -1.0f);
    plugin.setParameter("class", NAN);
    plugin.setParameter("nothing", 1.0f);
    CHECK(plugin.getParameter("threshold") == 1.0f);
    CHECK(plugin.getParameter("shortest") == 0.0f);
    CHECK(plugin.getParameter("class") == 0.0f);
    CHECK(plugin.getParameter("nothing") == 0.0f);

    CHECK_FALSE(plugin.initialise(0, 1024, 1024));
    CHECK_FALSE(plugin.initialise(1025, 1024, 1024));
    CHECK_FALSE(plugin.initialise(1, 0, 1024));
    CHECK_FALSE(plugin.initialise(1, 2048, 1024));
    CHECK(plugin.initialise(1, 1024, 1024));
    plugin.setParameter("class", 5000.0f);
    CHECK_FALSE(plugin.initialise(1, 1024, 1024));
    for (const float rate : {0.0f, 100.0f, 1e9f, -5.0f, NAN})
        CHECK_FALSE(VampPlugin(rate).initialise(1, 1024, 1024));
}

TEST_CASE("out of turn, a plugin answers with nothing", "[vamp]") {
    VampPlugin plugin(48000.0f);
    const std::vector<float> silence(1024);
    const float* plane = silence.data();
    plugin.reset();
    CHECK(plugin.process(&plane, Vamp::RealTime::zeroTime).empty());
    CHECK(plugin.getRemainingFeatures().empty());
    REQUIRE(plugin.initialise(1, 1024, 1024));
    CHECK(plugin.getRemainingFeatures()[0].empty()); // no audio at all
    CHECK(plugin.process(&plane, Vamp::RealTime::zeroTime).empty());
    CHECK(plugin.getRemainingFeatures().empty());
}

TEST_CASE("after reset a plugin begins again, and instances do not disturb each other", "[vamp]") {
    const auto clip = demoClip();
    VampPlugin first(static_cast<float>(clip.rate));
    const auto alone = rowsOf(play(first, clip));
    CHECK(rowsOf(play(first, clip)) == alone);
    std::vector<std::vector<Row>> found(3);
    std::vector<std::thread> threads;
    for (auto& rows : found)
        threads.emplace_back([&rows, &clip] {
            VampPlugin plugin(static_cast<float>(clip.rate));
            rows = rowsOf(play(plugin, clip));
        });
    for (auto& thread : threads) thread.join();
    for (const auto& rows : found) CHECK(rows == alone);
}

TEST_CASE("programs are the model files of a folder", "[vamp]") {
    const TemporaryDirectory folder;
    std::filesystem::copy_file(defaultModelFile(), folder / "owls.safetensors");
    writeBytes(folder / "broken.safetensors", "no model");
    writeBytes(folder / "notes.txt", "no model either");
    setenv("EARSHOT_MODELS", folder.path().c_str(), 1);
    VampPlugin plugin(48000.0f);
    CHECK(plugin.getPrograms() ==
          std::vector<std::string>{"default", "broken.safetensors", "owls.safetensors"});
    CHECK(plugin.getCurrentProgram() == "default");
    plugin.selectProgram("owls.safetensors");
    CHECK(plugin.getCurrentProgram() == "owls.safetensors");
    CHECK(plugin.getOutputDescriptors().at(1).binNames.size() == 82);
    CHECK(plugin.initialise(1, 1024, 1024));
    for (const char* wrong : {"broken.safetensors", "absent.safetensors", ""}) {
        plugin.selectProgram(wrong);
        CHECK(plugin.getOutputDescriptors().size() == 3);
        CHECK(plugin.getParameterDescriptors().size() == 3);
        CHECK_FALSE(plugin.initialise(1, 1024, 1024));
    }
    unsetenv("EARSHOT_MODELS");
}
