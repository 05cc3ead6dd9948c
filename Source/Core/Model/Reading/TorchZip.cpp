#include "Core/Model/Reading/TorchZip.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/Reading/DType.h"
#include "Core/Model/Reading/Networks.h"
#include "Core/Model/Reading/Pickle.h"
#include "Core/Model/Reading/ZipArchive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace earshot::model {

namespace {

// Weights hardly compress: even if half of them are zero, or if they are rounded to half precision, they
// shrink to a fourth at most. A file that claims to unpack to more than this factor of its size is made to
// fill memory. Small files may hold small tables of zeros.
constexpr std::uint64_t maxUnpackingRatio = 8;
constexpr std::uint64_t alwaysUnpacked = 1 << 20; // bytes

// The part of a storage that its tensors use: the elements from `begin` to `end`.
struct Part {
    std::string entry;       // of the archive
    std::uint64_t bytes = 0; // of the whole storage
    std::size_t element = 0; // bytes of one element
    std::int64_t begin = 0, end = 0;
    int views = 0;               // tensors that use it
    std::vector<std::byte> kept; // the part's bytes, once read, if several tensors share it

    std::size_t size() const { return static_cast<std::size_t>(end - begin) * element; }
};

// Returns a strided view's elements in row-major order. `part` begins with the storage's element `begin`.
std::vector<std::byte> gather(const StoredTensor& stored, std::span<const std::byte> part,
                              std::int64_t begin) {
    const auto& shape = stored.info.shape;
    const std::size_t element = byteSize(stored.info.dtype);
    std::vector<std::byte> result(static_cast<std::size_t>(tensor::elementCount(shape)) * element);
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t position = stored.offset - begin;
    for (std::size_t written = 0; written < result.size(); written += element) {
        std::memcpy(result.data() + written, part.data() + static_cast<std::size_t>(position) * element,
                    element);
        // The next index, counting up from the last dimension.
        for (std::size_t d = shape.size(); d > 0; --d) {
            position += stored.strides[d - 1];
            if (++index[d - 1] < shape[d - 1]) break;
            position -= stored.strides[d - 1] * shape[d - 1];
            index[d - 1] = 0;
        }
    }
    return result;
}

class TorchZipFile : public Checkpoint {
  public:
    explicit TorchZipFile(const RegularFile& file)
        : archive_(file) {
        file_ = file.path();
        format_ = "PyTorch";
        top_ = findTop();
        requireLittleEndian();

        const auto document = pickle::parse(readPickle(), displayName(file_));
        auto found = networkTensors(document, displayName(file_));
        stored_ = std::move(found.tensors);
        dictionary_ = std::move(found.dictionary);
        otherDictionaries_ = std::move(found.others);
        for (const auto& [tensorName, stored] : stored_) {
            include(tensorName, stored);
            tensors_.emplace(tensorName, stored.info);
        }
        requirePlausiblePacking(file.size());
    }

    tensor::Tensor read(const std::string& tensorName) override {
        tensor::Tensor result;
        readInto(tensorName, result);
        return result;
    }

    void readInto(const std::string& tensorName, tensor::Tensor& result) override {
        const auto found = stored_.find(tensorName);
        if (found == stored_.end())
            throw Error(fmt::format("{}: has no tensor {}", displayName(file_), printable(tensorName)));
        requireWeights(tensorName);
        load(found->second, result);
        scaleRows(tensorName, {}, result);
    }

    tensor::Tensor readRows(const std::string& tensorName, std::span<const std::int64_t> rows) override {
        const auto found = stored_.find(tensorName);
        if (found == stored_.end() || !found->second.isContiguous())
            return Checkpoint::readRows(tensorName, rows);
        requireWeights(tensorName);
        const StoredTensor& stored = found->second;
        auto shape = stored.info.shape;
        assert(!shape.empty() && std::ranges::is_sorted(rows));
        shape.front() = static_cast<std::int64_t>(rows.size());
        tensor::Tensor result(shape);
        if (result.empty()) return result;
        const std::size_t element = byteSize(stored.info.dtype);
        const std::size_t rowBytes = result.size() / rows.size() * element;
        std::vector<std::byte> bytes(result.size() * element);
        std::vector<ZipPiece> pieces;
        for (std::size_t i = 0; i < rows.size(); ++i)
            pieces.push_back({static_cast<std::uint64_t>(stored.offset) * element +
                                  static_cast<std::uint64_t>(rows[i]) * rowBytes,
                              std::span(bytes).subspan(i * rowBytes, rowBytes)});
        archive_.read(parts_.at(stored.storageKey).entry, pieces);
        toFloat32(stored.info.dtype, bytes, result.values());
        scaleRows(tensorName, rows, result);
        return result;
    }

