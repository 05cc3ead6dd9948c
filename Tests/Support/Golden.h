// The outputs of the reference implementation in Tests/Golden, and the clips from which they were computed.
//
// To keep files small, a tensor may be stored flattened and thinned to every `step`-th element. The step is
// in the file's metadata under "step.<tensor>".
#pragma once

#include "Core/Model/Reading/Checkpoint.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace earshot::test {

class Golden {
  public:
    // A safetensors file by its name in Tests/Golden.
    explicit Golden(const std::string& fileName);

    bool has(const std::string& tensor) const { return file_->contains(tensor); }
    // A tensor that is stored whole.
    std::vector<float> values(const std::string& tensor);
    // The largest |values - golden| over the stored elements, where `values` is the whole tensor, row-major.
    // NaN if either holds one. Throws if the sizes do not fit.
    double absoluteDifference(const std::string& tensor, std::span<const float> values);
    // The same, relative to the largest |golden|.
    double relativeDifference(const std::string& tensor, std::span<const float> values);

  private:
    struct Thinned {
        std::vector<float> values;
        std::size_t step = 1; // between stored elements of the whole tensor
    };
    Thinned expected(const std::string& tensor, std::size_t wholeSize);

    std::unique_ptr<model::Checkpoint> file_;
};

// An audio file of Tests/Golden as mono samples at its own rate.
std::vector<float> loadClip(const std::string& fileName);

} // namespace earshot::test
