// The contents of a pickle as plain values. They lie in one flat store and refer to one another by index, so
// that deep nesting, sharing and cycles cause neither recursion nor leaks.
// Plain values: any thread may read them.
#pragma once

#include "Core/Model/Reading/PickleGlobals.h"
#include "Core/Tensor/Tensor.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace earshot::model::pickle {

using Ref = std::uint32_t; // index into Document::values

struct None {};
// A value that does not affect a checkpoint's tensors: an object of a class, a huge integer.
struct Opaque {};
struct Text {
    std::string_view utf8; // into Document::bytes
};
struct Bytes {
    std::string_view bytes; // into Document::bytes
};
// A list, tuple or set.
struct Sequence {
    std::vector<Ref> items;
};
// Entries in the order of assignment; of equal keys the last one counts.
struct Dictionary {
    std::vector<std::pair<Ref, Ref>> entries;
};
// The name of a class or function; it cannot be called.
struct Global {
    Meaning meaning = Meaning::inert;
    std::string_view module;
    std::string_view name;
};
struct Storage {
    std::string_view type; // "FloatStorage"
    std::string_view key;  // names the archive's entry
    std::int64_t elements = 0;
};
// A tensor as described; the reader has not yet checked it against its storage.
struct TensorView {
    Ref storage = 0;
    std::int64_t offset = 0; // elements
    tensor::Shape shape;
    tensor::Shape strides; // elements
};

using Value = std::variant<None, Opaque, bool, std::int64_t, double, Text, Bytes, Sequence, Dictionary,
                           Global, Storage, TensorView>;

struct Document {
    std::vector<char> bytes; // the pickle; texts point into it, so a document is moved but never copied
    std::deque<Value> values;
    Ref root = 0;

    template <typename T>
    const T* as(Ref ref) const {
        return std::get_if<T>(&values[ref]);
    }
};

} // namespace earshot::model::pickle
