#include "Support/TorchMaker.h"

namespace earshot::test {

namespace {

std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
}

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = ~0u;
    for (const char c : bytes) {
        crc ^= static_cast<std::uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string all;
    for (const auto& part : parts) all += part;
    return all;
}

} // namespace

std::string zipArchive(const std::vector<ZipEntry>& entries) {
    std::string archive;
    std::string directory;
    for (const auto& entry : entries) {
        std::string packed;
        if (entry.deflated) // one block, the last, not compressed
            packed = "\x01" + littleEndian(entry.bytes.size(), 2) + littleEndian(~entry.bytes.size(), 2);
        packed += entry.bytes;
        // Version, flags, method, time and date, checksum, sizes, length of the name and of extra fields
        const std::string common = littleEndian(20, 2) + littleEndian(0, 2) +
                                   littleEndian(entry.deflated ? 8 : 0, 2) + littleEndian(0, 4) +
                                   littleEndian(crc32(entry.bytes), 4) + littleEndian(packed.size(), 4) +
                                   littleEndian(entry.claimed != 0 ? entry.claimed : entry.bytes.size(), 4) +
                                   littleEndian(entry.name.size(), 2) + littleEndian(0, 2);
        directory.append("PK\x01\x02").append(littleEndian(20, 2)).append(common);
        directory.append(10, '\0').append(littleEndian(archive.size(), 4)).append(entry.name);
        archive.append("PK\x03\x04").append(common).append(entry.name).append(packed);
    }
    return archive + directory + "PK\x05\x06" + littleEndian(0, 4) + littleEndian(entries.size(), 2) +
           littleEndian(entries.size(), 2) + littleEndian(directory.size(), 4) +
           littleEndian(archive.size(), 4) + littleEndian(0, 2);
}

std::string torchFile(const std::string& pickle,
                      const std::vector<std::pair<std::string, std::string>>& storages) {
    std::vector<ZipEntry> entries{{"archive/data.pkl", pickle}};
    for (const auto& [key, bytes] : storages) entries.push_back({"archive/data/" + key, bytes});
    return zipArchive(entries);
}

namespace pickled {

std::string text(std::string_view utf8) { return "X" + littleEndian(utf8.size(), 4) + std::string(utf8); }

std::string integer(std::int64_t value) {
    return "\x8a\x08" + littleEndian(static_cast<std::uint64_t>(value), 8);
}

std::string global(std::string_view module, std::string_view name) {
    return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

std::string tuple(const std::vector<std::string>& items) { return "(" + joined(items) + "t"; }

std::string list(const std::vector<std::string>& items) { return "](" + joined(items) + "e"; }

std::string dictionary(const std::vector<std::pair<std::string, std::string>>& items) {
    std::string all = "}(";
    for (const auto& [key, value] : items) all += text(key) + value;
    return all + "u";
}

std::string call(const std::string& callee, const std::vector<std::string>& arguments) {
    return callee + tuple(arguments) + "R";
}

std::string storage(std::string_view type, std::string_view key, std::int64_t elements) {
    return tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(elements)}) + "Q";
}

std::string tensor(const std::string& storage, std::int64_t offset, const std::vector<std::int64_t>& shape,
                   const std::vector<std::int64_t>& strides) {
    const auto integers = [](const std::vector<std::int64_t>& values) {
        std::vector<std::string> items;
        items.reserve(values.size());
        for (const auto value : values) items.push_back(integer(value));
        return tuple(items);
    };
    return call(global("torch._utils", "_rebuild_tensor_v2"),
                {storage, integer(offset), integers(shape), integers(strides), "\x89", "}"});
}

std::string document(const std::string& value) { return "\x80\x02" + value + "."; }

} // namespace pickled

} // namespace earshot::test
