#include "Core/Model/Reading/ConfigReader.h"

#include "Core/Base/Error.h"
#include "Core/Model/BlockForm.h"
#include "Core/Model/Reading/PretrainedSides.h"
#include "Support/Catch.h"
#include "Support/Golden.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

using namespace earshot;

namespace {

// Names, shapes and metadata without values.
class Shapes : public model::Checkpoint {
  public:
    explicit Shapes(const test::ProceduralModel& model) {
        file_ = "m.safetensors";
        tensors_ = test::proceduralCheckpoint(model)->tensors();
    }
    explicit Shapes() { file_ = "m.safetensors"; }

    Shapes& set(const std::string& name, tensor::Shape shape) {
        tensors_[name] = {model::DType::float32, std::move(shape)};
        return *this;
    }
    Shapes& remove(const std::string& name) {
        tensors_.erase(name);
        return *this;
    }
    Shapes& say(const std::string& json) {
        metadata_["earshot.config"] = json;
        return *this;
    }
    tensor::Tensor read(const std::string&) override { throw Error("has no values"); }
};

void requireRefused(const Shapes& shapes, const std::string& message) {
    INFO(message);
    REQUIRE_THROWS_AS(model::readLayout(shapes), Error);
    REQUIRE_THROWS_WITH(model::readLayout(shapes),
                        ContainsSubstring(message) && ContainsSubstring("m.safetensors"));
}

// A network with the distances that the public implementation keeps in its files.
class WithDistances : public model::Checkpoint {
  public:
    WithDistances(const test::ProceduralModel& model, const std::string& preset) {
        const auto checkpoint = test::proceduralCheckpoint(model);
        test::Golden golden("swin_outputs.safetensors");
        tensors_ = checkpoint->tensors();
        metadata_ = checkpoint->metadata();
        for (int stage = 0; stage < model.config.stageCount(); ++stage) {
            const auto found = golden.values(preset + ".stage" + std::to_string(stage) + ".coords");
            const std::int64_t extent = 2 * model.config.stageAttentionSide(stage) - 1;
            const auto name = model::BlockForm(stage, 0).distances;
            tensors_[name] = {model::DType::float32, {1, extent, extent, 2}};
            begins_[name] = values.size();
            values.insert(values.end(), found.begin(), found.end());
        }
    }
    tensor::Tensor read(const std::string& name) override {
        tensor::Tensor out(tensors_.at(name).shape);
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begins_.at(name)), out.size(), out.data());
        return out;
    }

    std::vector<float> values; // of one stage after another

  private:
    std::map<std::string, std::size_t> begins_;
};

Shapes tiny() { return Shapes(test::tinyModel()); }

} // namespace

TEST_CASE("a model's architecture follows from its tensors alone", "[unit]") {
    for (const auto& built : {test::tinyModel(), test::fullModel()}) {
        const auto layout = model::readLayout(Shapes(built));
        REQUIRE(layout.prefix.empty());
        REQUIRE(layout.kind == "HTS-AT");
        REQUIRE(layout.config == built.config);
    }
    auto small = test::tinyModel();
    small.config.embedDim = 12;
    small.config.depths = {1, 3, 2};
    small.config.heads = {2, 3, 6};
    small.config.attentionSide = 4;
    small.config.mlpRatio = 2;
    small.config.qkvBias = false;
    small.config.patchNorm = false;
    small.config.head = model::HeadKind::pooled;
    small.config.classes = 5;
    REQUIRE(model::readLayout(Shapes(small)).config == small.config);
    small.config = test::withHead(small.config, model::HeadKind::fine);
    REQUIRE(model::readLayout(Shapes(small)).config == small.config);
    small.config.headLayers = 0;
    REQUIRE(model::readLayout(Shapes(small)).config == small.config);
}

