#include "Core/Text/TextEncoder.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Primitives.h"
#include "Core/Tensor/Threads.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/Golden.h"
#include "Support/ProceduralWeights.h"
#include "Support/Skip.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

using namespace earshot;

namespace {

constexpr std::size_t dogPrompt = 0, unicode = 5; // of the texts

// Those of the golden data, in its order.
std::vector<std::string> goldenTexts() {
    std::string rain;
    for (int i = 0; i < 75; ++i) rain += i == 0 ? "rain" : " rain";
    return {"This is a sound of a dog barking.",
            "this is the sound of rain",
            "This is a sound of Helicopter",
            "dog",
            "",
            "Ein Hund bellt \u2013 na\u00efve cafe\u0301, \u96e8\u306e\u97f3 "
            "\U0001f3b5\U0001f469\U0001f3fd\u200d\U0001f4bb",
            "Stop! A car horn!!",
            " a  person   whistles\n\tand laughs  ",
            "I love the contrastive learning",
            "Footsteps on gravel, then a door creaks open & slams shut; it's loud (about 92 dB), we'd say, "
            "and the "
            "dogs' barking doesn't stop.",
            "This audio is a jazz song.",
            rain,
            "A busy street in the early morning: a delivery van reverses with a steady beep, pigeons flutter "
            "up from "
            "the pavement, a bicycle bell rings twice, somebody drops a crate of empty bottles, two people "
            "argue about "
            "the price of oranges, a church bell strikes seven in the distance, rain begins to patter on the "
            "awnings, "
            "and behind all of it the low rumble of the underground train makes the windows of the bakery "
            "hum for a "
            "moment before the whole scene fades into wind and distant thunder."};
}

double cosine(std::span<const float> a, std::span<const float> b) {
    const double lengths = std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                           std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / std::sqrt(lengths);
}

void requireGolden(bool isMicrosoft, bool isFull) {
    const auto checkpoint =
        test::proceduralCheckpoint(isFull ? test::fullText(isMicrosoft) : test::tinyText(isMicrosoft));
    text::TextEncoder encoder(*checkpoint);
    test::Golden golden("text_outputs.safetensors");
    const std::string name = std::string(isMicrosoft ? "msclap." : "laion.") + (isFull ? "full." : "tiny.");
    std::vector<float> pooled;
    encoder.setObserver([&](const std::string& step, std::span<const float> rows) {
        if (step == "pooled") pooled.assign(rows.begin(), rows.end());
    });
    const auto vectors = encoder.embed(goldenTexts());
    REQUIRE(vectors.shape() == tensor::Shape{13, isMicrosoft ? 1024 : 512});
    CHECK(golden.absoluteDifference(name + "pooled", pooled) <= 1e-4);
    CHECK(golden.absoluteDifference(name + (isMicrosoft ? "embedding" : "normalised"), vectors.values()) <=
          1e-4);
}

} // namespace

TEST_CASE("texts of tiny models have the golden vectors, step by step", "[golden][threads]") {
    const tensor::ThreadCountScope threads(GENERATE(1, 2));
    for (const bool isMicrosoft : {true, false}) {
        CAPTURE(isMicrosoft);
        requireGolden(isMicrosoft, false);
        const auto checkpoint = test::proceduralCheckpoint(test::tinyText(isMicrosoft));
        text::TextEncoder encoder(*checkpoint);
        test::Golden golden("text_outputs.safetensors");
        const auto texts = goldenTexts();
        for (const std::size_t index : {dogPrompt, unicode}) {
            const std::string name = std::string(isMicrosoft ? "msclap" : "laion") + ".tiny." +
                                     (index == dogPrompt ? "dog_prompt." : "unicode.");
            int seen = 0;
            encoder.setObserver([&](const std::string& step, std::span<const float> rows) {
                if (step == "pooled") return;
                CAPTURE(name, step);
                CHECK(golden.relativeDifference(name + step, rows) <= 1e-4);
                ++seen;
            });
            (void)encoder.embed(std::span(texts).subspan(index, 1));
            CHECK(seen == (isMicrosoft ? 4 : 3));
        }
    }
}

TEST_CASE("texts of models of the published size have the golden vectors",
          "[golden][slow][no-asan][no-tsan][threads]") {
    const tensor::ThreadCountScope threads(1);
    requireGolden(true, true);
    requireGolden(false, true);
}

