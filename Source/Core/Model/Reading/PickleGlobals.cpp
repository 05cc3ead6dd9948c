#include "Core/Model/Reading/PickleGlobals.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace earshot::model::pickle {

namespace {

const std::unordered_map<std::string_view, Meaning> meanings = {
    {"collections.OrderedDict", Meaning::dictionary},
    {"collections.defaultdict", Meaning::dictionary},
    {"torch.Size", Meaning::tuple},
    {"torch._utils._rebuild_tensor", Meaning::rebuildTensor},
    {"torch._utils._rebuild_tensor_v2", Meaning::rebuildTensor},
    {"torch._utils._rebuild_parameter", Meaning::rebuildParameter},
    {"torch._utils._rebuild_parameter_with_state", Meaning::rebuildParameter},
    {"torch._tensor._rebuild_from_type_v2", Meaning::rebuildFromType},
    {"torch.storage.UntypedStorage", Meaning::storage},
};

// Names that training checkpoints use for data other than tensors.
const std::unordered_set<std::string_view> inertNames = {
    // Hyper-parameters, and functions that they name
    "argparse.Namespace",
    "functools.partial",
    "typing.Any",
    "yacs.config.CfgNode",
    // Containers; milestones of learning-rate schedules are Counters
    "collections.Counter",
    "collections.deque",
    // NumPy scalars and arrays: best scores, random states. Protocol 2 writes bytes through _codecs.encode.
    "_codecs.encode",
    "numpy.dtype",
    "numpy.ndarray",
    "numpy.core.multiarray.scalar",
    "numpy.core.multiarray._reconstruct",
    "numpy._core.multiarray.scalar",
    "numpy._core.multiarray._reconstruct",
    // Types named by tensors and parameter groups
    "torch.Tensor",
    "torch.device",
    "torch.bool",
    "torch.uint8",
    "torch.int8",
    "torch.int16",
    "torch.int32",
    "torch.int64",
    "torch.float16",
    "torch.bfloat16",
    "torch.float32",
    "torch.float64",
    "torch.torch_version.TorchVersion",
};

// Types of `builtins`, and functions that only compute; protocol 2 writes the module under its Python 2 name,
// `__builtin__`.
const std::unordered_set<std::string_view> inertBuiltins = {
    "abs",  "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "len",   "list",
    "long", "max",  "min",       "range", "round",   "set",  "slice", "str",       "sum", "tuple", "unicode",
};

// Packages whose classes and functions serve as keys of callbacks, as hyper-parameters, as schedules, or as
// times and paths. None of them loads or runs anything by itself.
constexpr std::string_view inertPackages[] = {
    "pytorch_lightning", "lightning",    "lightning_fabric", "torch.optim", "torch.nn",
    "torch._C._nn",      "numpy.dtypes", "datetime",         "omegaconf",   "pathlib",
};

bool isIdentifier(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

bool isWithin(std::string_view module, std::string_view package) {
    return module.starts_with(package) && (module.size() == package.size() || module[package.size()] == '.');
}

} // namespace

std::optional<Meaning> knownGlobal(std::string_view module, std::string_view name) {
    const std::string full = std::string(module).append(".").append(name);
    if (const auto found = meanings.find(full); found != meanings.end()) return found->second;
    if (module == "builtins" || module == "__builtin__") {
        if (inertBuiltins.count(name) != 0) return Meaning::inert;
        return std::nullopt;
    }
    if (inertNames.count(full) != 0) return Meaning::inert;
    if (!isIdentifier(name)) return std::nullopt;
    if (module == "torch" && name.ends_with("Storage")) return Meaning::storage;
    for (const auto package : inertPackages)
        if (isWithin(module, package)) return Meaning::inert;
    return std::nullopt;
}

} // namespace earshot::model::pickle