TEST_CASE("V2 blocks are known by the scales of their scores", "[unit]") {
    const auto model = test::withV2Blocks(test::tinyModel());
    const Shapes shapes(model);
    REQUIRE(model::readLayout(shapes).config == model.config);
    auto small = test::withV2Blocks(test::smallModel());
    small.config.qkvBias = false;
    small.config.pretrainedSides = {8, 4};
    REQUIRE(model::readLayout(*test::proceduralCheckpoint(small)).config == small.config);
    REQUIRE(model::readLayout(Shapes(model).say(R"({"block": "v2"})")).config.block == model::BlockKind::v2);
    requireRefused(Shapes(model).say(R"({"block": "v1"})"), "block is v1, its tensors say v2");
    requireRefused(tiny().say(R"({"block": "v2"})"), "block is v2, its tensors say v1");
    requireRefused(tiny().say(R"({"block": "v3"})"), R"(block: expected "v1" or "v2", found "v3")");
    requireRefused(Shapes(model).set("layers.0.blocks.0.attn.logit_scale", {1, 2}), "3 plausible dimensions");
    requireRefused(Shapes(model).remove("layers.1.blocks.0.attn.logit_scale"), "(heads, 1, 1), found none");
    const std::string distances = "layers.0.blocks.0.attn.relative_coords_table";
    REQUIRE(model::readLayout(Shapes(model).set(distances, {1, 7, 7, 2})).config.attentionSide == 4);
    requireRefused(Shapes(model).set(distances, {1, 7, 9, 2}), "(1, 2 side - 1, 2 side - 1, 2)");
}

TEST_CASE("V2 blocks need attention windows of several tokens", "[unit]") {
    const Shapes shapes(test::withV2Blocks(test::tinyModel()));
    const auto say = [&](const std::string& json) { return Shapes(shapes).say(json); };
    requireRefused(say(R"({"window_size": 1})"),
                   "side of an attention window of V2 blocks: expected 2 to 32");
    requireRefused(say(R"({"pretrained_window_sizes": [8, 8, 8, 1]})"),
                   "side of a pretrained attention window: expected 2 to 64, found 1");
    requireRefused(say(R"({"pretrained_window_sizes": [8, 8]})"), "expected 4 to 4, found 2");
    requireRefused(tiny().say(R"({"pretrained_window_sizes": [8, 8, 8, 8]})"), "V1 blocks");
    REQUIRE_NOTHROW(
        model::readLayout(tiny().set("layers.3.blocks.0.attn.relative_position_bias_table", {1, 8})));
}

TEST_CASE("the windows for which V2's biases were trained show in their distances", "[golden]") {
    auto model = test::withV2Blocks(test::smallModel());
    model.config.depths = {1, 1, 1};
    model.config.heads = {2, 4, 4};
    model.config.attentionSide = 8;
    WithDistances checkpoint(model, "swinv2_test_wide");
    auto layout = model::readLayout(checkpoint);
    model::completePretrainedSides(checkpoint, layout);
    REQUIRE(layout.config.pretrainedSides == std::vector{6, 6, 3});
    REQUIRE_NOTHROW(model::completePretrainedSides(checkpoint, layout)); // stated and found alike
    layout.config.pretrainedSides = {8, 8, 4};
    REQUIRE_THROWS_WITH(model::completePretrainedSides(checkpoint, layout),
                        ContainsSubstring("pretrained_window_sizes is [8, 8, 4], its tensors say [6, 6, 3]"));
    model.config.attentionSide = 4;
    WithDistances own(model, "swinv2_test");
    layout = model::readLayout(own);
    model::completePretrainedSides(own, layout);
    REQUIRE(layout.config == model.config);
    for (auto& value : own.values) value = std::numeric_limits<float>::quiet_NaN();
    REQUIRE_THROWS_WITH(model::completePretrainedSides(own, layout),
                        ContainsSubstring("no attention window"));
}

