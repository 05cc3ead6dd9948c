#include "Core/Training/Network/ImageStart.h"

#include "Core/Base/Error.h"
#include "Core/Frontend/LogMel.h"
#include "Core/Model/Network/Network.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"

#include <map>

using namespace earshot;

namespace {

// A start from an image model, as a training makes it.
struct Start {
    explicit Start(model::Checkpoint& checkpoint)
        : image(model::findImageModel(checkpoint).value())
        , layout(model::startingConfig(checkpoint, image))
        , values(training::initialParameters(layout, 1)) {
        training::readImageEncoder(checkpoint, image, layout, values);
    }

    std::span<const float> operator[](const std::string& name) const {
        const auto& parameter = layout.find(name);
        return std::span(values).subspan(parameter.offset, parameter.size);
    }

    model::ImageModel image;
    training::ParameterLayout layout;
    std::vector<float> values;
};

// Its network as a model, whose band norm lets through what it is given.
class StartedModel : public model::Checkpoint {
  public:
    explicit StartedModel(const Start& start)
        : start_(start) {
        file_ = "started";
        for (const auto& parameter : start.layout.parameters())
            tensors_[parameter.name] = {model::DType::float32, parameter.shape};
        const std::int64_t bands = start.layout.config().melBands;
        tensors_["bn0.running_mean"] = tensors_["bn0.running_var"] = {model::DType::float32, {bands}};
    }

    tensor::Tensor read(const std::string& name) override {
        tensor::Tensor out(tensors_.at(name).shape);
        constexpr float epsilon = 1e-5f; // of the norm
        if (name.starts_with("bn0.running_"))
            std::ranges::fill(out.values(), name.ends_with("var") ? 1.0f - epsilon : 0.0f);
        else
            std::ranges::copy(start_[name], out.values().begin());
        return out;
    }

  private:
    const Start& start_;
};

model::Network build(model::Checkpoint& checkpoint) {
    tensor::setThreadCount(1);
    return model::Network(std::make_shared<const model::Weights>(checkpoint));
}

// The image that the tiny model makes of a clip, as frames: (1024, 64).
std::vector<float> imageAsFrames() {
    auto tiny = build(*test::proceduralCheckpoint(test::tinyModel()));
    tiny.setInput(frontend::logMelSpectrogram({}, test::loadClip("input_10s.flac")));
    for (const auto& step : tiny.steps()) {
        step.run();
        if (step.resultName != "image") continue;
        constexpr std::size_t side = 256, bands = 64;
        std::vector<float> frames(side * side);
        for (std::size_t row = 0; row < side; ++row)
            for (std::size_t t = 0; t < side; ++t)
                frames[(row / bands * side + t) * bands + row % bands] = step.result[row * side + t];
        return frames;
    }
    return {};
}

// Every n-th token. tokens: (count, channels)
std::vector<float> everyNth(std::span<const float> tokens, std::size_t n, std::size_t channels) {
    std::vector<float> chosen;
    for (std::size_t first = 0; first < tokens.size(); first += n * channels) {
        const auto token = tokens.subspan(first, channels);
        chosen.insert(chosen.end(), token.begin(), token.end());
    }
    return chosen;
}

} // namespace