  private:
    void load(const StoredTensor& stored, tensor::Tensor& result) {
        if (result.shape() != stored.info.shape || result.empty()) result = tensor::Tensor(stored.info.shape);
        if (result.empty()) return;
        Part& part = parts_.at(stored.storageKey);
        if (stored.info.dtype == DType::float32 && stored.isContiguous() && part.views == 1) {
            archive_.read(part.entry, std::as_writable_bytes(result.values()), byteOffset(part));
            return;
        }
        std::vector<std::byte> own;
        auto& bytes = part.views > 1 ? part.kept : own;
        if (bytes.empty()) {
            std::vector<std::byte> read(part.size());
            archive_.read(part.entry, read, byteOffset(part));
            bytes = std::move(read);
        }
        if (stored.isContiguous())
            toFloat32(
                stored.info.dtype,
                std::span(bytes).subspan(static_cast<std::size_t>(stored.offset - part.begin) * part.element,
                                         result.size() * part.element),
                result.values());
        else
            toFloat32(stored.info.dtype, gather(stored, bytes, part.begin), result.values());
    }

    // Returns the folder inside the archive, such as "archive/". torch.save names it after the file.
    std::string findTop() const {
        constexpr std::string_view description = "data.pkl";
        for (const auto& entry : archive_.names()) {
            const std::size_t slash = entry.find('/');
            if (slash == std::string::npos || entry.substr(slash + 1) != description) continue;
            auto top = entry.substr(0, slash + 1);
            if (archive_.contains(top + "constants.pkl"))
                throw Error(fmt::format("{}: is a TorchScript program; save its weights alone: "
                                        "torch.save(torch.jit.load(FILE).state_dict(), NEW_FILE)",
                                        displayName(file_)));
            return top;
        }
        throw Error(fmt::format(
            "{}: is a zip archive without a PyTorch checkpoint in it; if it contains a model file, "
            "unpack it first",
            displayName(file_)));
    }

    void requireLittleEndian() const {
        const auto entry = top_ + "byteorder";
        if (!archive_.contains(entry)) return; // written before PyTorch 2.1
        constexpr std::string_view expected = "little";
        std::string order(static_cast<std::size_t>(std::min<std::uint64_t>(archive_.size(entry), 16)), '\0');
        if (archive_.size(entry) == order.size())
            archive_.read(entry, std::as_writable_bytes(std::span(order)));
        if (order != expected)
            throw Error(fmt::format(
                "{}: was written with byte order \"{}\"; save it again on a little-endian machine",
                displayName(file_), printable(order)));
    }

    std::vector<char> readPickle() const {
        const auto entry = top_ + "data.pkl";
        const auto bytes = archive_.size(entry);
        if (bytes > pickle::maxPickleBytes)
            throw Error(fmt::format("{}: its description takes {} bytes, at most {} are read",
                                    displayName(file_), bytes, pickle::maxPickleBytes));
        std::vector<char> description(static_cast<std::size_t>(bytes));
        archive_.read(entry, std::as_writable_bytes(std::span(description)));
        return description;
    }

    static std::uint64_t byteOffset(const Part& part) {
        return static_cast<std::uint64_t>(part.begin) * part.element;
    }

    // Extends the part of a tensor's storage by the tensor's elements.
    void include(const std::string& tensorName, const StoredTensor& stored) {
        const auto element = byteSize(stored.info.dtype);
        const auto expected = static_cast<std::uint64_t>(stored.storageElements) * element;
        const auto [place, isNew] = parts_.try_emplace(stored.storageKey);
        Part& part = place->second;
        if (isNew) {
            part.entry = top_ + "data/" + stored.storageKey;
            part.bytes = archive_.size(part.entry);
            part.element = element;
        }
        // PyTorch writes each storage with one type.
        if (part.bytes != expected || part.element != element)
            throw Error(fmt::format("{}: tensor {}: its storage takes {} bytes, expected {}",
                                    displayName(file_), printable(tensorName), part.bytes, expected));
        const auto end = stored.end();
        if (end == 0) return;
        part.begin = part.views == 0 ? stored.offset : std::min(part.begin, stored.offset);
        part.end = std::max(part.end, end);
        ++part.views;
    }