TEST_CASE("the published layouts are known by their prefixes", "[unit]") {
    const auto at = [](const std::string& prefix) {
        auto moved = test::tinyModel();
        moved.prefix = prefix;
        return model::readLayout(Shapes(moved).set(prefix + "logmel_extractor.melW", {513, 64}));
    };
    REQUIRE(at("sed_model.").kind == "HTS-AT");
    REQUIRE(at("sed_model.").prefix == "sed_model.");
    const auto microsoft = at("audio_encoder.base.htsat.");
    REQUIRE(microsoft.kind == "Microsoft CLAP");
    REQUIRE(microsoft.config.sampleRate == 44100);
    REQUIRE(microsoft.config.hopSize == 320);
    for (const std::string prefix : {"module.audio_branch.", "audio_branch."}) {
        const auto laion = at(prefix);
        REQUIRE(laion.kind == "LAION-CLAP");
        REQUIRE(laion.prefix == prefix);
        REQUIRE(laion.config.sampleRate == 48000);
        REQUIRE(laion.config.hopSize == 480);
    }
    REQUIRE(at("module.sed_model.").prefix == "module.sed_model.");
    REQUIRE(at("wrapped.audio_branch.").kind == "LAION-CLAP");
    REQUIRE(at("anything.").kind == "HTS-AT");
}

TEST_CASE("of several networks the published name is taken", "[unit]") {
    auto shapes = tiny();
    const auto network = shapes.tensors();
    for (const auto& [name, info] : network) {
        shapes.set("a.teacher." + name, info.shape);
        shapes.set("sed_model." + name, info.shape);
    }
    shapes.set("not_patch_embed.proj.weight", {1});
    REQUIRE(model::readLayout(shapes).prefix == "sed_model.");
    requireRefused(Shapes().set("visual.conv.weight", {3, 3}), "holds no HTS-AT network");
    requireRefused(Shapes().set("not_patch_embed.proj.weight", {8, 1, 4, 4}), "holds no HTS-AT network");
}

TEST_CASE("the frontend and image size follow from buffers where they are kept", "[unit]") {
    const auto frontend =
        model::readLayout(tiny()
                              .set("spectrogram_extractor.stft.conv_real.weight", {257, 1, 512})
                              .set("logmel_extractor.melW", {257, 64}));
    REQUIRE(frontend.config.fftSize == 512);
    REQUIRE(model::readLayout(tiny().set("logmel_extractor.melW", {1025, 64})).config.fftSize == 2048);

    const auto masked = model::readLayout(tiny().set("layers.0.blocks.1.attn_mask", {256, 64, 64}));
    REQUIRE(masked.config.imageSize == 16 * 8 * 4);
    auto narrow = test::tinyModel();
    narrow.config.attentionSide = 4;
    REQUIRE(model::readLayout(Shapes(narrow).set("layers.0.blocks.1.attn_mask", {256, 16, 16}))
                .config.imageSize == 256);
    const auto positioned = model::readLayout(tiny().set("absolute_pos_embed", {1, 64 * 64, 24}));
    REQUIRE(positioned.config.imageSize == 256);
    REQUIRE(positioned.config.absolutePositionEmbedding);
}

TEST_CASE("metadata says what tensors cannot", "[unit]") {
    const auto stated =
        model::readLayout(tiny().say(R"({"sample_rate": 22050, "hop_size": 256, "fmin": 20.5, "fmax": 11000,
        "mel_scale": "htk", "spec_size": 512, "patch_stride": [4, 4], "embed_dim": 24, "depths": [2, 2, 2, 2],
        "num_heads": [1, 2, 4, 8], "window_size": 8, "tscam": true, "classes": 16, "n_fft": 1024.0, "mel_bins": null,
        "author": "someone"})"))
            .config;
    REQUIRE(stated.sampleRate == 22050);
    REQUIRE(stated.hopSize == 256);
    REQUIRE(stated.lowHz == 20.5);
    REQUIRE(stated.highHz == 11000.0);
    // Unless stated, the mel range ends where the spectrum does.
    REQUIRE(model::readLayout(tiny().say(R"({"sample_rate": 16000})")).config.highHz == 8000.0);
    REQUIRE(stated.htkMelScale);
    REQUIRE(stated.imageSize == 512);
    REQUIRE(stated.melBands == 64);

    auto moved = test::tinyModel();
    moved.prefix = "audio_branch.";
    REQUIRE(model::readLayout(Shapes(moved).say(R"({"sample_rate": 32000})")).config.sampleRate == 32000);
    auto overlapping = model::readLayout(tiny().say(R"({"patch_stride": 2})")).config;
    REQUIRE(overlapping.patchStride == 2);
    REQUIRE(overlapping.stageGrid(0) == 128);
}

