// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits. Pure functions: any thread.
#pragma once

#include "Core/Base/Stop.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace earshot {

std::string sha256(std::string_view bytes);
// Reads the file in pieces. Throws earshot::Error, naming it, when it is not a regular file or cannot be
// read, and Stopped after a stop request.
std::string sha256OfFile(const std::filesystem::path& file, const StopToken& stop = {});

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), 64 bits. It tells names apart and protects nothing.
// Pure function: any thread.

// hash: of the bytes before, to continue from them.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325u) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

} // namespace earshot