    void requirePlausiblePacking(std::uint64_t fileBytes) const {
        const std::uint64_t most = maxUnpackingRatio * fileBytes + alwaysUnpacked;
        std::uint64_t unpacked = 0;
        for (const auto& [key, part] : parts_) {
            unpacked += part.bytes;
            if (unpacked > most)
                throw Error(fmt::format("{}: its {} bytes would unpack to more than {}, which weights never "
                                        "do; save the model again with torch.save",
                                        displayName(file_), fileBytes, most));
        }
    }

    ZipArchive archive_;
    std::string top_;
    std::map<std::string, StoredTensor> stored_;
    std::map<std::string, Part> parts_; // by key
};

using pickle::Document;
using pickle::Ref;

constexpr std::string_view networkTensorName = "patch_embed.proj.weight";

const std::map<std::string_view, DType> storageTypes = {
    {"HalfStorage", DType::float16},   {"BFloat16Storage", DType::bfloat16}, {"FloatStorage", DType::float32},
    {"DoubleStorage", DType::float64}, {"LongStorage", DType::int64},        {"IntStorage", DType::int32},
    {"ShortStorage", DType::int16},    {"CharStorage", DType::int8},         {"ByteStorage", DType::uint8},
    {"UntypedStorage", DType::uint8},  {"BoolStorage", DType::boolean},
};

// A dictionary of the description, and the way to it.
struct FoundDictionary {
    Ref ref = 0;
    std::size_t above = 0; // its place in the search; its own index for the root
    std::string_view key;  // in the one above
};

struct DictionaryCandidate {
    const pickle::Dictionary* dictionary = nullptr;
    const pickle::TensorView* network = nullptr; // a network's first weights, if there is one
    std::string name;
    int nameRank = 0;
    std::size_t tensors = 0;

    bool isBetterThan(const DictionaryCandidate& other) const {
        if ((network != nullptr) != (other.network != nullptr)) return network != nullptr;
        if (network != nullptr) return nameRank > other.nameRank;
        return tensors > other.tensors;
    }
};

int rankOfName(std::string_view key) {
    constexpr std::array names = {std::string_view("module"), std::string_view("model"),
                                  std::string_view("state_dict")};
    const auto found = std::find(names.begin(), names.end(), key);
    return found == names.end() ? 0 : static_cast<int>(found - names.begin()) + 1;
}

// Returns "outer.model", or nothing if it lies too deep or its name is longer than a tensor's may be.
std::optional<std::string> dictionaryName(const std::vector<FoundDictionary>& places, std::size_t index) {
    constexpr int maxDepth = 16;
    std::string name;
    for (int depth = 0; places[index].above != index; ++depth, index = places[index].above) {
        if (depth == maxDepth || name.size() + places[index].key.size() >= maxTensorNameLength)
            return std::nullopt;
        std::string whole(places[index].key);
        if (!name.empty()) whole.append(".").append(name);
        name = std::move(whole);
    }
    return name;
}

bool haveSameValues(const DictionaryCandidate& a, const DictionaryCandidate& b, const Document& document) {
    return a.network->offset == b.network->offset &&
           document.as<pickle::Storage>(a.network->storage)->key ==
               document.as<pickle::Storage>(b.network->storage)->key;
}

// Returns the dictionary to read, and after it others that hold networks of other values. Searches breadth
// first, so that the outermost of equal dictionaries wins. Dictionaries may contain themselves.
std::vector<DictionaryCandidate> chooseDictionaries(const Document& document) {
    constexpr std::size_t maxDictionaries = 16;
    std::vector<bool> seen(document.values.size(), false);
    std::vector<FoundDictionary> places{{document.root, 0, {}}};
    seen[document.root] = true;
    DictionaryCandidate best;
    std::vector<DictionaryCandidate> networks; // those with names
    for (std::size_t next = 0; next < places.size(); ++next) {
        const auto* dictionary = document.as<pickle::Dictionary>(places[next].ref);
        if (dictionary == nullptr) continue;
        DictionaryCandidate candidate{.dictionary = dictionary,
                                      .network = nullptr,
                                      .name = {},
                                      .nameRank = rankOfName(places[next].key),
                                      .tensors = 0};
        for (const auto& [key, value] : dictionary->entries) {
            const auto* text = document.as<pickle::Text>(key);
            if (text == nullptr) continue;
            if (const auto* view = document.as<pickle::TensorView>(value)) {
                ++candidate.tensors;
                if (text->utf8.ends_with(networkTensorName)) candidate.network = view;
            } else if (!seen[value]) {
                seen[value] = true;
                places.push_back({value, next, text->utf8});
            }
        }
        if (candidate.tensors == 0) continue;
        candidate.name = dictionaryName(places, next).value_or("");
        if (namesAverage(candidate.name)) candidate.nameRank = -1;
        if (candidate.isBetterThan(best)) best = candidate;
        if (candidate.network != nullptr && !candidate.name.empty() && networks.size() < maxDictionaries)
            networks.push_back(std::move(candidate));
    }
    if (best.dictionary == nullptr) return {};
    std::vector<DictionaryCandidate> chosen{best};
    for (auto& network : networks) {
        const bool known = std::ranges::any_of(chosen, [&](const DictionaryCandidate& other) {
            return haveSameValues(network, other, document);
        });
        // A callback may keep some tensors of a network alone.
        const bool whole = 4 * network.tensors >= best.tensors;
        if (!known && whole) chosen.push_back(std::move(network));
    }
    return chosen;
}

// Returns the index of the last element that a view uses, or nothing if it exceeds 63 bits.
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

