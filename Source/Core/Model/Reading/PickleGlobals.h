// The classes and functions that a checkpoint may name. Whatever else a pickle asks for is refused: a name in
// a pickle is how Python runs foreign code. Even the known ones are never called; those with a meaning have
// their result made by our own code, the others only mark that an object stood there.
// Pure functions: any thread.
#pragma once

#include <optional>
#include <string_view>

namespace earshot::model::pickle {

enum class Meaning {
    inert,            // class of an object that says nothing about tensors
    dictionary,       // OrderedDict, defaultdict
    tuple,            // torch.Size
    storage,          // torch.FloatStorage ...
    rebuildTensor,    // (storage, offset, size, stride, ...)
    rebuildParameter, // (tensor, ...)
    rebuildFromType,  // (function, type, arguments, state): a tensor with attributes
};

// Nothing when the name is unknown.
std::optional<Meaning> knownGlobal(std::string_view module, std::string_view name);

} // namespace earshot::model::pickle
