#include "Core/Training/Network/ParameterLayout.h"

#include "Core/Base/Error.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Network/Network.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Model/Weights.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Paths.h"
#include "Support/ProceduralWeights.h"

#include <cmath>
#include <set>

using namespace earshot;
using training::Parameter;
using training::ParameterLayout;

namespace {

model::Config smallConfig() {
    model::Config config;
    config.embedDim = 16;
    config.depths = {1, 2, 1, 1};
    config.heads = {2, 4, 4, 8};
    config.classes = 5;
    return config;
}

training::BandStatistics someStatistics(int bands) {
    const auto size = static_cast<std::size_t>(bands);
    return {test::randomValues(size, 3, -60.0f, -20.0f), test::randomValues(size, 4, 10.0f, 200.0f)};
}

bool startsWith(const std::string& text, const std::string& beginning) {
    return text.compare(0, beginning.size(), beginning) == 0;
}

} // namespace

TEST_CASE("the layout has every tensor of a published checkpoint, by name and shape", "[unit]") {
    auto checkpoint = test::proceduralCheckpoint(test::tinyModel());
    const auto found = model::readLayout(*checkpoint);
    const ParameterLayout layout(found.config);
    std::set<std::string> names;
    std::size_t end = 0;
    int stage = -1;
    for (const auto& parameter : layout.parameters()) {
        CAPTURE(parameter.name);
        names.insert(parameter.name);
        REQUIRE(checkpoint->contains(found.prefix + parameter.name));
        REQUIRE(checkpoint->tensors().at(found.prefix + parameter.name).shape == parameter.shape);
        REQUIRE(parameter.offset >= end);
        REQUIRE(parameter.offset % 16 == 0);
        REQUIRE(static_cast<std::int64_t>(parameter.size) == tensor::elementCount(parameter.shape));
        REQUIRE(parameter.stage >= stage);
        REQUIRE(parameter.ofHead() == startsWith(parameter.name, "tscam_conv."));
        REQUIRE(parameter.decays() ==
                (parameter.shape.size() > 1 && parameter.name.find("position_bias") == std::string::npos));
        end = parameter.offset + parameter.size;
        stage = parameter.stage;
    }
    REQUIRE(layout.size() >= end);
    for (const auto& tensor : checkpoint->tensors())
        if (tensor.first.find("running_") == std::string::npos &&
            tensor.first.find("num_batches") == std::string::npos &&
            tensor.first.find("logmel") == std::string::npos && startsWith(tensor.first, found.prefix))
            CHECK(names.count(tensor.first.substr(found.prefix.size())) == 1);
}

TEST_CASE("every kind of network gives what its layout promises to the loader", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const int variant : {0, 1, 2, 3, 4}) {
        CAPTURE(variant);
        auto config = smallConfig();
        if (variant == 1) {
            config.absolutePositionEmbedding = true;
            config.patchNorm = false;
            config.qkvBias = false;
        }
        if (variant == 2) {
            config.sampleRate = 16000;
            config.hopSize = 160;
            config.highHz = 8000;
            config.attentionSide = 4;
            config.htkMelScale = true;
            config.mlpRatio = 2;
        }
        if (variant == 3) config = test::withHead(config, model::HeadKind::fine);
        if (variant == 4) {
            config.block = model::BlockKind::v2;
            config.pretrainedSides.assign(config.depths.size(), 6);
        }
        const ParameterLayout layout(config);
        const auto values = training::initialParameters(layout, 7);
        const auto statistics = someStatistics(config.melBands);
        const auto file = folder / ("variant" + std::to_string(variant) + ".safetensors");
        writeModel(file, layout, values, statistics, training::Storage::float32,
                   {{"earshot.labels", R"(["a", "b", "c", "d", "e"])"},
                    {"earshot.thresholds", "[0.1, 0.2, 0.3, 0.4, 0.5]"},
                    {"earshot.licence", "CC0"}});

        const auto weights = model::loadWeights(file);
        REQUIRE(weights->config() == config);
        const auto labels = detection::Labels::read(weights->metadata(), file, config.classes);
        CHECK(labels.name(2) == "c");
        CHECK(labels.threshold(3) == 0.4f);
        CHECK(labels.licence() == "CC0");

        std::vector<float> read(layout.size(), 0.0f);
        auto checkpoint = model::Checkpoint::open(file);
        const auto readStatistics = readParameters(*checkpoint, "", layout, true, read);
        CHECK(read == values);
        CHECK(readStatistics.mean == statistics.mean);
        CHECK(readStatistics.variance == statistics.variance);
    }
}

