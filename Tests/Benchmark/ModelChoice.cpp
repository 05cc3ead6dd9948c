#include "Benchmark/ModelChoice.h"

#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Support/ProceduralWeights.h"

namespace earshot::benchmark {

void addModelOptions(CLI::App& app, ModelChoice& choice) {
    app.add_option("--model", choice.model, "full, tiny (made from a seed), or a checkpoint")
        ->capture_default_str();
    app.add_option("--precision", choice.precision, "of the network")
        ->check([](const std::string& name) {
            return model::precisionNamed(name) ? std::string()
                                               : name + " is none of auto, f32, bf16 and int8";
        })
        ->capture_default_str();
}

std::shared_ptr<const model::Weights> makeWeights(const ModelChoice& choice) {
    const auto precision = model::precisionNamed(choice.precision).value_or(model::Precision::float32);
    const auto made = [&](const test::ProceduralModel& model) {
        return model::makeWeights(*test::proceduralCheckpoint(model), precision,
                                  detection::calibrationWindows);
    };
    if (choice.model == "full") return made(test::fullModel());
    if (choice.model == "tiny") return made(test::tinyModel());
    return detection::loadWeights(choice.model, precision);
}

} // namespace earshot::benchmark
