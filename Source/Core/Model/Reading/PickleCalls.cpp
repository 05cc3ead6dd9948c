#include "Core/Model/Reading/PickleCalls.h"

namespace earshot::model::pickle {

namespace {

// Returns the argument at `index`. Throws Damaged if it is missing or has another type.
template <typename T>
const T& argument(const Document& document, const Sequence& arguments, std::size_t index) {
    const T* value = index < arguments.items.size() ? document.as<T>(arguments.items[index]) : nullptr;
    if (value == nullptr) throw Damaged("a call has the wrong arguments");
    return *value;
}

tensor::Shape integers(const Document& document, const Sequence& sequence) {
    constexpr std::size_t maxDimensions = 8;
    if (sequence.items.size() > maxDimensions) throw Damaged("a tensor has too many dimensions");
    tensor::Shape values;
    for (std::size_t i = 0; i < sequence.items.size(); ++i)
        values.push_back(argument<std::int64_t>(document, sequence, i));
    return values;
}

Value rebuildTensor(const Document& document, const Sequence& arguments) {
    argument<Storage>(document, arguments, 0);
    TensorView view;
    view.storage = arguments.items[0];
    view.offset = argument<std::int64_t>(document, arguments, 1);
    view.shape = integers(document, argument<Sequence>(document, arguments, 2));
    view.strides = integers(document, argument<Sequence>(document, arguments, 3));
    return view;
}

// OrderedDict(), defaultdict(factory). Python 3 adds their items afterwards. Python 2 passed a list of items
// instead; these files never do, and a hostile one could have the same list copied many times.
Value makeDictionary(const Document& document, const Sequence& arguments) {
    if (!arguments.items.empty() && document.as<Sequence>(arguments.items[0]) != nullptr)
        throw Damaged("a dictionary is made from a list");
    return Dictionary{};
}

} // namespace

Ref store(Document& document, Value value) {
    if (document.values.size() >= maxValues) throw Damaged("it holds too many values");
    document.values.push_back(std::move(value));
    return static_cast<Ref>(document.values.size() - 1);
}

Ref call(Document& document, Ref callee, Ref arguments) {
    // _rebuild_from_type_v2 calls another function; each round of the loop follows one such call.
    constexpr int deepest = 8;
    for (int depth = 0; depth < deepest; ++depth) {
        const auto* function = document.as<Global>(callee);
        const auto* sequence = document.as<Sequence>(arguments);
        if (function == nullptr || sequence == nullptr)
            throw Damaged("a call is not of a function with arguments");
        switch (function->meaning) {
        case Meaning::inert:
        case Meaning::storage:
            return store(document, Opaque{});
        case Meaning::dictionary:
            return store(document, makeDictionary(document, *sequence));
        case Meaning::rebuildTensor:
            return store(document, rebuildTensor(document, *sequence));
        case Meaning::tuple:
            argument<Sequence>(document, *sequence, 0);
            return sequence->items[0];
        case Meaning::rebuildParameter:
            argument<TensorView>(document, *sequence, 0);
            return sequence->items[0];
        case Meaning::rebuildFromType:
            argument<Global>(document, *sequence, 0);
            argument<Sequence>(document, *sequence, 2);
            callee = sequence->items[0];
            arguments = sequence->items[2];
            break;
        }
    }
    throw Damaged("calls are nested too deeply");
}

Ref loadPersistent(Document& document, Ref id) {
    const auto* tuple = document.as<Sequence>(id);
    if (tuple == nullptr) throw Damaged("a persistent id is not a tuple");
    const auto& type = argument<Global>(document, *tuple, 1);
    if (argument<Text>(document, *tuple, 0).utf8 != "storage" || type.meaning != Meaning::storage)
        throw Damaged("a persistent id is not that of a storage");
    const auto key = argument<Text>(document, *tuple, 2).utf8;
    // The key names an entry of the archive. PyTorch uses numbers: "0", "1", ...
    constexpr std::size_t maxKeyLength = 256; // bytes
    if (key.size() > maxKeyLength) throw Damaged("a storage's key is too long");
    return store(document, Storage{type.name, key, argument<std::int64_t>(document, *tuple, 4)});
}

} // namespace earshot::model::pickle
