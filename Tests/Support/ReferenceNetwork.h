// HTS-AT as plain loops in double precision, written from the papers, for reading and not for speed: the grid
// is really rolled, and attention windows are really cut out. The fast network is compared with it for
// configurations without golden data. This is the place to learn the network.
#pragma once

#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <span>
#include <string>
#include <vector>

namespace earshot::test {

using Values = std::vector<double>;

// y (rows, outputs) = x (rows, inputs) W^T + b; bias may be empty.
Values referenceLinear(const Values& x, const Values& weights, const Values& bias, std::size_t inputs);
Values referenceLayerNorm(const Values& x, const Values& gain, const Values& bias);
// softmax(scale Q K^T + bias) V for one attention window and head: q, k, v (tokens, headDim), bias (tokens,
// tokens).
Values referenceAttention(const Values& q, const Values& k, const Values& v, const Values& bias,
                          std::size_t headDim);
double referenceGelu(double x);

// The projections of CLAP models, from a checkpoint's tensors under `prefix` ("audio_encoder.projection.",
// "module.audio_projection.").
Values referenceMicrosoftProjection(model::Checkpoint& checkpoint, const std::string& prefix,
                                    const Values& latent);
Values referenceLaionProjection(model::Checkpoint& checkpoint, const std::string& prefix,
                                const Values& latent);

struct ReferenceOutput {
    Values tokens;   // (stepsPerWindow, classes)
    Values clipwise; // (classes)
    Values latent;   // (latentDim)
};

class ReferenceNetwork {
  public:
    ReferenceNetwork(model::Checkpoint& checkpoint, const model::Config& config)
        : checkpoint_(checkpoint)
        , config_(config) {}

    // logMel: (windowFrames, melBands)
    ReferenceOutput run(std::span<const float> logMel);

  private:
    Values tensor(const std::string& name) const;
    Values image(std::span<const float> logMel) const;
    Values patchEmbed(const Values& image) const;
    Values block(const Values& x, int stage, int index) const;
    Values attention(const Values& x, int stage, int index) const;
    Values queriesKeysValues(const Values& x, const std::string& name, std::size_t width) const;
    // ((2 side - 1)^2, heads): the biases of scores by relative position
    Values biasTable(const std::string& name, int stage) const;
    Values merge(const Values& x, int stage) const;
    // stages: the residual stream after each stage; tokens: after the final norm
    ReferenceOutput head(const std::vector<Values>& stages, const Values& tokens) const;
    Values fineLogits(const std::vector<Values>& stages, const Values& tokens) const; // (steps, classes)

    model::Checkpoint& checkpoint_;
    model::Config config_;
};

} // namespace earshot::test
