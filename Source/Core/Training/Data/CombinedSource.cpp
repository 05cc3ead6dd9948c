#include "Core/Training/Data/CombinedSource.h"

#include "Core/Training/Data/Dice.h"

#include <cassert>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::uint64_t choicePurpose = 0x43484f494345; // for seedFor

}

class CombinedSource::Maker : public ExampleMaker {
  public:
    explicit Maker(const CombinedSource& combined)
        : combined_(combined) {
        for (const auto& part : combined.parts_) makers_.push_back(part.source->newMaker());
    }

    void make(std::uint64_t index, Example& example) override {
        double left = combined_.total_ *
                      static_cast<double>(Dice(seedFor(combined_.seed_, choicePurpose, index)).unit());
        std::size_t chosen = 0;
        while (chosen + 1 < makers_.size() && left >= combined_.parts_[chosen].weight)
            left -= combined_.parts_[chosen++].weight;
        makers_[chosen]->make(index, example);
    }

  private:
    const CombinedSource& combined_;
    std::vector<std::unique_ptr<ExampleMaker>> makers_;
};

CombinedSource::CombinedSource(std::vector<Part> parts, std::uint64_t seed)
    : parts_(std::move(parts))
    , seed_(seed) {
    assert(!parts_.empty());
    for (const auto& part : parts_) {
        assert(part.source && part.weight > 0.0);
        total_ += part.weight;
    }
}

std::unique_ptr<ExampleMaker> CombinedSource::newMaker() const { return std::make_unique<Maker>(*this); }

} // namespace earshot::training
