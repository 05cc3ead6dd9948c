#include "Core/Training/Network/TrainingNetwork.h"

#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Reading/SafetensorsWriter.h"
#include "Core/Model/Weights.h"
#include "Core/Tensor/Threads.h"
#include "Core/Training/Network/TrainedHead.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"
#include "Support/Process.h"
#include "Support/ReferenceNetwork.h"
#include "Support/Skip.h"

#include <cmath>
#include <map>
#include <random>

using namespace earshot;
using training::Arithmetic;
using training::BandStatistics;
using training::ParameterLayout;
using training::TrainingNetwork;

namespace {

// Three stages, of which a fine head reads two.
test::ProceduralModel withFineHead(test::ProceduralModel model) {
    model.config.depths = {1, 2, 1};
    model.config.heads = {2, 4, 4};
    model.config = test::withHead(model.config, model::HeadKind::fine);
    return model;
}

// With scales of scores around `scale`: large ones make more of rounding and of steps.
test::ProceduralModel withV2Blocks(test::ProceduralModel model, double scale) {
    model = test::withV2Blocks(std::move(model));
    model.logScoreScale = std::log(scale);
    return model;
}

// A procedural model as training has it.
struct Rig {
    explicit Rig(const test::ProceduralModel& model)
        : layout(model.config)
        , checkpoint(test::proceduralCheckpoint(model))
        , values(layout.size()) {
        tensor::setThreadCount(1);
        statistics = training::readParameters(*checkpoint, model.prefix, layout, true, values);
    }

    std::size_t inputSize() const {
        return static_cast<std::size_t>(layout.config().windowFrames() * layout.config().melBands);
    }
    std::size_t outputSize() const {
        return static_cast<std::size_t>(layout.config().stepsPerWindow() * layout.config().classes);
    }

    ParameterLayout layout;
    std::unique_ptr<model::Checkpoint> checkpoint;
    std::vector<float> values;
    BandStatistics statistics;
};

double norm(std::span<const float> values) {
    double sum = 0.0;
    for (const double v : values) sum += v * v;
    return std::sqrt(sum);
}

// |a - b| / |b|, NaN when either holds one.
double relativeError(std::span<const float> a, std::span<const float> b) {
    REQUIRE(a.size() == b.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += d * d;
    }
    return std::sqrt(sum) / norm(b);
}

std::vector<float> gradientOf(const Rig& rig, Arithmetic arithmetic, const training::NetworkInput& input,
                              int samples, std::span<const float> outputGradient, int firstStage = -1) {
    TrainingNetwork network(rig.layout, samples, arithmetic);
    network.setParameters(rig.values);
    network.forward(input);
    std::vector<float> gradients(rig.layout.size());
    network.backward(outputGradient, gradients, firstStage);
    return gradients;
}

// A checkpoint with one tensor moved along a direction.
class MovedCheckpoint : public model::Checkpoint {
  public:
    explicit MovedCheckpoint(model::Checkpoint& original)
        : original_(original) {
        tensors_ = original.tensors();
    }
    tensor::Tensor read(const std::string& name) override {
        auto values = original_.read(name);
        if (name == moved)
            for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] += step * direction[i];
        return values;
    }

    std::string moved;
    float step = 0.0f;
    std::vector<float> direction;

  private:
    model::Checkpoint& original_;
};

} // namespace

