// Several made-up networks in one checkpoint, which states nothing: no metadata.
#pragma once

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Support/ProceduralWeights.h"
#include "Support/ReferenceFrontend.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace earshot::test {

class CombinedCheckpoint : public model::Checkpoint {
  public:
    explicit CombinedCheckpoint(const std::vector<ProceduralModel>& models,
                                model::ReadingChoice choice = {}) {
        file_ = "m.safetensors";
        format_ = "safetensors";
        choice_ = choice;
        for (const auto& model : models) {
            parts_.push_back(proceduralCheckpoint(model));
            tensors_.insert(parts_.back()->tensors().begin(), parts_.back()->tensors().end());
        }
    }

    CombinedCheckpoint& state(const std::string& config) {
        metadata_["earshot.config"] = config;
        return *this;
    }
    CombinedCheckpoint& remove(const std::string& name) {
        tensors_.erase(name);
        return *this;
    }
    tensor::Tensor read(const std::string& name) override {
        for (const auto& part : parts_)
            if (part->contains(name)) return part->read(name);
        throw Error("has no tensor " + name);
    }

  private:
    std::vector<std::unique_ptr<model::Checkpoint>> parts_;
};

inline ProceduralModel under(const std::string& prefix, ProceduralModel model, int seed = 11) {
    model.prefix = prefix;
    model.seed = seed;
    return model;
}

// The model with the mel matrix of these settings, (fftSize / 2 + 1, melBands), by plain loops.
inline ProceduralModel withMelMatrix(ProceduralModel model, const frontend::LogMelSettings& settings) {
    const auto matrix = referenceMelFilters(settings);
    model.config.fftSize = settings.fftSize;
    model.config.melBands = settings.melBands;
    model.melFilters.assign(matrix.begin(), matrix.end());
    return model;
}

} // namespace earshot::test