TEST_CASE("metadata that contradicts the tensors is refused with both", "[unit]") {
    struct Case {
        std::string json;
        std::string message;
    };
    const auto check = GENERATE(
        Case{R"({"embed_dim": 96})", "embed_dim is 96, its tensors say 24"},
        Case{R"({"depths": [2, 2, 6, 2]})", "depths is [2, 2, 6, 2], its tensors say [2, 2, 2, 2]"},
        Case{R"({"num_heads": [1, 2, 4]})", "num_heads is [1, 2, 4]"},
        Case{R"({"window_size": 7})", "window_size is 7"},
        Case{R"({"tscam": false})", "head is pooled, its tensors say tscam"},
        Case{R"({"head": "fine"})", "head is fine, its tensors say tscam"},
        Case{R"({"classes": 527})", "classes is 527"}, Case{R"({"patch_size": 16})", "patch_size is 16"},
        Case{R"({"mel_bins": 128})", "mel_bins is 128"});
    requireRefused(tiny().say(check.json), check.message);
    requireRefused(tiny().set("layers.0.blocks.1.attn_mask", {64, 64, 64}).say(R"({"spec_size": 512})"),
                   "spec_size is 512, its tensors say 256");
    requireRefused(tiny().set("logmel_extractor.melW", {513, 64}).say(R"({"n_fft": 2048})"), "n_fft is 2048");
}