TEST_CASE("in bfloat16 texts point where they do in float32", "[golden][slow][no-asan][no-tsan][threads]") {
    if (!tensor::hasFastBFloat16()) return test::skip("this CPU does not multiply bfloat16 fast");
    const tensor::ThreadCountScope threads(1);
    for (const auto& half :
         {test::tinyText(true), test::tinyText(false), test::fullText(true), test::fullText(false)}) {
        const auto checkpoint = test::proceduralCheckpoint(half);
        const auto exact = text::TextEncoder(*checkpoint).embed(goldenTexts());
        const auto rounded = text::TextEncoder(*checkpoint, model::Precision::bfloat16).embed(goldenTexts());
        CHECK(test::maxDifference(exact.values(), rounded.values()) > 0.0);
        const auto width = static_cast<std::size_t>(exact.shape()[1]);
        for (std::size_t i = 0; i < exact.size(); i += width) {
            CAPTURE(i);
            const double distance =
                1.0 - cosine(exact.values().subspan(i, width), rounded.values().subspan(i, width));
            CHECK(distance <= 0.005);
        }
    }
}

TEST_CASE("a text's vector does not depend on the texts beside it", "[unit][threads]") {
    const tensor::ThreadCountScope threads(1);
    for (const bool isMicrosoft : {true, false}) {
        const auto checkpoint = test::proceduralCheckpoint(test::tinyText(isMicrosoft));
        text::TextEncoder encoder(*checkpoint);
        auto texts = goldenTexts();
        // more rows than are in memory at once
        for (int i = 0; i < 600; ++i) texts.push_back("sound " + std::to_string(i) + " " + texts[9]);
        std::vector<double> shares;
        encoder.setProgress([&](double share) { shares.push_back(share); });
        const auto all = encoder.embed(texts);
        CHECK(encoder.cutTexts() == (isMicrosoft ? 0u : 1u)); // the longest
        REQUIRE(shares.size() > 4);
        CHECK(std::ranges::is_sorted(shares));
        CHECK(shares.front() > 0.0);
        CHECK(shares.back() == 1.0);
        encoder.setProgress([](double) { throw std::runtime_error("stop"); });
        CHECK_THROWS_WITH(encoder.embed(texts), "stop");
        encoder.setProgress({});
        const auto width = static_cast<std::size_t>(all.shape()[1]);
        for (const std::size_t i : {std::size_t{3}, std::size_t{12}, std::size_t{13}, texts.size() - 1}) {
            CAPTURE(isMicrosoft, i);
            const auto alone = encoder.embed(std::span(texts).subspan(i, 1));
            CHECK(test::maxDifference(alone.values(), all.values().subspan(i * width, width)) <= 1e-5);
        }
        CHECK(encoder.embed({}).size() == 0);
    }
}

TEST_CASE("a file says what its text half is", "[unit]") {
    const auto microsoft = text::findTextHalf(*test::proceduralCheckpoint(test::fullText(true)));
    REQUIRE(microsoft);
    CHECK(microsoft->vocabulary == text::Vocabulary::gpt2);
    CHECK(microsoft->layers == 12);
    CHECK(microsoft->heads == 12);
    CHECK(microsoft->dimensions == 1024);
    CHECK(microsoft->maxTextLength() == 1024);
    CHECK(microsoft->prefix == "caption_encoder.base.");
    const auto laion = text::findTextHalf(*test::proceduralCheckpoint(test::tinyText(false)));
    REQUIRE(laion);
    CHECK(laion->vocabulary == text::Vocabulary::roberta);
    CHECK(laion->layers == 2);
    CHECK(laion->width == 64);
    CHECK(laion->heads == 4);
    CHECK(laion->dimensions == 512);
    CHECK(laion->maxTextLength() == 77);
    for (const bool isMicrosoft : {true, false}) {
        const auto checkpoint = test::proceduralCheckpoint(test::tinyText(isMicrosoft));
        std::int64_t values = 0;
        for (const auto& [name, info] : checkpoint->tensors()) values += tensor::elementCount(info.shape);
        CHECK(text::findTextHalf(*checkpoint)->parameters == values);
    }
    auto wrapped = test::tinyText(true);
    wrapped.wrapper = "clap.";
    CHECK(text::findTextHalf(*test::proceduralCheckpoint(wrapped))->projection ==
          "clap.caption_encoder.projection.");
}

TEST_CASE("a file without a text half is told so", "[unit]") {
    const auto audio = test::proceduralCheckpoint(test::asLaionClap(test::tinyModel()));
    CHECK_FALSE(text::findTextHalf(*audio));
    CHECK_THROWS_WITH(text::TextEncoder(*audio),
                      ContainsSubstring("holds no text half") && ContainsSubstring("whole checkpoint"));
}

