// The sample rate, hop and bands of a checkpoint that states none.
#include "Core/Base/Error.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Model/ModelNotes.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Weights.h"
#include "Core/Streaming/Loaders.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/CombinedCheckpoint.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace earshot;
using model::Origin;
using test::CombinedCheckpoint;

namespace {

frontend::LogMelSettings matrixAt(int rate) { return {.sampleRate = rate, .filters = {}}; }

test::ProceduralModel tinyAt(int rate, const std::string& prefix = "") {
    return test::under(prefix, test::withMelMatrix(test::tinyModel(), matrixAt(rate)));
}

struct Expected {
    int rate, hop;
    Origin rateOrigin, hopOrigin;
};

void requireFrontend(CombinedCheckpoint& checkpoint, const Expected& expected) {
    const auto layout = model::openLayout(checkpoint);
    CHECK(layout.config.sampleRate == expected.rate);
    CHECK(layout.config.hopSize == expected.hop);
    CHECK(layout.origins.sampleRate == expected.rateOrigin);
    CHECK(layout.origins.hopSize == expected.hopOrigin);
}

void requireFrontend(const test::ProceduralModel& model, const Expected& expected) {
    CAPTURE(model.prefix, expected.rate);
    CombinedCheckpoint checkpoint({model});
    requireFrontend(checkpoint, expected);
}

} // namespace

TEST_CASE("the rate of a checkpoint follows from its mel matrix, and the hop from published settings",
          "[unit]") {
    for (const int rate : {16000, 32000, 48000})
        for (const std::string prefix : {"", "sed_model.", "module.audio_branch."})
            requireFrontend(tinyAt(rate, prefix), {rate, rate / 100, Origin::matrix, Origin::published});
    requireFrontend(tinyAt(44100), {44100, 441, Origin::matrix, Origin::assumed});
    requireFrontend(tinyAt(22050), {22050, 221, Origin::matrix, Origin::assumed});
    auto half = matrixAt(16000);
    half.highHz = 8000.0;
    half.scale = frontend::MelScale::htk;
    const auto other = test::withMelMatrix(test::tinyModel(), half);
    requireFrontend(other, {16000, 160, Origin::matrix, Origin::assumed});
    CombinedCheckpoint checkpoint({other});
    const auto config = model::openLayout(checkpoint).config;
    CHECK(config.lowHz == 50.0);
    CHECK(config.highHz == 8000.0);
    CHECK(config.htkMelScale);
}

TEST_CASE("Microsoft CLAP hears 44.1 kHz through the matrix of 32 kHz", "[unit]") {
    const std::string prefix = "audio_encoder.base.htsat.";
    requireFrontend(tinyAt(32000, prefix), {44100, 320, Origin::published, Origin::published});
    requireFrontend(tinyAt(48000, prefix), {48000, 480, Origin::matrix, Origin::published});
    CombinedCheckpoint without({test::under(prefix, test::tinyModel())});
    CHECK_THROWS_WITH(model::openLayout(without),
                      ContainsSubstring("logmel_extractor.melW: expected the mel matrix of Microsoft CLAP"));
}

TEST_CASE("without a mel matrix the rate is assumed, as published", "[unit]") {
    auto model = test::tinyModel();
    requireFrontend(model, {32000, 320, Origin::assumed, Origin::assumed});
    model.config.classes = 35; // Speech Commands V2
    requireFrontend(model, {16000, 160, Origin::assumed, Origin::assumed});
    requireFrontend(test::under("audio_branch.", test::tinyModel()),
                    {48000, 480, Origin::published, Origin::published});
    // A matrix that shows no rate
    auto odd = test::tinyModel();
    odd.melFilters.assign(std::size_t{513} * 64, 0.01f);
    requireFrontend(odd, {32000, 320, Origin::assumed, Origin::assumed});
}

TEST_CASE("the file's word comes before its matrix, and the user's before both", "[unit]") {
    CombinedCheckpoint said({tinyAt(16000)});
    said.state(R"({"sample_rate": 22050, "hop_size": 200})");
    requireFrontend(said, {22050, 200, Origin::file, Origin::file});
    CombinedCheckpoint asked({tinyAt(16000)}, {.sampleRate = 44100, .hopSize = 320, .weights = {}});
    asked.state(R"({"sample_rate": 22050, "hop_size": 200})");
    requireFrontend(asked, {44100, 320, Origin::user, Origin::user});
    CombinedCheckpoint rateAlone({test::tinyModel()}, {.sampleRate = 16000, .hopSize = {}, .weights = {}});
    requireFrontend(rateAlone, {16000, 160, Origin::user, Origin::assumed});
    CombinedCheckpoint wrong({tinyAt(16000)}, {.sampleRate = {}, .hopSize = 5000, .weights = {}});
    CHECK_THROWS_WITH(model::openLayout(wrong), ContainsSubstring("m.safetensors") &&
                                                    ContainsSubstring("hop size") &&
                                                    ContainsSubstring("5000"));
}

