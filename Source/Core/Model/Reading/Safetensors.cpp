#include "Core/Model/Reading/Safetensors.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/DType.h"
#include "Core/Model/Reading/SafetensorsHeader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace earshot::model {

namespace {

class SafetensorsFile : public Checkpoint {
  public:
    explicit SafetensorsFile(RegularFile opened)
        : opened_(std::move(opened)) {
        file_ = opened_.path();
        format_ = "safetensors";
        const auto fileBytes = opened_.size();

        const std::uint64_t headerBytes = readHeaderLength(fileBytes);
        dataBegin_ = lengthBytes + headerBytes;
        std::string json(headerBytes, '\0');
        opened_.read(lengthBytes, std::as_writable_bytes(std::span(json)));
        auto header = parseSafetensorsHeader(json, fileBytes - dataBegin_, displayName(file_));
        metadata_ = std::move(header.metadata);
        for (auto& [tensorName, entry] : header.tensors) {
            begins_.emplace(tensorName, entry.begin);
            tensors_.emplace(tensorName, std::move(entry.info));
        }
    }

    tensor::Tensor read(const std::string& tensorName) override {
        const auto found = tensors_.find(tensorName);
        if (found == tensors_.end())
            throw Error(fmt::format("{}: has no tensor {}", displayName(file_), printable(tensorName)));
        const auto& info = found->second;
        tensor::Tensor result(info.shape);
        const std::uint64_t position = dataBegin_ + begins_.at(tensorName);
        if (info.dtype == DType::float32)
            readStored(position, std::as_writable_bytes(result.values()));
        else
            readConverted(position, info.dtype, result.values());
        return result;
    }

  private:
    static constexpr std::uint64_t lengthBytes = 8;

    std::uint64_t readHeaderLength(std::uint64_t fileBytes) {
        if (fileBytes < lengthBytes)
            throw Error(fmt::format("{}: is too short for safetensors", displayName(file_)));
        std::uint64_t length = 0; // little-endian, as the machine (see DType.cpp)
        opened_.read(0, std::as_writable_bytes(std::span(&length, 1)));
        if (length > safetensorsHeaderLimit)
            throw Error(fmt::format("{}: its safetensors header would take {} bytes, at most {} are allowed",
                                    displayName(file_), length, safetensorsHeaderLimit));
        if (length > fileBytes - lengthBytes)
            throw Error(fmt::format(
                "{}: its header takes {} bytes, the file holds {}: it is cut short, download it again",
                displayName(file_), length, fileBytes - lengthBytes));
        return length;
    }

    // In pieces, so that it can be stopped.
    void readStored(std::uint64_t position, std::span<std::byte> bytes) const {
        constexpr std::size_t mostAtOnce = std::size_t{1} << 20;
        while (!bytes.empty()) {
            stop_.check();
            const auto piece = bytes.first(std::min(bytes.size(), mostAtOnce));
            opened_.read(position, piece);
            position += piece.size();
            bytes = bytes.subspan(piece.size());
        }
    }

    // In pieces that stay in the cache between reading and converting.
    void readConverted(std::uint64_t position, DType dtype, std::span<float> values) {
        constexpr std::size_t pieceElements = 1 << 15;
        std::vector<std::byte> stored(std::min(values.size(), pieceElements) * byteSize(dtype));
        while (!values.empty()) {
            const auto piece = values.first(std::min(values.size(), pieceElements));
            const std::size_t bytes = piece.size() * byteSize(dtype);
            readStored(position, std::span(stored).first(bytes));
            toFloat32(dtype, std::span(stored).first(bytes), piece);
            position += bytes;
            values = values.subspan(piece.size());
        }
    }

    RegularFile opened_;
    std::uint64_t dataBegin_ = 0;
    std::map<std::string, std::uint64_t> begins_; // bytes from dataBegin_
};

} // namespace

std::unique_ptr<Checkpoint> openSafetensors(RegularFile file) {
    return std::make_unique<SafetensorsFile>(std::move(file));
}

} // namespace earshot::model
