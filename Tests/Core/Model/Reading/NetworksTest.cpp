#include "Core/Model/Reading/Networks.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Text/TextHalf.h"
#include "Support/Catch.h"
#include "Support/CombinedCheckpoint.h"

#include <optional>
#include <string>
#include <vector>

using namespace earshot;
using model::WeightsKind;
using test::CombinedCheckpoint;

namespace {

CombinedCheckpoint with(const std::vector<std::string>& prefixes,
                        std::optional<WeightsKind> weights = std::nullopt) {
    std::vector<test::ProceduralModel> models;
    for (const auto& prefix : prefixes) models.push_back(test::under(prefix, test::smallModel()));
    return CombinedCheckpoint(models, {.sampleRate = {}, .hopSize = {}, .weights = weights});
}

std::string used(const std::vector<std::string>& prefixes,
                 std::optional<WeightsKind> weights = std::nullopt) {
    return model::findNetworks(with(prefixes, weights)).network().prefix;
}

} // namespace

TEST_CASE("the averaged network is the default where its name leaves no doubt", "[unit]") {
    struct Case {
        std::string raw, averaged;
    };
    const auto check = GENERATE(
        Case{"model.", "model_ema."}, Case{"state_dict.", "state_dict_ema."},
        Case{"sed_model.", "ema.module."}, Case{"", "ema."}, Case{"", "ema_model."},
        Case{"online_model.", "ema_model.module."}, Case{"model.", "swa_model.module."},
        Case{"net.", "net_averaged."}, Case{"model.", "modelEma."}, Case{"model.", "EMA."},
        Case{"module.audio_branch.", "module_ema.audio_branch."}, Case{"sed_model.", "ema_0.999.sed_model."},
        Case{"model.", "shadow."}, Case{"sed_student.", "sed_teacher."},
        Case{"student.module.", "teacher.module."}, Case{"online_network.", "target_network."});
    CAPTURE(check.raw, check.averaged);
    CHECK(used({check.raw, check.averaged}) == check.averaged);
    CHECK(used({check.raw, check.averaged}, WeightsKind::raw) == check.raw);
    CHECK(used({check.raw, check.averaged}, WeightsKind::ema) == check.averaged);
    CHECK(model::findNetworks(with({check.raw, check.averaged})).network().averaged);
}

TEST_CASE("a name that may mean anything is not taken for an average", "[unit]") {
    struct Case {
        std::string raw, other;
    };
    const auto check =
        GENERATE(Case{"model.", "teacher."}, // of a distillation, perhaps
                 Case{"sed_model.", "a.teacher."}, Case{"model.", "optimizer.exp_avg."},
                 Case{"model.", "schema."}, Case{"model.", "nema."}, Case{"model.", "second."});
    CAPTURE(check.raw, check.other);
    CHECK(used({check.raw, check.other}) == check.raw);
}

TEST_CASE("an average that lacks tensors of the raw network is no default", "[unit]") {
    auto checkpoint = with({"model.", "model_ema."});
    checkpoint.remove("model_ema.bn0.running_mean");
    CHECK(model::findNetworks(checkpoint).network().prefix == "model.");
    auto otherSize = test::smallModel();
    otherSize.config.embedDim *= 2;
    const CombinedCheckpoint distilled(
        {test::under("student.", test::smallModel()), test::under("teacher.", otherSize)});
    CHECK(model::findNetworks(distilled).network().prefix == "student.");
}

TEST_CASE("a kind of weights that a file lacks is refused with those that it holds", "[unit]") {
    CHECK_THROWS_WITH(used({"model."}, WeightsKind::ema),
                      ContainsSubstring("m.safetensors: --weights ema") &&
                          ContainsSubstring("holds one network, model (raw)"));
    CHECK_THROWS_WITH(used({"model.", "model_ema."}, WeightsKind::teacher),
                      ContainsSubstring("2 networks, model (raw) and model_ema (ema)"));
    CHECK(used({"sed_student.", "sed_teacher."}, WeightsKind::teacher) == "sed_teacher.");
    CHECK(used({"", "model.", "model_ema.", "swa_model."}, WeightsKind::raw).empty());
}

TEST_CASE("a layout tells of all networks in the file", "[unit]") {
    auto checkpoint = with({"", "model_ema."});
    const auto layout = model::openLayout(checkpoint);
    CHECK(layout.prefix == "model_ema.");
    REQUIRE(layout.networks.all.size() == 2);
    CHECK(layout.networks.describe() == "2 networks, the one without a prefix (raw) and model_ema (ema)");
}

TEST_CASE("a file of thousands of networks is refused at once", "[unit]") {
    class Many : public model::Checkpoint {
      public:
        Many() {
            file_ = "many.safetensors";
            for (int i = 0; i < 50000; ++i)
                tensors_["teacher" + std::to_string(i) + ".patch_embed.proj.weight"] = {};
        }
        tensor::Tensor read(const std::string&) override { throw Error("has no values"); }
    };
    Many many;
    CHECK_THROWS_WITH(model::openLayout(many), ContainsSubstring("holds more than 64 networks"));
}
