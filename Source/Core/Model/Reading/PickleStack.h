// The working memory of the pickle reader: a stack of values with marks, a memo of values that are used
// again, and the input. Each is bounded. One thread at a time.
#pragma once

#include "Core/Model/Reading/PickleCalls.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace earshot::model::pickle {

// All functions throw Damaged if a value, a mark or room is missing.
class Stack {
  public:
    void push(Ref ref) {
        if (values_.size() >= maxValues) throw Damaged("its stack grows too high");
        values_.push_back(ref);
    }
    void mark() {
        if (marks_.size() >= maxValues) throw Damaged("it holds too many marks");
        marks_.push_back(values_.size());
    }

    // Returns the topmost value. Values below the last mark cannot be read.
    Ref top() const {
        if (values_.size() <= (marks_.empty() ? 0 : marks_.back())) throw Damaged("its stack is empty");
        return values_.back();
    }
    Ref pop() {
        const Ref ref = top();
        values_.pop_back();
        return ref;
    }
    // Removes and returns the topmost values, in the order they were pushed.
    std::vector<Ref> pop(std::size_t count) {
        std::vector<Ref> items(count);
        for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
        return items;
    }
    // Removes the last mark and the values above it; returns the values.
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

    // Stores the topmost value under a number; the value stays on the stack.
    void remember(std::uint64_t index) {
        if (memo_.size() >= maxValues) throw Damaged("it stores too many values");
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

// Reads the bytes of a pickle from front to back, never beyond their end. One thread at a time.
class Input {
  public:
    explicit Input(std::string_view bytes)
        : bytes_(bytes) {}

    std::size_t position() const { return position_; }

    // Throws Damaged if fewer bytes are left, as do all functions below.
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size() - position_) throw Damaged("it ends too early");
        const auto taken = bytes_.substr(position_, static_cast<std::size_t>(count));
        position_ += taken.size();
        return taken;
    }

    std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }

    // Reads a little-endian integer of up to 8 bytes.
    std::uint64_t unsignedInteger(unsigned bytes) {
        std::uint64_t value = 0;
        unsigned shift = 0;
        for (const char c : take(bytes)) {
            value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(c)) << shift;
            shift += 8;
        }
        return value;
    }

    double bigEndianDouble() {
        std::uint64_t bits = 0;
        for (const char c : take(8)) bits = bits << 8 | static_cast<std::uint8_t>(c);
        return std::bit_cast<double>(bits);
    }

    // Reads a count of `countBytes` bytes, then as many bytes as it says.
    std::string_view counted(unsigned countBytes) { return take(unsignedInteger(countBytes)); }

    // Reads up to a line feed and skips it.
    std::string_view line() {
        const auto end = bytes_.find('\n', position_);
        if (end == std::string_view::npos) throw Damaged("a name has no end");
        const auto text = take(end - position_);
        ++position_;
        return text;
    }

  private:
    std::string_view bytes_;
    std::size_t position_ = 0;
};

// The pickle opcodes that data written by PyTorch can hold (protocols 2 to 5), under the names of CPython's
// Lib/pickletools.py (binInt1 is its BININT1).
enum class Opcode : std::uint8_t {
    mark = '(',
    stop = '.',
    pop = '0',
    popMark = '1',
    dup = '2',
    none = 'N',
    newTrue = 0x88,
    newFalse = 0x89,
    binInt = 'J',
    binInt1 = 'K',
    binInt2 = 'M',
    long1 = 0x8a,
    long4 = 0x8b,
    binFloat = 'G',
    binString = 'T',
    shortBinString = 'U',
    binUnicode = 'X',
    shortBinUnicode = 0x8c,
    binUnicode8 = 0x8d,
    binBytes = 'B',
    shortBinBytes = 'C',
    binBytes8 = 0x8e,
    byteArray8 = 0x96,
    emptyTuple = ')',
    tuple = 't',
    tuple1 = 0x85,
    tuple2 = 0x86,
    tuple3 = 0x87,
    emptyList = ']',
    list = 'l',
    append = 'a',
    appends = 'e',
    emptyDict = '}',
    dict = 'd',
    setItem = 's',
    setItems = 'u',
    emptySet = 0x8f,
    addItems = 0x90,
    frozenSet = 0x91,
    binPut = 'q',
    longBinPut = 'r',
    memoize = 0x94,
    binGet = 'h',
    longBinGet = 'j',
    global = 'c',
    stackGlobal = 0x93,
    inst = 'i',
    reduce = 'R',
    build = 'b',
    newObj = 0x81,
    newObjEx = 0x92,
    obj = 'o',
    binPersId = 'Q',
    proto = 0x80,
    frame = 0x95,
};

} // namespace earshot::model::pickle