TEST_CASE("strange text halves are refused with the tensor's name", "[unit]") {
    using Tensors = std::map<std::string, model::TensorInfo>;
    struct Case {
        bool isMicrosoft;
        std::string tensor;
        tensor::Shape shape; // empty: the tensor is missing
    };
    const std::vector<Case> cases = {
        {true, "caption_encoder.base.wte.weight", {50256, 64}},
        {true, "caption_encoder.base.wte.weight", {50257}},
        {true, "caption_encoder.base.wte.weight", {50257, std::int64_t{1} << 40}},
        {true, "caption_encoder.base.wte.weight", {50257, 0}},
        {true, "caption_encoder.base.wte.weight", {50257, 250}},
        {true, "caption_encoder.base.wpe.weight", {1024, 63}},
        {true, "caption_encoder.base.wpe.weight", {0, 64}},
        {true, "caption_encoder.base.wpe.weight", {}},
        {true, "caption_encoder.base.h.0.ln_1.weight", {}},
        {true, "caption_encoder.base.h.1.attn.c_attn.weight", {192, 64}},
        {true, "caption_encoder.base.h.1.mlp.c_proj.bias", {}},
        {true, "caption_encoder.base.ln_f.bias", {65}},
        {true, "caption_encoder.projection.linear1.weight", {}},
        {true, "caption_encoder.projection.linear1.weight", {std::int64_t{1} << 20, 64}},
        {true, "caption_encoder.projection.linear2.weight", {1024, 1023}},
        {false, "module.text_branch.embeddings.word_embeddings.weight", {50257, 64}},
        {false, "module.text_branch.embeddings.position_embeddings.weight", {2, 64}},
        {false, "module.text_branch.embeddings.token_type_embeddings.weight", {2, 64}},
        {false, "module.text_branch.encoder.layer.1.attention.self.key.bias", {}},
        {false, "module.text_branch.pooler.dense.weight", {64, 32}},
        {false, "module.text_projection.0.weight", {}},
        {false, "module.text_projection.2.bias", {511}},
    };
    for (const Case& strange : cases) {
        CAPTURE(strange.tensor, tensor::describe(strange.shape));
        test::AlteredCheckpoint checkpoint(test::proceduralCheckpoint(test::tinyText(strange.isMicrosoft)),
                                           [&](Tensors& tensors) {
                                               if (strange.shape.empty())
                                                   tensors.erase(strange.tensor);
                                               else
                                                   tensors.at(strange.tensor).shape = strange.shape;
                                           });
        std::string message;
        try {
            text::TextEncoder encoder(checkpoint);
            (void)encoder.embed(std::vector<std::string>{"a dog"});
        } catch (const Error& error) {
            message = error.what();
        }
        CHECK_THAT(message, Catch::Matchers::StartsWith("model.safetensors: "));
        CHECK_THAT(message, ContainsSubstring(strange.tensor) || ContainsSubstring("layers, expected"));
    }
}

TEST_CASE("texts that are too long are refused by Microsoft's and cut by LAION's", "[unit]") {
    std::string longText;
    for (int i = 0; i < 1100; ++i) longText += " rain";
    const std::vector<std::string> texts = {"\x01\xff control", longText};
    const auto microsoft = test::proceduralCheckpoint(test::tinyText(true));
    CHECK_THROWS_WITH(text::TextEncoder(*microsoft).embed(texts),
                      ContainsSubstring("has 1102 tokens, at most 1024"));
    const auto laion = test::proceduralCheckpoint(test::tinyText(false));
    const auto vectors = text::TextEncoder(*laion).embed(texts);
    CHECK(std::ranges::all_of(vectors.values(), [](float value) { return std::abs(value) <= 1.0f; }));
}

TEST_CASE("a stop request ends the reading of texts", "[unit]") {
    const test::TemporaryDirectory folder;
    test::writeProceduralModel(folder / "text.safetensors", test::tinyText(true));
    StopSource stop;
    const auto checkpoint = model::Checkpoint::open(folder / "text.safetensors", stop.token());
    text::TextEncoder encoder(*checkpoint);
    const std::vector<std::string> texts = {"a dog"};
    CHECK(encoder.embed(texts).size() == 1024);
    stop.stop();
    CHECK_THROWS_AS(encoder.embed(texts), Stopped);
}

TEST_CASE("a text half whose values overflow is an error, not a vector", "[unit][threads]") {
    const tensor::ThreadCountScope threads(1);
    for (const bool isMicrosoft : {true, false}) {
        const auto checkpoint =
            test::enlarged(test::proceduralCheckpoint(test::tinyText(isMicrosoft)), "projection.", 1e36f);
        text::TextEncoder encoder(*checkpoint);
        CHECK_THROWS_WITH(encoder.embed(goldenTexts()), ContainsSubstring("no numbers"));
    }
}
