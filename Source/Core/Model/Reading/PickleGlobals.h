// The classes and functions that a checkpoint may name. The reader refuses all other names, because names in
// a pickle let Python run foreign code. Known names are not called either: our own code makes the results of
// those with a meaning, and a value without content replaces the objects of the others.
// Pure functions: any thread.
#pragma once

#include <optional>
#include <string_view>

namespace earshot::model::pickle {

enum class Meaning {
    inert,            // class of an object that does not affect tensors
    dictionary,       // OrderedDict, defaultdict
    tuple,            // torch.Size
    storage,          // torch.FloatStorage ...
    rebuildTensor,    // (storage, offset, size, stride, ...)
    rebuildParameter, // (tensor, ...)
    rebuildFromType,  // (function, type, arguments, state): a tensor with attributes
};

// Returns nothing if the name is unknown.
std::optional<Meaning> knownGlobal(std::string_view module, std::string_view name);

} // namespace earshot::model::pickle
