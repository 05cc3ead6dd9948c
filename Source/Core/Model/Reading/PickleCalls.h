// What the known functions of a pickle would return, made from their arguments by our own code.
// Used by the pickle reader on one thread.
#pragma once

#include "Core/Model/Reading/PickleValues.h"

#include <stdexcept>
#include <string>

namespace earshot::model::pickle {

// A malformed pickle: what is wrong, without the file's name. The reader turns it into an earshot::Error.
class Damaged : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Limits what one pickle may take up, whatever it repeats. Real ones stay below a tenth.
inline constexpr std::size_t mostValues = 1u << 20;

// Stores a value. Throws Damaged beyond mostValues.
Ref store(Document& document, Value value);

// Result of calling `callee` (a Global, or Damaged is thrown) with the arguments (a Sequence).
Ref call(Document& document, Ref callee, Ref arguments);

// Storage that a persistent id stands for: ('storage', torch.FloatStorage, key, location, elements).
Ref loadPersistent(Document& document, Ref id);

} // namespace earshot::model::pickle
