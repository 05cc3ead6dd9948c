#include "Core/Model/Reading/SafetensorsWriter.h"

#include "Core/Base/Error.h"
#include "Core/Base/Float16.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/Reading/MetadataEditor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <fstream>
#include <vector>

namespace earshot::model {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace {

std::size_t storedBytes(const NamedTensor& item) { return item.values.size() * byteSize(item.dtype); }

// Puts wider elements first, so that every tensor begins at a multiple of its element's size.
std::vector<const NamedTensor*> inFileOrder(std::span<const NamedTensor> tensors) {
    std::vector<const NamedTensor*> order;
    for (const auto& item : tensors) {
        assert(item.dtype == DType::float32 || item.dtype == DType::float16);
        order.push_back(&item);
    }
    std::stable_partition(order.begin(), order.end(),
                          [](const NamedTensor* item) { return item->dtype == DType::float32; });
    return order;
}

// Returns the header, padded with spaces so that the tensors begin at a multiple of 8 bytes.
std::string headerFor(std::span<const NamedTensor* const> tensors,
                      const std::map<std::string, std::string>& metadata, const std::filesystem::path& file) {
    auto header = nlohmann::json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::size_t offset = 0;
    for (const NamedTensor* item : tensors) {
        assert(static_cast<std::size_t>(tensor::elementCount(item->shape)) == item->values.size());
        assert(!header.contains(item->name));
        const std::size_t end = offset + storedBytes(*item);
        header[item->name] = {{"dtype", item->dtype == DType::float16 ? "F16" : "F32"},
                              {"shape", item->shape},
                              {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const nlohmann::json::exception&) {
        throw Error(fmt::format("{}: cannot be written: a name or its metadata is not UTF-8 text",
                                displayName(file)));
    }
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

} // namespace

void writeSafetensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata) {
    const auto order = inFileOrder(tensors);
    const std::string header = headerFor(order, metadata, file);
    const auto headerBytes = static_cast<std::uint64_t>(header.size());
    WholeFile whole(file);
    whole.write(&headerBytes, sizeof headerBytes);
    whole.write(header);
    std::vector<std::uint16_t> halves;
    for (const NamedTensor* item : order) {
        if (item->dtype == DType::float32) {
            whole.write(item->values.data(), item->values.size_bytes());
            continue;
        }
        halves.resize(item->values.size());
        std::transform(item->values.begin(), item->values.end(), halves.begin(), toFloat16);
        whole.write(halves.data(), halves.size() * sizeof(std::uint16_t));
    }
    whole.commit();
}

namespace {

// Reads the header, after which the tensors follow.
nlohmann::ordered_json headerOf(std::ifstream& file, const std::filesystem::path& path) {
    constexpr std::uint64_t maxHeaderBytes = 100u << 20; // bytes
    std::uint64_t bytes = 0;
    file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
    std::string text(file && bytes <= maxHeaderBytes ? bytes : 0, ' ');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    auto header = nlohmann::ordered_json::parse(file ? text : std::string(), nullptr, false);
    if (!header.is_object())
        throw Error(fmt::format("{}: expected a safetensors file, which alone has metadata of this kind",
                                displayName(path)));
    return header;
}

} // namespace

void copyWithMetadata(const std::filesystem::path& from, const std::filesystem::path& to,
                      const std::string& key, const std::string& text) {
    std::ifstream file(from, std::ios::binary);
    auto header = headerOf(file, from);
    header["__metadata__"][key] = text;
    std::string written = header.dump();
    written.append((8 - written.size() % 8) % 8, ' '); // tensors stay aligned
    const auto bytes = static_cast<std::uint64_t>(written.size());
    WholeFile whole(to);
    whole.write(&bytes, sizeof bytes);
    whole.write(written);
    std::vector<char> block(1u << 20);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0)
        whole.write(block.data(), static_cast<std::size_t>(file.gcount()));
    if (!file.eof()) throw Error(fmt::format("{}: cannot be read to its end", displayName(from)));
    whole.commit();
}

} // namespace earshot::model
