// Every trained tensor of a network in one flat block, by its name in the reference implementation, so that
// gradients, moments and averages are flat blocks of the same layout. Immutable: any thread.
#pragma once

#include "Core/Model/BlockForm.h"
#include "Core/Model/Config.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::training {

struct Parameter : model::TensorForm {
    std::size_t offset; // of its first value in the block
    std::size_t size;   // values
};

// The part of a checkpoint besides trained tensors: the running statistics of the band norm.
struct BandStatistics {
    std::vector<float> mean;     // (melBands) dB
    std::vector<float> variance; // (melBands) dB^2
};

class ParameterLayout {
  public:
    // Throws earshot::Error for a config that cannot be trained here (a pooled head).
    explicit ParameterLayout(const model::Config& config);

    const model::Config& config() const { return config_; }
    std::span<const Parameter> parameters() const { return parameters_; }
    const Parameter& find(const std::string& name) const; // asserts that it exists
    std::size_t size() const { return size_; }            // all values; tensors start at multiples of 16

  private:
    model::Config config_;
    std::vector<Parameter> parameters_;
    std::size_t size_ = 0;
};

// Swin's initialisation: weights and position tables from a truncated normal of deviation 0.02, norms 1 and
// 0, biases 0. The head's bias is the logit of `prior`, the share of tokens in which a class sounds. The same
// seed gives the same values on every machine.
std::vector<float> initialParameters(const ParameterLayout& layout, std::uint64_t seed, float prior = 0.02f);

// Reads a tensor to start from. Throws earshot::Error when it is missing, has another shape, or holds a value
// that is not finite: "tensor X: expected (…), found (…)".
tensor::Tensor readStart(model::Checkpoint& checkpoint, const std::string& name, const tensor::Shape& shape);

// Reads the tensors that `checkpoint` shares with the layout (without the head if its classes differ) into
// `values`, and returns the band statistics. `sameHead`: reads the head's too. Throws earshot::Error when the
// encoder has another shape: "tensor X: expected (…), found (…)".
BandStatistics readParameters(model::Checkpoint& checkpoint, const std::string& prefix,
                              const ParameterLayout& layout, bool sameHead, std::span<float> values);

// Also reads a head of the same form, for the classes that the checkpoint knows: class c of the layout is its
// class known[c]; -1 means that it is unknown, and keeps `values`. `classes`: those of the checkpoint. Throws
// as above.
void readHead(model::Checkpoint& checkpoint, const std::string& prefix, const ParameterLayout& layout,
              int classes, std::span<const int> known, std::span<float> values);

enum class Storage { float32, float16 };
// Writes a model file that Earshot and the reference's loader read. `metadata` is added to earshot.config.
// float16 applies to matrices and tables; norms and biases stay float32. melFilters: a mel matrix of the
// model's own, (fftSize / 2 + 1, melBands); empty if the config describes it.
void writeModel(const std::filesystem::path& file, const ParameterLayout& layout,
                std::span<const float> values, const BandStatistics& statistics, Storage storage,
                std::map<std::string, std::string> metadata, std::span<const float> melFilters = {});

} // namespace earshot::training