TEST_CASE("float16 storage halves the file and keeps norms and biases exact", "[unit]") {
    const test::TemporaryDirectory folder;
    const ParameterLayout layout(smallConfig());
    const auto values = training::initialParameters(layout, 1);
    const auto statistics = someStatistics(64);
    writeModel(folder / "full.safetensors", layout, values, statistics, training::Storage::float32, {});
    writeModel(folder / "half.safetensors", layout, values, statistics, training::Storage::float16, {});
    CHECK(100 * std::filesystem::file_size(folder / "half.safetensors") <
          62 * std::filesystem::file_size(folder / "full.safetensors"));
    std::vector<float> read(layout.size(), 0.0f);
    auto checkpoint = model::Checkpoint::open(folder / "half.safetensors");
    const auto readStatistics = readParameters(*checkpoint, "", layout, true, read);
    CHECK(readStatistics.variance == statistics.variance);
    for (const auto& parameter : layout.parameters())
        for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size; ++i) {
            const float allowed =
                parameter.shape.size() > 1 ? std::max(std::abs(values[i]) * 0x1p-11f, 0x1p-25f) : 0.0f;
            REQUIRE(std::abs(read[i] - values[i]) <= allowed);
        }
}

TEST_CASE("first values follow from the seed and have the spread that Swin asks for", "[unit]") {
    const ParameterLayout layout(smallConfig());
    const auto values = training::initialParameters(layout, 5, 0.1f);
    CHECK(values == training::initialParameters(layout, 5, 0.1f));
    CHECK(values != training::initialParameters(layout, 6, 0.1f));
    double sum = 0.0, squares = 0.0;
    std::size_t count = 0;
    for (const auto& parameter : layout.parameters()) {
        CAPTURE(parameter.name);
        const auto own = std::span(values).subspan(parameter.offset, parameter.size);
        const bool constant = std::all_of(own.begin(), own.end(), [&](float x) { return x == own[0]; });
        REQUIRE(constant == (parameter.shape.size() == 1));
        if (constant) {
            const bool gain = parameter.name.ends_with(".weight");
            CHECK(own[0] == Approx(parameter.ofHead() ? std::log(0.1 / 0.9) : gain ? 1.0 : 0.0));
            continue;
        }
        for (const float x : own) {
            REQUIRE(std::abs(x) <= 0.0501f);
            sum += x;
            squares += static_cast<double>(x) * x;
        }
        count += own.size();
    }
    const auto n = static_cast<double>(count);
    CHECK(std::abs(sum / n) < 4 * 0.02 / std::sqrt(n));
    CHECK(std::sqrt(squares / n) == Approx(0.0191).epsilon(0.02)); // 0.02, less what is cut off
}

TEST_CASE("V2's blocks begin as the identity, with scales of ten", "[unit]") {
    auto config = smallConfig();
    config.block = model::BlockKind::v2;
    const ParameterLayout layout(config);
    const auto values = training::initialParameters(layout, 5);
    const auto all = [&](const Parameter& parameter, double value) {
        CAPTURE(parameter.name);
        for (const double found : std::span(values).subspan(parameter.offset, parameter.size))
            REQUIRE(found == Approx(value));
    };
    const model::BlockForm block(1, 0);
    for (const auto& name : {block.norm1, block.norm2}) {
        all(layout.find(name + ".weight"), 0.0);
        all(layout.find(name + ".bias"), 0.0);
    }
    all(layout.find(model::MergingForm(0).norm + ".weight"), 1.0);
    all(layout.find("norm.weight"), 1.0);
    all(layout.find(block.scoreScale), std::log(10.0));
    all(layout.find(block.biasHidden + ".bias"), 0.0);
    for (const auto& name : {block.biasHidden, block.biasResult}) {
        const auto& parameter = layout.find(name + ".weight");
        CHECK_FALSE(parameter.decays());
        double squares = 0.0;
        for (const double value : std::span(values).subspan(parameter.offset, parameter.size))
            squares += value * value;
        CHECK(std::sqrt(squares / static_cast<double>(parameter.size)) == Approx(0.0191).epsilon(0.1));
    }
}