TEST_CASE("a network started from images agrees with HTS-AT's own start", "[golden][network]") {
    const int side = GENERATE(8, 7);
    CAPTURE(side);
    const auto checkpoint = test::proceduralCheckpoint(test::publishedImage(side));
    const Start start(*checkpoint);
    test::Golden golden("image_start.safetensors");
    const std::string preset = side == 8 ? "htsat_from_c24." : "htsat_from_window7.";
    CHECK(golden.relativeDifference(preset + "patch_embed.proj.weight", start["patch_embed.proj.weight"]) <=
          1e-6);
    for (int stage = 0; stage < 4; ++stage) {
        const auto name = "layers." + std::to_string(stage) + ".blocks.0.attn.relative_position_bias_table";
        const auto stored = checkpoint->read(name);
        if (side == 8)
            CHECK(test::maxDifference(start[name], stored.values()) == 0.0);
        else
            CHECK(golden.relativeDifference(preset + name, start[name]) <=
                  2e-6); // theirs is float32, 1.1e-6 off
    }

    StartedModel started(start);
    auto network = build(started);
    const auto frames = imageAsFrames();
    network.setInput(frames);
    struct Kept {
        std::string golden;
        std::size_t every, channels;
    };
    const std::map<std::string, Kept> kept = {{"patch_embed", {"patch_embed.every64th", 64, 96}},
                                              {"stage0", {"stage0.every64th", 64, 192}},
                                              {"stage1", {"stage1.every16th", 16, 384}},
                                              {"stage2", {"stage2.every4th", 4, 768}},
                                              {"norm", {"norm", 1, 768}}};
    std::size_t compared = 0;
    for (const auto& step : network.steps()) {
        step.run();
        const auto found = kept.find(step.resultName);
        if (found == kept.end()) continue;
        const auto& [name, every, channels] = found->second;
        INFO(name);
        CHECK(golden.relativeDifference(preset + name, everyNth(step.result, every, channels)) <= 2e-5);
        ++compared;
    }
    CHECK(compared == kept.size());
    CHECK(golden.relativeDifference(preset + "latent_output", network.run(frames).latent) <= 2e-5);
}

TEST_CASE("an image model gives the encoder, and nothing else", "[unit]") {
    auto image = test::tinyImage();
    image.config.absolutePositionEmbedding = true;
    const auto checkpoint = test::proceduralCheckpoint(image);
    const Start start(*checkpoint);
    const auto fresh = training::initialParameters(start.layout, 1);
    int kept = 0, taken = 0;
    for (const auto& parameter : start.layout.parameters()) {
        CAPTURE(parameter.name);
        const auto own = start[parameter.name];
        const bool isFresh =
            test::maxDifference(own, std::span(fresh).subspan(parameter.offset, parameter.size)) == 0.0;
        CHECK(isFresh == (parameter.name.starts_with("bn0.") || parameter.name.starts_with("tscam_conv.")));
        (isFresh ? kept : taken) += 1;
        if (!isFresh && checkpoint->tensors().at(parameter.name).shape == parameter.shape)
            CHECK(test::maxDifference(own, checkpoint->read(parameter.name).values()) == 0.0);
    }
    CHECK(kept == 4);
    CHECK(taken == 6 * 13 + 2 * 3 + 4 + 1 + 2);
}

TEST_CASE("an image model of V2 gives the encoder with its networks of biases", "[unit]") {
    auto image = test::tinyImage();
    image.config.block = model::BlockKind::v2;
    image.config.attentionSide = 12;
    image.config.imageSize = 4 * 48;
    const auto checkpoint = test::proceduralCheckpoint(image);
    const Start start(*checkpoint);
    CHECK(start.layout.config().attentionSide == 8);
    CHECK(start.layout.config().pretrainedSides == std::vector<int>{12, 12, 12});
    int taken = 0;
    for (const auto& parameter : start.layout.parameters()) {
        if (parameter.ofHead() || parameter.stage < 0) continue;
        CAPTURE(parameter.name);
        CHECK(test::maxDifference(start[parameter.name], checkpoint->read(parameter.name).values()) == 0.0);
        ++taken;
    }
    CHECK(taken == 6 * 17 + 2 * 3 + 2);
}

TEST_CASE("tensors that do not fit an image model's encoder are refused by name", "[unit]") {
    const auto refused = [](const std::string& name, const tensor::Shape& shape) {
        INFO(name);
        test::AlteredCheckpoint checkpoint(test::proceduralCheckpoint(test::tinyImage()), [&](auto& tensors) {
            if (shape.empty())
                tensors.erase(name);
            else
                tensors[name].shape = shape;
        });
        REQUIRE_THROWS_AS(Start(checkpoint), Error);
        REQUIRE_THROWS_WITH(Start(checkpoint), ContainsSubstring("tensor " + name + ": expected ("));
    };
    refused("layers.1.blocks.1.attn.proj.weight", {48, 47});
    refused("layers.1.blocks.1.attn.proj.bias", {});
    refused("norm.weight", {});
    const std::string table = "layers.0.blocks.1.attn.relative_position_bias_table";
    refused(table, {});
    refused(table, {49, 3});
    refused(table, {50, 2});
    refused(table, {49, 2, 1});
}
