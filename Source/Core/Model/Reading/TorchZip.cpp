#include "Core/Model/Reading/TorchZip.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/DType.h"
#include "Core/Model/Reading/Pickle.h"
#include "Core/Model/Reading/TorchTensors.h"
#include "Core/Model/Reading/ZipArchive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace earshot::model {

namespace {

// Weights hardly pack; half of them zero, or rounded to half precision, makes a fourth of it. What promises
// to unpack to more than this many times the file is made to fill memory. Small files may hold small tables
// of zeros.
constexpr std::uint64_t mostUnpacking = 8;
constexpr std::uint64_t alwaysUnpacked = 1 << 20; // bytes

// What its tensors need of a storage: the elements from `begin` to `end`.
struct Part {
    std::string entry;       // of the archive
    std::uint64_t bytes = 0; // the whole storage's
    std::size_t element = 0; // bytes of one
    std::int64_t begin = 0, end = 0;
    int views = 0;
    std::vector<std::byte> kept; // where several tensors share it, once read

    std::size_t size() const { return static_cast<std::size_t>(end - begin) * element; }
};

// Elements of a strided view in row-major order; `part` begins with the storage's element `begin`.
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
        stored_ = networkTensors(document, displayName(file_));
        for (const auto& [tensorName, stored] : stored_) {
            include(tensorName, stored);
            tensors_.emplace(tensorName, stored.info);
        }
        requirePlausiblePacking(file.size());
    }

    tensor::Tensor read(const std::string& tensorName) override {
        const auto found = stored_.find(tensorName);
        if (found == stored_.end())
            throw Error(fmt::format("{}: has no tensor {}", displayName(file_), printable(tensorName)));
        const StoredTensor& stored = found->second;
        tensor::Tensor result(stored.info.shape);
        if (result.empty()) return result;
        Part& part = parts_.at(stored.storageKey);
        if (stored.info.dtype == DType::float32 && stored.isContiguous() && part.views == 1) {
            archive_.read(part.entry, std::as_writable_bytes(result.values()), byteOffset(part));
            return result;
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
        return result;
    }

  private:
    // The folder within the archive, which torch.save names after the file: "archive/".
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
        if (bytes > pickle::largestPickle)
            throw Error(fmt::format("{}: its description takes {} bytes, at most {} are read",
                                    displayName(file_), bytes, pickle::largestPickle));
        std::vector<char> description(static_cast<std::size_t>(bytes));
        archive_.read(entry, std::as_writable_bytes(std::span(description)));
        return description;
    }

    static std::uint64_t byteOffset(const Part& part) {
        return static_cast<std::uint64_t>(part.begin) * part.element;
    }

    // Adds what a tensor needs to its storage's part.
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
        // One storage is of one type, as PyTorch writes it.
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
        const std::uint64_t most = mostUnpacking * fileBytes + alwaysUnpacked;
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

} // namespace

std::unique_ptr<Checkpoint> openTorchZip(RegularFile file) { return std::make_unique<TorchZipFile>(file); }

} // namespace earshot::model
