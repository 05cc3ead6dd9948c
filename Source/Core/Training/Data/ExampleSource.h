// Where training gets its examples: a scene mixer, recordings, or both. Example `index` of a source is always
// the same, whoever asks and in which order, so training is repeatable and any thread may call make() at any
// time (each with a Maker of its own).
#pragma once

#include "Core/Training/Data/Example.h"

#include <cstdint>
#include <memory>

namespace earshot::training {

class ExampleMaker {
  public:
    virtual ~ExampleMaker() = default;
    // Overwrites `example`, reusing its memory. One thread at a time per maker.
    virtual void make(std::uint64_t index, Example& example) = 0;
};

class ExampleSource {
  public:
    virtual ~ExampleSource() = default;
    virtual std::unique_ptr<ExampleMaker> newMaker() const = 0;
};

} // namespace earshot::training
