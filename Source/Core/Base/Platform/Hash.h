// SHA-256 by the system's library: OpenSSL (PosixHash.cpp), or Windows' own (WindowsHash.cpp). One thread at
// a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace earshot::platform {

class Sha256Digest {
  public:
    Sha256Digest(); // throws earshot::Error where the system has no SHA-256
    ~Sha256Digest();
    Sha256Digest(const Sha256Digest&) = delete;
    Sha256Digest& operator=(const Sha256Digest&) = delete;

    void add(std::string_view bytes);
    std::array<unsigned char, 32> finish();

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The library's name and version, as "OpenSSL 3.0.20".
std::string hashLibrary();

} // namespace earshot::platform
