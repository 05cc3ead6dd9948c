// What is printed of faults, and what the stack of a failed call says. Stacks: addresses, innermost first.
#pragma once

#include "Failures/Faults.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace earshot::faults {

std::string describe(const Point& point);

// Whether the innermost function of Earshot's is one that is known to end the program.
bool endsProgram(std::span<void* const> stack);

class FaultReport {
  public:
    // shown: kinds of faults that are printed with a stack.
    explicit FaultReport(std::size_t shown)
        : shown_(shown) {}

    void add(const Point& point, const std::string& text, std::span<void* const> stack);
    std::size_t count() const { return count_; }
    void print() const;

  private:
    struct Group {
        std::size_t count = 0;
        std::string text;
    };
    std::size_t shown_;
    std::size_t count_ = 0;
    std::map<std::string, Group> groups_;
};

} // namespace earshot::faults