TEST_CASE("the default model is read as a start, with or without its head", "[unit]") {
    const auto file = test::defaultModelFile();
    auto checkpoint = model::Checkpoint::open(file);
    const auto found = model::readLayout(*checkpoint);
    auto config = found.config;
    config.classes = 2;
    const ParameterLayout layout(config);
    auto values = training::initialParameters(layout, 1);
    const auto before = values;
    readParameters(*checkpoint, found.prefix, layout, false, values);
    for (const auto& parameter : layout.parameters()) {
        const auto own = std::span(values).subspan(parameter.offset, parameter.size);
        const bool same = std::equal(own.begin(), own.end(),
                                     before.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
        CAPTURE(parameter.name);
        CHECK(same == parameter.ofHead());
    }
    REQUIRE_THROWS_WITH(readParameters(*checkpoint, found.prefix, layout, true, values),
                        ContainsSubstring("fine_head.") && ContainsSubstring("expected (2, "));
}

TEST_CASE("classes that the start knows begin with what it learnt of them", "[unit]") {
    const auto model = test::smallModel(); // a TSCAM head
    const auto checkpoint = test::proceduralCheckpoint(model);
    const ParameterLayout whole(model.config);
    std::vector<float> all(whole.size());
    readParameters(*checkpoint, "", whole, true, all);

    const int last = model.config.classes - 1;
    auto config = model.config;
    config.classes = 3;
    const ParameterLayout layout(config);
    auto values = training::initialParameters(layout, 1);
    const auto before = values;
    readHead(*checkpoint, "", layout, last + 1, std::vector{1, -1, last}, values);
    for (const auto& parameter : layout.parameters()) {
        CAPTURE(parameter.name);
        const auto partOf = [&](const std::vector<float>& of, const ParameterLayout& in, int index) {
            const auto& own = in.find(parameter.name);
            const auto size = own.size / static_cast<std::size_t>(in.config().classes);
            const auto first = own.offset + static_cast<std::size_t>(index) * size;
            return std::vector(of.begin() + static_cast<std::ptrdiff_t>(first),
                               of.begin() + static_cast<std::ptrdiff_t>(first + size));
        };
        if (!parameter.ofHead()) {
            CHECK(std::equal(values.begin() + static_cast<std::ptrdiff_t>(parameter.offset),
                             values.begin() + static_cast<std::ptrdiff_t>(parameter.offset + parameter.size),
                             before.begin() + static_cast<std::ptrdiff_t>(parameter.offset)));
            continue;
        }
        CHECK(partOf(values, layout, 0) == partOf(all, whole, 1));
        CHECK(partOf(values, layout, 1) == partOf(before, layout, 1));
        CHECK(partOf(values, layout, 2) == partOf(all, whole, last));
        CHECK(partOf(all, whole, 1) != partOf(all, whole, last));
    }
    REQUIRE_THROWS_WITH(readHead(*checkpoint, "", layout, last + 2, std::vector{1, -1, last}, values),
                        ContainsSubstring("tscam_conv.weight: expected (" + std::to_string(last + 2) + ", " +
                                          std::to_string(config.latentDim()) + ", 2, 3), found ("));
}

TEST_CASE("a fine head begins with what its start has, but for classes that the start does not know",
          "[unit]") {
    auto model = test::smallModel();
    model.config = test::withHead(model.config, model::HeadKind::fine);
    const auto checkpoint = test::proceduralCheckpoint(model);
    const ParameterLayout whole(model.config);
    std::vector<float> all(whole.size());
    readParameters(*checkpoint, "", whole, true, all);

    auto config = model.config;
    config.classes = 2;
    const ParameterLayout layout(config);
    auto values = training::initialParameters(layout, 1);
    const auto before = values;
    readHead(*checkpoint, "", layout, model.config.classes, std::vector{4, -1}, values);
    int ofClasses = 0;
    for (const auto& parameter : layout.parameters()) {
        CAPTURE(parameter.name);
        const auto& read = whole.find(parameter.name);
        const auto now = std::span(values).subspan(parameter.offset, parameter.size);
        const auto first = std::span(before).subspan(parameter.offset, parameter.size);
        const auto known = std::span(all).subspan(read.offset, read.size);
        if (!parameter.ofHead()) {
            CHECK(std::ranges::equal(now, first));
        } else if (!parameter.ofClasses()) {
            CHECK(std::ranges::equal(now, known));
        } else {
            const std::size_t row = parameter.size / 2;
            CHECK(std::ranges::equal(now.first(row), known.subspan(4 * row, row)));
            CHECK(std::ranges::equal(now.subspan(row), first.subspan(row)));
            ++ofClasses;
        }
    }
    CHECK(ofClasses == 2); // weights and biases
}

TEST_CASE("what cannot be trained or read says why", "[unit]") {
    auto pooled = smallConfig();
    pooled.head = model::HeadKind::pooled;
    REQUIRE_THROWS_WITH(ParameterLayout(pooled), ContainsSubstring("token-semantic"));

    const ParameterLayout layout(smallConfig());
    std::vector<float> values(layout.size());
    auto other = test::proceduralCheckpoint(test::tinyModel());
    REQUIRE_THROWS_WITH(readParameters(*other, "", layout, false, values),
                        ContainsSubstring("tensor ") && ContainsSubstring("expected ("));
}