TEST_CASE("metadata of the wrong type is refused", "[unit]") {
    requireRefused(tiny().say("{"), "not a JSON object");
    requireRefused(tiny().say("[1]"), "not a JSON object");
    requireRefused(tiny().say("\xff"), "not a JSON object");
    requireRefused(tiny().say(R"({"sample_rate": "32000"})"),
                   "sample_rate: expected an integer, found \"32000\"");
    requireRefused(tiny().say(R"({"sample_rate": 1.5})"), "expected an integer");
    requireRefused(tiny().say(R"({"sample_rate": 1e30})"), "expected an integer");
    requireRefused(tiny().say(R"({"fmin": []})"), "fmin: expected a number");
    requireRefused(tiny().say(R"({"tscam": 1})"), "tscam: expected true or false");
    requireRefused(tiny().say(R"({"head": "large"})"), "head: expected \"pooled\", \"tscam\" or \"fine\"");
    requireRefused(tiny().say(R"({"head_width": 12})"),
                   "width of a head that is not fine: expected 0 to 0, found 12");
    requireRefused(tiny().say(R"({"depths": 2})"), "depths: expected an array");
    requireRefused(tiny().say(R"({"depths": [2, "2"]})"), "depths: expected an integer");
    requireRefused(tiny().say(R"({"patch_stride": [4, 2]})"), "two equal ones");
    requireRefused(tiny().say(R"({"mel_scale": "bark"})"), "slaney");
    requireRefused(
        tiny().say("{\"mel_scale\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
        "slaney");
}

TEST_CASE("values that cannot be built are refused by name", "[unit]") {
    struct Case {
        std::string json;
        std::string message;
    };
    const auto check = GENERATE(
        Case{R"({"sample_rate": 0})", "sample rate"}, Case{R"({"sample_rate": -32000})", "sample rate"},
        Case{R"({"hop_size": 0})", "hop size"}, Case{R"({"hop_size": 5000})", "hop size"},
        Case{R"({"n_fft": 1000000000})", "FFT size"}, Case{R"({"n_fft": 1023})", "FFT size"},
        Case{R"({"fmin": 15000})", "mel range"}, Case{R"({"fmax": 16001})", "mel range"},
        Case{R"({"spec_size": 0})", "image size"}, Case{R"({"spec_size": 100})", "image size"},
        Case{R"({"spec_size": 2147483647})", "image size"}, Case{R"({"patch_stride": 0})", "patch stride"},
        Case{R"({"patch_stride": -4})", "patch stride"}, Case{R"({"patch_stride": 5})", "patch stride"},
        Case{R"({"patch_stride": 3})", "patch stride"}, Case{R"({"spec_size": 192})", "attention window"});
    requireRefused(tiny().say(check.json), check.message);
}

TEST_CASE("tensors of impossible shapes are refused by name", "[unit]") {
    requireRefused(tiny().set("patch_embed.proj.weight", {24, 3, 4, 4}), "(24, 3, 4, 4)");
    requireRefused(tiny().set("patch_embed.proj.weight", {24, 1, 4}), "patch_embed.proj.weight: expected 4");
    requireRefused(tiny().set("patch_embed.proj.weight", {std::int64_t{1} << 40, 1, 4, 4}), "plausible");
    const std::string table = "layers.0.blocks.0.attn.relative_position_bias_table";
    requireRefused(tiny().set(table, {224, 1}), table);
    requireRefused(tiny().set(table, {256, 1}), table); // an even side
    requireRefused(tiny().set(table, {225, 5}), "multiple of the heads");
    requireRefused(tiny().set("layers.0.blocks.0.mlp.fc1.weight", {100, 24}), "mlp.fc1.weight");
    requireRefused(tiny().set("layers.0.blocks.1.attn_mask", {63, 64, 64}), "attn_mask");
    requireRefused(tiny().set("absolute_pos_embed", {1, 4000, 24}), "absolute_pos_embed");
    requireRefused(tiny().set("layers.9.blocks.0.norm1.weight", {24}),
                   "layers.4.blocks.0.attn.relative_position_bias_table: expected ((2 side - 1)^2, heads), "
                   "found none");
    requireRefused(tiny().set("layers.0.blocks.999.norm1.weight", {24}), "depth of a stage");
    requireRefused(tiny().set("tscam_conv.weight", {0, 192, 2, 3}), "tscam_conv.weight");
    // Indices that are no block of a network say nothing.
    REQUIRE_NOTHROW(model::readLayout(tiny()
                                          .set("layers.99999999999.blocks.0.x", {1})
                                          .set("layers.-1.blocks.0.x", {1})
                                          .set("layers.0.blocks.", {1})
                                          .set("layers.", {1})));
}

TEST_CASE("the default model is read as it was trained", "[unit]") {
    const auto file = test::defaultModelFile();
    const auto layout = model::readLayout(*model::Checkpoint::open(file));
    REQUIRE(layout.kind == "HTS-AT");
    REQUIRE(layout.config.sampleRate == 32000);
    REQUIRE(layout.config.head == model::HeadKind::fine);
    REQUIRE_NOTHROW(layout.config.validate());
}

TEST_CASE("a spectrogram that could not be computed in time is refused", "[unit]") {
    requireRefused(tiny().say(R"({"sample_rate": 768000, "n_fft": 65536, "hop_size": 1})"),
                   "million operations for a second of sound, at most 4000 are allowed");
    requireRefused(tiny().say(R"({"sample_rate": 768000, "hop_size": 1})"), "for a second of sound");
    requireRefused(tiny().say(R"({"n_fft": 16, "hop_size": 16})"), "mel bands: expected 1 to 9, found 64");
    requireRefused(Shapes(test::tinyModel()).say(R"({"n_fft": 124, "hop_size": 64})"),
                   "mel bands: expected 1 to 63");
    // What people do use: bats at a high rate, and fine steps.
    for (const char* const json : {R"({"sample_rate": 384000, "n_fft": 2048, "hop_size": 192})",
                                   R"({"sample_rate": 96000, "n_fft": 4096, "hop_size": 96})",
                                   R"({"sample_rate": 48000, "n_fft": 256, "hop_size": 16})"})
        REQUIRE_NOTHROW(model::readLayout(tiny().say(json)));
}

TEST_CASE("layouts that are known but cannot be read are named, with what to use instead", "[unit]") {
    requireRefused(Shapes().set("audio_encoder.base.conv_block1.conv1.weight", {64, 1, 3, 3}),
                   "Microsoft CLAP 2022 is a Cnn14; use CLAP_weights_2023.pth");
    const std::string encoder = "audio_model.audio_encoder.";
    requireRefused(Shapes()
                       .set(encoder + "patch_embed.proj.weight", {96, 1, 4, 4})
                       .set(encoder + "layers.0.blocks.0.attention.self.query.weight", {96, 96}),
                   "Hugging Face's library transformers, which Earshot does not read; use the .pt file");
}