TEST_CASE("bands beyond half the rate are empty, and axes still show where bands lie", "[unit]") {
    CombinedCheckpoint checkpoint({tinyAt(16000)});
    const model::Weights weights(checkpoint);
    CHECK(detection::heardRange(weights).highest == 8000.0);
    CHECK(detection::logMelSettings(weights).highHz == 14000.0);
    CHECK(weights.layout().mel ==
          model::MelSettings{.sampleRate = 16000, .lowHz = 50.0, .highHz = 14000.0, .scale = {}});
}

TEST_CASE("notes say what was assumed, and nothing of what is known", "[unit]") {
    const auto notes = [](CombinedCheckpoint& checkpoint) {
        return model::notesOn(model::openLayout(checkpoint), checkpoint.choice());
    };
    CombinedCheckpoint known({tinyAt(16000)});
    CHECK(notes(known).empty());
    CombinedCheckpoint hop({tinyAt(44100)});
    REQUIRE(notes(hop).size() == 1);
    CHECK_THAT(notes(hop).front().what, ContainsSubstring("441 samples (10 ms) are assumed"));
    CombinedCheckpoint none({test::tinyModel()});
    REQUIRE(notes(none).size() == 1);
    CHECK_THAT(
        notes(none).front().what,
        ContainsSubstring("32000 Hz and a hop of 320 samples are assumed (as of published HTS-AT models)"));
    CombinedCheckpoint stated({test::tinyModel()}, {.sampleRate = 16000, .hopSize = 160, .weights = {}});
    CHECK(notes(stated).empty());
}

TEST_CASE("a mel matrix of an impossible shape is no reason to read it", "[unit]") {
    class Large : public CombinedCheckpoint {
      public:
        Large()
            : CombinedCheckpoint({test::tinyModel()}) {
            tensors_["logmel_extractor.melW"] = {model::DType::float32, {32769, 64}};
        }
        tensor::Tensor read(const std::string& name) override {
            CHECK(name != "logmel_extractor.melW");
            return CombinedCheckpoint::read(name);
        }
    };
    Large large;
    CHECK(model::openLayout(large).origins.sampleRate == Origin::assumed);
}

TEST_CASE("plugin and app load at the derived rate, and say what was assumed", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto loaded = [&](const test::ProceduralModel& model) {
        test::writeProceduralModel(folder / "m.safetensors",
                                   std::make_unique<CombinedCheckpoint>(std::vector{model}));
        return streaming::loaderFor(folder / "m.safetensors")();
    };
    const auto known = loaded(tinyAt(16000));
    CHECK(known.frontend.sampleRate == 16000);
    CHECK(known.frontend.hopSize == 160);
    CHECK(known.notice.empty());
    const auto unknown = loaded(test::tinyModel());
    CHECK(unknown.frontend.sampleRate == 32000);
    CHECK_THAT(unknown.notice, ContainsSubstring("m.safetensors: states no sample rate"));
}

TEST_CASE("a model in memory is that of the same choices", "[unit][no-emulator]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "m.safetensors";
    test::writeProceduralModel(file, std::make_unique<CombinedCheckpoint>(
                                         std::vector{test::under("model.", test::tinyModel(), 11),
                                                     test::under("model_ema.", test::tinyModel(), 12)}));
    const auto usual = model::loadWeights(file);
    const auto slow = model::loadWeights({file, {.sampleRate = 16000, .hopSize = {}, .weights = {}}});
    const auto raw =
        model::loadWeights({file, {.sampleRate = {}, .hopSize = {}, .weights = model::WeightsKind::raw}});
    CHECK(usual->config().sampleRate == 32000);
    CHECK(slow->config().sampleRate == 16000);
    CHECK(usual->layout().prefix == "model_ema.");
    CHECK(raw->layout().prefix == "model.");
    CHECK(model::loadWeights(file) == usual);
}