TEST_CASE("training's forward pass is the network's", "[unit][training]") {
    auto model = test::smallModel();
    SECTION("as published") {}
    SECTION("without bias and patch norm, with positions") {
        model.config.qkvBias = false;
        model.config.patchNorm = false;
        model.config.absolutePositionEmbedding = true;
    }
    SECTION("fine head") { model = withFineHead(model); }
    SECTION("overlapping patches") {
        model.config.patchSize = 8;
        model.config.patchStride = 4;
    }
    SECTION("a window larger than the last grid") { model.config.attentionSide = 16; }
    SECTION("a head of odd width") { model.config.embedDim = 10; }
    SECTION("V2 blocks") { model.config.block = model::BlockKind::v2; }
    SECTION("V2 blocks for other attention windows, without bias") {
        model.config.block = model::BlockKind::v2;
        model.config.attentionSide = 16;
        model.config.pretrainedSides = {4, 12};
        model.config.qkvBias = false;
    }

    const Rig rig(model);
    const auto logMel = test::randomValues(2 * rig.inputSize(), 9, -80.0f, 10.0f);
    TrainingNetwork network(rig.layout, 2, Arithmetic::float32);
    network.setParameters(rig.values);
    const auto logits = network.forward({.logMel = logMel, .statistics = &rig.statistics});

    model::Network reference(std::make_shared<const model::Weights>(*rig.checkpoint));
    for (std::size_t sample = 0; sample < 2; ++sample) {
        const auto expected =
            reference.run(std::span(logMel).subspan(sample * rig.inputSize(), rig.inputSize())).tokens;
        std::vector<float> found;
        for (const float logit : logits.subspan(sample * rig.outputSize(), rig.outputSize()))
            found.push_back(1.0f / (1.0f + std::exp(-logit)));
        // Cosines times up to 100 make more of rounding.
        CHECK(test::maxDifference(found, expected) <=
              (model.config.block == model::BlockKind::v1 ? 5e-6 : 2e-4));
    }
}

