#include "Core/Base/Sha256.h"

#include "Core/Base/Platform/Hash.h"
#include "Core/Base/RegularFile.h"

#include <vector>

namespace earshot {

namespace {

std::string hexadecimal(platform::Sha256Digest& digest) {
    std::string text;
    for (const unsigned char byte : digest.finish()) {
        text += "0123456789abcdef"[byte >> 4u];
        text += "0123456789abcdef"[byte & 15u];
    }
    return text;
}

} // namespace

std::string sha256(std::string_view bytes) {
    platform::Sha256Digest digest;
    digest.add(bytes);
    return hexadecimal(digest);
}

std::string sha256OfFile(const std::filesystem::path& file, const StopToken& stop) {
    stop.check();
    const RegularFile opened(file);
    std::vector<char> block(std::size_t{1} << 20);
    platform::Sha256Digest digest;
    std::uint64_t position = 0;
    while (const auto count = opened.readSome(position, std::as_writable_bytes(std::span(block)))) {
        stop.check();
        digest.add({block.data(), count});
        position += count;
    }
    return hexadecimal(digest);
}

} // namespace earshot
