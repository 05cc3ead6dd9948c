// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), 64 bits: tells names apart, and protects nothing. Pure
// function: any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace earshot {

// hash: of what comes before.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325u) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

} // namespace earshot
