#include "Core/Model/TorchZip.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/DType.h"
#include "Core/Model/Pickle.h"
#include "Core/Model/TorchTensors.h"
#include "Core/Model/ZipArchive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace earshot::model {

namespace {

// Elements of a strided view in row-major order.
std::vector<std::byte> gather(const StoredTensor& stored, std::span<const std::byte> storage) {
    const auto& shape = stored.info.shape;
    const std::size_t element = byteSize(stored.info.dtype);
    std::vector<std::byte> result(static_cast<std::size_t>(tensor::elementCount(shape)) * element);
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t position = stored.offset;
    for (std::size_t written = 0; written < result.size(); written += element) {
        std::memcpy(result.data() + written, storage.data() + static_cast<std::size_t>(position) * element,
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
    explicit TorchZipFile(const std::filesystem::path& file)
        : archive_(file) {
        file_ = file;
        format_ = "PyTorch";
        top_ = findTop();
        requireLittleEndian();

        const auto document = pickle::parse(readPickle(), displayName(file_));
        stored_ = networkTensors(document, displayName(file_));
        for (const auto& [tensorName, stored] : stored_) {
            const auto expected =
                static_cast<std::uint64_t>(stored.storageElements) * byteSize(stored.info.dtype);
            const auto found = archive_.size(storageEntry(stored));
            if (found != expected)
                throw Error(fmt::format("{}: tensor {}: its storage takes {} bytes, expected {}",
                                        displayName(file_), printable(tensorName), found, expected));
            tensors_.emplace(tensorName, stored.info);
        }
    }

    tensor::Tensor read(const std::string& tensorName) override {
        const auto found = stored_.find(tensorName);
        if (found == stored_.end())
            throw Error(fmt::format("{}: has no tensor {}", displayName(file_), printable(tensorName)));
        const StoredTensor& stored = found->second;
        const std::size_t element = byteSize(stored.info.dtype);
        const auto storageBytes = static_cast<std::size_t>(stored.storageElements) * element;
        tensor::Tensor result(stored.info.shape);
        if (result.empty()) return result;
        if (stored.info.dtype == DType::float32 && stored.isContiguous() && result.bytes() == storageBytes) {
            archive_.read(storageEntry(stored), std::as_writable_bytes(result.values()));
            return result;
        }
        std::vector<std::byte> storage(storageBytes);
        archive_.read(storageEntry(stored), storage);
        if (stored.isContiguous())
            toFloat32(stored.info.dtype,
                      std::span(storage).subspan(static_cast<std::size_t>(stored.offset) * element,
                                                 result.size() * element),
                      result.values());
        else
            toFloat32(stored.info.dtype, gather(stored, storage), result.values());
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

    std::string storageEntry(const StoredTensor& stored) const { return top_ + "data/" + stored.storageKey; }

    ZipArchive archive_;
    std::string top_;
    std::map<std::string, StoredTensor> stored_;
};

} // namespace

std::unique_ptr<Checkpoint> openTorchZip(const std::filesystem::path& file) {
    return std::make_unique<TorchZipFile>(file);
}

} // namespace earshot::model