TEST_CASE("every parameter's gradient is the slope of plain loops in double precision", "[unit][training]") {
    auto model = test::smallModel();
    model.config.imageSize = 32;
    model.config.melBands = 8;
    SECTION("as published") {}
    SECTION("without bias and patch norm, with positions") {
        model.config.qkvBias = false;
        model.config.patchNorm = false;
        model.config.absolutePositionEmbedding = true;
    }
    SECTION("fine head") {
        model = withFineHead(model);
        model.config.melBands = 16; // two time segments
    }
    SECTION("overlapping patches") {
        model.config.patchSize = 8;
        model.config.patchStride = 4;
    }
    SECTION("V2 blocks") { model = withV2Blocks(model, 1.0); }
    SECTION("V2 blocks with a fine head") {
        model = withV2Blocks(withFineHead(model), 1.0);
        model.config.melBands = 16;
        model.config.qkvBias = false;
    }

    const Rig rig(model);
    const auto logMel = test::randomValues(rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(rig.outputSize(), 10);
    MovedCheckpoint moved(*rig.checkpoint);
    const auto objective = [&] {
        const auto out = test::ReferenceNetwork(moved, model.config).run(logMel);
        double sum = 0.0;
        for (std::size_t i = 0; i < weights.size(); ++i)
            sum += weights[i] * std::log(out.tokens[i] / (1.0 - out.tokens[i]));
        return sum;
    };
    const auto gradients =
        gradientOf(rig, Arithmetic::float32, {.logMel = logMel, .statistics = &rig.statistics}, 1, weights);

    // Along the gradient the slope is its length, which a wrong direction or scale would not give; and along
    // two random directions.
    for (const auto& parameter : rig.layout.parameters()) {
        CAPTURE(parameter.name);
        const auto gradient = std::span(gradients).subspan(parameter.offset, parameter.size);
        const double length = norm(gradient);
        REQUIRE(length > 0.0);
        moved.moved = parameter.name;
        for (unsigned trial = 0; trial < 3; ++trial) {
            if (trial == 0)
                moved.direction.assign(gradient.begin(), gradient.end());
            else
                moved.direction = test::randomValues(parameter.size, 100 + trial);
            const double size = norm(moved.direction);
            double expected = 0.0;
            for (std::size_t i = 0; i < parameter.size; ++i) expected += gradient[i] * moved.direction[i];
            // Steps large against float32's rounding of the stored weights, small against the curvature.
            const float step = 2e-3f / static_cast<float>(size);
            moved.step = step;
            const double ahead = objective();
            moved.step = -step;
            const double behind = objective();
            const double slope = (ahead - behind) / (2.0 * static_cast<double>(step));
            // A step passes kinks of the ReLU that computes V2's biases.
            const double allowed = parameter.role == model::TensorRole::scoring ? 3e-3 : 1e-3;
            CHECK(std::abs(slope - expected) <= allowed * length * size);
        }
    }
}

TEST_CASE("a gradient of the last features reaches every parameter of the encoder as its slope",
          "[unit][training]") {
    auto model = test::smallModel();
    model.config.imageSize = 32;
    model.config.melBands = 16;
    if (GENERATE(false, true)) model = withFineHead(model);
    Rig rig(model);
    const auto logMel = test::randomValues(rig.inputSize(), 9, -80.0f, 10.0f);
    const training::NetworkInput input{.logMel = logMel, .statistics = &rig.statistics};
    TrainingNetwork network(rig.layout, 1, Arithmetic::float32);
    network.setParameters(rig.values);
    network.forward(input);
    const auto& config = rig.layout.config();
    const auto grid = static_cast<std::size_t>(config.stageGrid(config.stageCount() - 1));
    const auto weights = test::randomValues(grid * grid * static_cast<std::size_t>(config.latentDim()), 10);
    std::vector<float> gradients(rig.layout.size());
    network.backward(std::vector<float>(rig.outputSize()), gradients, -1, weights);
    CHECK(network.headGradientSquares() == 0.0);
    const auto objective = [&](std::size_t i, float step) {
        rig.values[i] += step;
        network.setParameters(rig.values);
        network.forward(input);
        rig.values[i] -= step;
        double sum = 0.0;
        for (std::size_t k = 0; k < weights.size(); ++k)
            sum += static_cast<double>(weights[k]) * static_cast<double>(network.features().back()[k]);
        return sum;
    };
    int checked = 0;
    for (const auto& parameter : rig.layout.parameters()) {
        CAPTURE(parameter.name);
        const auto own = std::span(gradients).subspan(parameter.offset, parameter.size);
        const bool isHead = parameter.stage == config.stageCount() && !parameter.name.starts_with("norm.");
        if (isHead) {
            CHECK(norm(own) == 0.0);
            continue;
        }
        const auto largest = std::ranges::max_element(own, {}, [](float g) { return std::abs(g); });
        const auto at = parameter.offset + static_cast<std::size_t>(largest - own.begin());
        constexpr float step = 2e-3f;
        const double slope = (objective(at, step) - objective(at, -step)) / (2.0 * static_cast<double>(step));
        CHECK(std::abs(slope - static_cast<double>(*largest)) <= 0.02 * std::abs(slope) + 2e-3);
        ++checked;
    }
    CHECK(checked > 20);
}

TEST_CASE("gradients agree with PyTorch's autograd", "[golden][training]") {
    const test::TemporaryDirectory temporary;
    const std::filesystem::path python = "/usr/bin/python3";
    if (!std::filesystem::exists(python) || test::runProcess(python, {"-c", "import torch"}).exitCode != 0)
        return test::skip("PyTorch is not installed (Debian: python3-torch)");
    const Rig rig(test::tinyModel());
    const auto& config = rig.layout.config();
    constexpr int samples = 2;
    const auto logMel = test::randomValues(samples * rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(samples * rig.outputSize(), 10);
    const std::vector<std::vector<training::Stripe>> stripes = {
        {{.inTime = true, .first = 100, .count = 40}, {.inTime = false, .first = 60, .count = 9}},
        {{.inTime = false, .first = 3, .count = 5}}};
    std::vector<float> shown(logMel.size(), 1.0f);
    const auto frames = static_cast<std::size_t>(config.windowFrames());
    const auto bands = static_cast<std::size_t>(config.melBands);
    for (std::size_t sample = 0; sample < samples; ++sample)
        for (std::size_t frame = 0; frame < frames; ++frame)
            for (std::size_t band = 0; band < bands; ++band) {
                const bool hidden =
                    sample == 0 ? (frame >= 100 && frame < 140) || band >= 60 : band >= 3 && band < 8;
                if (hidden) shown[(sample * frames + frame) * bands + band] = 0.0f;
            }

    std::vector<model::NamedTensor> tensors;
    for (const auto& parameter : rig.layout.parameters())
        tensors.push_back({.name = parameter.name,
                           .shape = parameter.shape,
                           .values = std::span(rig.values).subspan(parameter.offset, parameter.size)});
    const tensor::Shape inputShape = {samples, config.windowFrames(), config.melBands};
    tensors.push_back({.name = "log_mel", .shape = inputShape, .values = logMel});
    tensors.push_back({.name = "shown", .shape = inputShape, .values = shown});
    tensors.push_back(
        {.name = "weights", .shape = {samples, config.stepsPerWindow(), config.classes}, .values = weights});
    const std::string json =
        R"({"spec_size": 256, "mel_bins": 64, "patch_size": 4, "window_size": 8, "depths": [2, 2, 2, 2],
                                 "num_heads": [1, 2, 4, 8]})";
    model::writeSafetensors(temporary / "in.safetensors", tensors, {{"earshot.config", json}});
    const auto script = test::sourceDirectory() / "Tests/Support/torch_gradients.py";
    const auto result = test::runProcess(python, {script.string(), (temporary / "in.safetensors").string(),
                                                  (temporary / "out.safetensors").string()});
    INFO(result.errors);
    REQUIRE(result.exitCode == 0);
    const auto expected = model::Checkpoint::open(temporary / "out.safetensors");

    training::BandMoments moments(config.melBands);
    moments.add(logMel);
    const auto statistics = moments.result();
    TrainingNetwork network(rig.layout, samples, Arithmetic::float32);
    network.setParameters(rig.values);
    const auto logits = network.forward({.logMel = logMel, .stripes = stripes, .statistics = &statistics});
    CHECK(relativeError(logits, expected->read("logits").values()) <= 1e-5);
    std::vector<float> gradients(rig.layout.size());
    network.backward(weights, gradients);
    double worst = 0.0;
    for (const auto& parameter : rig.layout.parameters()) {
        CAPTURE(parameter.name);
        const auto found = std::span(gradients).subspan(parameter.offset, parameter.size);
        const double error = relativeError(found, expected->read(parameter.name).values());
        CHECK(error <= 1e-3);
        worst = std::max(worst, error);
    }
    INFO("largest relative error of a tensor: " << worst);
    SUCCEED();
}

