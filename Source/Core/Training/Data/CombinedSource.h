// Several sources of examples as one, each with its share. Example `index` is always of the same source,
// which is asked for its own example `index`. Immutable: any thread; each maker is one thread's.
#pragma once

#include "Core/Training/Data/Example.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::training {

class CombinedSource : public ExampleSource {
  public:
    struct Part {
        std::shared_ptr<const ExampleSource> source;
        double weight = 1.0; // relative to the others'; above 0
    };
    CombinedSource(std::vector<Part> parts, std::uint64_t seed); // at least one part

    std::unique_ptr<ExampleMaker> newMaker() const override;

  private:
    class Maker;

    std::vector<Part> parts_;
    double total_ = 0.0; // of the weights
    std::uint64_t seed_;
};

} // namespace earshot::training
