// Makes the results of a pickle's known functions from their arguments, in our own code.
// The pickle reader uses it on one thread.
#pragma once

#include "Core/Model/Reading/PickleValues.h"

#include <stdexcept>
#include <string>

namespace earshot::model::pickle {

// A malformed pickle. The message lacks the file's name; the reader turns it into an earshot::Error.
class Damaged : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The limit of values in one pickle, and of entries on its stack and in its memo. Published checkpoints stay
// below a tenth of it.
inline constexpr std::size_t maxValues = 1u << 20;

// Stores a value. Throws Damaged beyond maxValues.
Ref store(Document& document, Value value);

// Returns the result of calling `callee` with `arguments`. Throws Damaged unless they are a Global and a
// Sequence that fits it.
Ref call(Document& document, Ref callee, Ref arguments);

// Returns the storage of a persistent id: ('storage', torch.FloatStorage, key, location, elements).
Ref loadPersistent(Document& document, Ref id);

} // namespace earshot::model::pickle
