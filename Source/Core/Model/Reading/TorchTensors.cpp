#include "Core/Model/Reading/TorchTensors.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/DType.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace earshot::model {

namespace {

using pickle::Document;
using pickle::Ref;

constexpr std::string_view networkTensorName = "patch_embed.proj.weight";

const std::map<std::string_view, DType> storageTypes = {
    {"HalfStorage", DType::float16},   {"BFloat16Storage", DType::bfloat16}, {"FloatStorage", DType::float32},
    {"DoubleStorage", DType::float64}, {"LongStorage", DType::int64},        {"IntStorage", DType::int32},
    {"ShortStorage", DType::int16},    {"CharStorage", DType::int8},         {"ByteStorage", DType::uint8},
    {"UntypedStorage", DType::uint8},  {"BoolStorage", DType::boolean},
};

struct Candidate {
    const pickle::Dictionary* dictionary = nullptr;
    bool holdsNetwork = false;
    int nameRank = 0;
    std::size_t tensors = 0;

    bool isBetterThan(const Candidate& other) const {
        if (holdsNetwork != other.holdsNetwork) return holdsNetwork;
        if (holdsNetwork) return nameRank > other.nameRank;
        return tensors > other.tensors;
    }
};

int rankOfName(std::string_view key) {
    constexpr std::array names = {std::string_view("module"), std::string_view("model"),
                                  std::string_view("state_dict")};
    const auto found = std::find(names.begin(), names.end(), key);
    return found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
}

// Breadth first, so that of equals the outermost wins. Dictionaries may contain themselves.
const pickle::Dictionary* chooseDictionary(const Document& document) {
    std::vector<bool> seen(document.values.size(), false);
    std::vector<std::pair<Ref, int>> queue{{document.root, 0}};
    seen[document.root] = true;
    Candidate best;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const auto [ref, nameRank] = queue[next];
        const auto* dictionary = document.as<pickle::Dictionary>(ref);
        if (dictionary == nullptr) continue;
        Candidate candidate{dictionary, false, nameRank, 0};
        for (const auto& [key, value] : dictionary->entries) {
            const auto* text = document.as<pickle::Text>(key);
            if (text == nullptr) continue;
            if (document.as<pickle::TensorView>(value) != nullptr) {
                ++candidate.tensors;
                candidate.holdsNetwork |= text->utf8.ends_with(networkTensorName);
            } else if (!seen[value]) {
                seen[value] = true;
                queue.emplace_back(value, rankOfName(text->utf8));
            }
        }
        if (candidate.tensors > 0 && candidate.isBetterThan(best)) best = candidate;
    }
    return best.dictionary;
}

// Index of the last element a view touches, or nothing when it reaches outside what 63 bits count.
std::optional<std::int64_t> lastElement(const pickle::TensorView& view) {
    if (view.offset < 0) return std::nullopt;
    std::int64_t last = view.offset;
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
        const auto reach = checkedProduct(view.shape[i] - 1, view.strides[i]);
        if (!reach || *reach > std::numeric_limits<std::int64_t>::max() - last) return std::nullopt;
        last += *reach;
    }
    return last;
}

StoredTensor checkedTensor(const Document& document, const pickle::TensorView& view,
                           const std::string& where) {
    const auto& storage = *document.as<pickle::Storage>(view.storage);
    const auto type = storageTypes.find(storage.type);
    if (type == storageTypes.end())
        throw Error(
            fmt::format("{}: elements of type {} are not supported; expected float16, bfloat16, float32, "
                        "float64 or an integer type",
                        where, printable(storage.type)));

    // A view may repeat elements of its storage (stride 0). That stays small, so that no file of a few bytes
    // asks for gigabytes.
    constexpr std::int64_t mostElements = std::int64_t{1} << 31;
    constexpr std::int64_t mostRepeatedElements = std::int64_t{1} << 24;
    const auto count = checkedElementCount(view.shape);
    if (!count || *count > mostElements || (*count > storage.elements && *count > mostRepeatedElements))
        throw Error(fmt::format("{}: shape {} is too large", where, tensor::describe(view.shape)));
    const auto storageBytes =
        checkedProduct(storage.elements, static_cast<std::int64_t>(byteSize(type->second)));
    bool within = storageBytes && view.shape.size() == view.strides.size() && view.offset >= 0;
    if (within && *count > 0) {
        const auto last = lastElement(view);
        within = last && *last < storage.elements;
    }
    if (!within)
        throw Error(fmt::format("{}: shape {}, strides {}, offset {} reach outside its {} stored elements",
                                where, tensor::describe(view.shape), tensor::describe(view.strides),
                                view.offset, storage.elements));
    StoredTensor stored{
        {type->second, view.shape}, std::string(storage.key), storage.elements, view.offset, view.strides};
    // The stride of an extent of 1 is never taken and may be anything: 0 cannot overflow.
    for (std::size_t i = 0; i < view.shape.size(); ++i)
        if (view.shape[i] <= 1) stored.strides[i] = 0;
    return stored;
}

} // namespace

bool StoredTensor::isContiguous() const {
    if (tensor::elementCount(info.shape) == 0) return true;
    std::int64_t expected = 1;
    for (std::size_t i = info.shape.size(); i > 0; --i) {
        if (info.shape[i - 1] != 1 && strides[i - 1] != expected) return false;
        expected *= info.shape[i - 1];
    }
    return true;
}

std::int64_t StoredTensor::end() const {
    if (tensor::elementCount(info.shape) == 0) return 0;
    std::int64_t last = offset;
    for (std::size_t i = 0; i < info.shape.size(); ++i) last += (info.shape[i] - 1) * strides[i];
    return last + 1;
}

std::map<std::string, StoredTensor> networkTensors(const Document& document, const std::string& file) {
    const auto* dictionary = chooseDictionary(document);
    if (dictionary == nullptr)
        throw Error(fmt::format("{}: holds no named tensors; save a model's state_dict()", file));
    std::map<std::string_view, const pickle::TensorView*> views; // of equal names the last counts
    for (const auto& [key, value] : dictionary->entries) {
        const auto* text = document.as<pickle::Text>(key);
        const auto* view = document.as<pickle::TensorView>(value);
        if (text == nullptr || view == nullptr) continue;
        if (text->utf8.size() > longestTensorName)
            throw Error(fmt::format("{}: tensor {}: its name takes {} bytes, at most {} are read", file,
                                    printable(text->utf8), text->utf8.size(), longestTensorName));
        views[text->utf8] = view;
        if (views.size() > mostTensors)
            throw Error(fmt::format("{}: holds more than {} tensors; save the model's state_dict() alone",
                                    file, mostTensors));
    }
    std::map<std::string, StoredTensor> tensors;
    for (const auto& [name, view] : views) {
        const auto where = fmt::format("{}: tensor {}", file, printable(name));
        tensors.emplace(name, checkedTensor(document, *view, where));
    }
    return tensors;
}

} // namespace earshot::model
