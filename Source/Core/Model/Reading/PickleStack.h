// The working memory of the pickle reader: a stack of values with marks, and the memo of values that occur
// again. Each is bounded. One thread at a time.
#pragma once

#include "Core/Model/Reading/PickleCalls.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace earshot::model::pickle {

// Everything here throws Damaged when a value, a mark or room is missing.
class Stack {
  public:
    void push(Ref ref) {
        if (values_.size() >= mostValues) throw Damaged("its stack grows too high");
        values_.push_back(ref);
    }
    void mark() {
        if (marks_.size() >= mostValues) throw Damaged("it holds too many marks");
        marks_.push_back(values_.size());
    }

    // Values below the last mark are out of reach.
    Ref top() const {
        if (values_.size() <= (marks_.empty() ? 0 : marks_.back())) throw Damaged("its stack is empty");
        return values_.back();
    }
    Ref pop() {
        const Ref ref = top();
        values_.pop_back();
        return ref;
    }
    // The topmost values, in the order they were pushed.
    std::vector<Ref> pop(std::size_t count) {
        std::vector<Ref> items(count);
        for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
        return items;
    }
    // All values above the last mark, and the mark.
    std::vector<Ref> popToMark() {
        if (marks_.empty()) throw Damaged("a mark is missing");
        const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<Ref> items(begin, values_.end());
        values_.erase(begin, values_.end());
        marks_.pop_back();
        return items;
    }
    void popValueOrMark() {
        if (!marks_.empty() && values_.size() == marks_.back())
            marks_.pop_back();
        else
            pop();
    }

    // The topmost value, which stays, under a number.
    void remember(std::uint64_t index) {
        if (memo_.size() >= mostValues) throw Damaged("it stores too many values");
        const Ref ref = top();
        memo_[index] = ref;
    }
    void rememberNext() { remember(memo_.size()); }
    Ref recall(std::uint64_t index) const {
        const auto found = memo_.find(index);
        if (found == memo_.end()) throw Damaged("it refers to a value that it never stored");
        return found->second;
    }

  private:
    std::vector<Ref> values_;
    std::vector<std::size_t> marks_; // heights of the stack
    std::unordered_map<std::uint64_t, Ref> memo_;
};

} // namespace earshot::model::pickle
