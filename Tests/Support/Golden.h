// Outputs of the reference implementation under Tests/Golden, and the clips they were computed from.
//
// To keep the files small a tensor may be stored flattened and thinned: every `step`-th element of the whole,
// with the step in the file's metadata under "step.<tensor>".
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

    // Largest |values - golden| over the elements kept, `values` being the whole tensor, row-major. NaN when
    // either holds one; throws when the sizes do not belong together.
    double absoluteDifference(const std::string& tensor, std::span<const float> values);
    // The same, relative to the largest |golden|.
    double relativeDifference(const std::string& tensor, std::span<const float> values);

  private:
    struct Thinned {
        std::vector<float> values;
        std::size_t step = 1; // between them in the whole tensor
    };
    Thinned expected(const std::string& tensor, std::size_t wholeSize);

    std::unique_ptr<model::Checkpoint> file_;
};

// An audio file of Tests/Golden as mono samples at its own rate.
std::vector<float> loadClip(const std::string& fileName);

} // namespace earshot::test