TEST_CASE("gradients in bfloat16 point where those in float32 do", "[unit][training]") {
    if (training::bestArithmetic() != Arithmetic::bfloat16)
        return test::skip("this CPU does not multiply bfloat16");
    const bool isV2 = GENERATE(false, true);
    const Rig rig(isV2 ? withV2Blocks(test::tinyModel(), 10.0) : test::tinyModel());
    const auto logMel = test::randomValues(rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(rig.outputSize(), 10);
    const training::NetworkInput input{.logMel = logMel, .statistics = &rig.statistics};
    const auto exact = gradientOf(rig, Arithmetic::float32, input, 1, weights);
    const auto rounded = gradientOf(rig, Arithmetic::bfloat16, input, 1, weights);
    for (const auto& parameter : rig.layout.parameters()) {
        // Scores of 10 make more of rounding. The gradient of their scale is a sum of terms that nearly
        // cancel: little of it is left.
        if (parameter.name.ends_with("logit_scale")) continue;
        CAPTURE(parameter.name);
        CHECK(relativeError(std::span(rounded).subspan(parameter.offset, parameter.size),
                            std::span(exact).subspan(parameter.offset, parameter.size)) <=
              (isV2 ? 0.2 : 0.1));
    }
}

TEST_CASE("a batch's gradient is the sum of its samples'", "[unit][training]") {
    const bool isV2 = GENERATE(false, true);
    const Rig rig(isV2 ? test::withV2Blocks(test::smallModel()) : test::smallModel());
    const auto logMel = test::randomValues(3 * rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(3 * rig.outputSize(), 10);
    const auto together =
        gradientOf(rig, Arithmetic::float32, {.logMel = logMel, .statistics = &rig.statistics}, 3, weights);
    std::vector<float> sum(together.size());
    for (std::size_t sample = 0; sample < 3; ++sample) {
        const auto alone =
            gradientOf(rig, Arithmetic::float32,
                       {.logMel = std::span(logMel).subspan(sample * rig.inputSize(), rig.inputSize()),
                        .statistics = &rig.statistics},
                       1, std::span(weights).subspan(sample * rig.outputSize(), rig.outputSize()));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += alone[i];
    }
    REQUIRE(relativeError(together, sum) <= 1e-5);
}

TEST_CASE("frozen stages get no gradient, the others the same as ever", "[unit][training]") {
    const Rig rig(test::smallModel());
    const auto logMel = test::randomValues(rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(rig.outputSize(), 10);
    const training::NetworkInput input{.logMel = logMel, .statistics = &rig.statistics};
    const auto all = gradientOf(rig, Arithmetic::float32, input, 1, weights);
    for (int firstStage = 0; firstStage <= rig.layout.config().stageCount(); ++firstStage) {
        const auto some = gradientOf(rig, Arithmetic::float32, input, 1, weights, firstStage);
        for (const auto& parameter : rig.layout.parameters()) {
            CAPTURE(parameter.name, firstStage);
            const auto found = std::span(some).subspan(parameter.offset, parameter.size);
            if (parameter.stage < firstStage)
                CHECK(norm(found) == 0.0);
            else
                CHECK(test::maxDifference(found, std::span(all).subspan(parameter.offset, parameter.size)) ==
                      0.0);
        }
    }
}

TEST_CASE("stochastic depth drops branches by each sample's seed and nothing without it",
          "[unit][training]") {
    const Rig rig(test::smallModel());
    constexpr int samples = 64;
    const auto one = test::randomValues(rig.inputSize(), 9, -80.0f, 10.0f);
    std::vector<float> logMel;
    for (int i = 0; i < samples; ++i) logMel.insert(logMel.end(), one.begin(), one.end());
    std::vector<std::uint64_t> seeds(samples);
    for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = training::seedFor(1, 2, i);
    TrainingNetwork network(rig.layout, samples, Arithmetic::float32);
    network.setParameters(rig.values);
    const training::NetworkInput input{
        .logMel = logMel, .statistics = &rig.statistics, .dropPath = 0.5f, .seeds = seeds};
    const auto first = network.forward(input);
    const std::vector<float> kept(first.begin(), first.end());
    const auto again = network.forward(input);
    REQUIRE(test::maxDifference(again, kept) == 0.0);

    // Five blocks, ten branches: the first block never drops, so there are at most 2^8 different results.
    std::map<float, int> results;
    for (std::size_t i = 0; i < samples; ++i) ++results[kept[i * rig.outputSize()]];
    CHECK(results.size() > 20);
    const auto plain = network.forward({.logMel = logMel, .statistics = &rig.statistics});
    // Some CPUs' products round a row by where it stands.
    for (std::size_t i = 1; i < samples; ++i)
        REQUIRE(std::abs(plain[i * rig.outputSize()] - plain[0]) <= 1e-5f);
}

TEST_CASE("the head alone does what it does in the network", "[unit][training]") {
    auto model = test::smallModel();
    SECTION("TSCAM") {}
    SECTION("fine head") { model = withFineHead(model); }
    const Rig rig(model);
    const auto logMel = test::randomValues(2 * rig.inputSize(), 9, -80.0f, 10.0f);
    const auto weights = test::randomValues(2 * rig.outputSize(), 10);
    const auto arithmetic = GENERATE(Arithmetic::float32, training::bestArithmetic());
    TrainingNetwork network(rig.layout, 2, arithmetic);
    network.setParameters(rig.values);
    const auto expected = network.forward({.logMel = logMel, .statistics = &rig.statistics});
    training::Head head(rig.layout, 2, arithmetic);
    head.setParameters(rig.values);
    REQUIRE(test::maxDifference(head.forward(network.features()), expected) == 0.0);

    std::vector<float> whole(rig.layout.size()), alone(rig.layout.size());
    network.backward(weights, whole, rig.layout.config().stageCount());
    head.backward(weights, alone);
    for (const auto& parameter : rig.layout.parameters())
        if (parameter.ofHead())
            CHECK(test::maxDifference(std::span(alone).subspan(parameter.offset, parameter.size),
                                      std::span(whole).subspan(parameter.offset, parameter.size)) == 0.0);
}

TEST_CASE("moments of parts add up to moments of the whole", "[unit][training]") {
    const auto values = test::randomValues(1000 * 4, 5, -100.0f, 0.0f);
    training::BandMoments whole(4), first(4), second(4);
    whole.add(values);
    first.add(std::span(values).first(300 * 4));
    second.add(std::span(values).subspan(300 * 4));
    first.add(second);
    const auto a = whole.result(), b = first.result();
    CHECK(test::maxDifference(a.mean, b.mean) <= 1e-5);
    CHECK(test::maxDifference(a.variance, b.variance) <= 1e-3);
    // Uniform over 100 dB.
    for (const float variance : a.variance) CHECK(std::abs(variance - 10000.0f / 12.0f) < 60.0f);
}