    // A view may repeat elements of its storage (stride 0). Such a view must be small; otherwise a file of a
    // few bytes could ask for gigabytes.
    constexpr std::int64_t maxElements = std::int64_t{1} << 31;
    constexpr std::int64_t maxRepeatedElements = std::int64_t{1} << 24;
    const auto count = checkedElementCount(view.shape);
    if (!count || *count > maxElements || (*count > storage.elements && *count > maxRepeatedElements))
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
    // The stride of an extent of 1 is never used and may have any value; 0 cannot overflow.
    for (std::size_t i = 0; i < view.shape.size(); ++i)
        if (view.shape[i] <= 1) stored.strides[i] = 0;
    return stored;
}

} // namespace

std::unique_ptr<Checkpoint> openTorchZip(RegularFile file) { return std::make_unique<TorchZipFile>(file); }

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

StoredTensors networkTensors(const Document& document, const std::string& file) {
    const auto chosen = chooseDictionaries(document);
    if (chosen.empty())
        throw Error(fmt::format("{}: holds no named tensors; save a model's state_dict()", file));
    std::map<std::string, const pickle::TensorView*> views; // of equal names the last one counts
    const auto add = [&](const DictionaryCandidate& candidate, const std::string& prefix) {
        for (const auto& [key, value] : candidate.dictionary->entries) {
            const auto* text = document.as<pickle::Text>(key);
            const auto* view = document.as<pickle::TensorView>(value);
            if (text == nullptr || view == nullptr) continue;
            const auto bytes = prefix.size() + text->utf8.size();
            if (bytes > maxTensorNameLength)
                throw Error(fmt::format("{}: tensor {}: its name takes {} bytes, at most {} are read", file,
                                        printable(text->utf8), bytes, maxTensorNameLength));
            views[prefix + std::string(text->utf8)] = view;
            if (views.size() > maxTensors)
                throw Error(fmt::format("{}: holds more than {} tensors; save the model's state_dict() alone",
                                        file, maxTensors));
        }
    };
    StoredTensors found;
    found.dictionary = chosen.front().name;
    add(chosen.front(), "");
    for (const auto& other : std::span(chosen).subspan(1)) {
        found.others.push_back(other.name);
        add(other, other.name + ".");
    }
    for (const auto& [name, view] : views) {
        const auto where = fmt::format("{}: tensor {}", file, printable(name));
        found.tensors.emplace(name, checkedTensor(document, *view, where));
    }
    return found;
}

} // namespace earshot::model
