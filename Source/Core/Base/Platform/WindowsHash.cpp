#include "Core/Base/Error.h"
#include "Core/Base/Platform/Hash.h"

// bcrypt.h needs the types of windows.h before it.
#include <windows.h>

#include <bcrypt.h>

namespace earshot::platform {

struct Sha256Digest::Impl {
    BCRYPT_ALG_HANDLE algorithm = nullptr;
    BCRYPT_HASH_HANDLE hash = nullptr;
    ~Impl() {
        if (hash != nullptr) BCryptDestroyHash(hash);
        if (algorithm != nullptr) BCryptCloseAlgorithmProvider(algorithm, 0);
    }
};

Sha256Digest::Sha256Digest()
    : impl_(std::make_unique<Impl>()) {
    if (BCryptOpenAlgorithmProvider(&impl_->algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0) != 0 ||
        BCryptCreateHash(impl_->algorithm, &impl_->hash, nullptr, 0, nullptr, 0, 0) != 0)
        throw Error("SHA-256 is not available on this machine; repair its installation of Windows");
}

Sha256Digest::~Sha256Digest() = default;

void Sha256Digest::add(std::string_view bytes) {
    BCryptHashData(impl_->hash, reinterpret_cast<PUCHAR>(const_cast<char*>(bytes.data())),
                   static_cast<ULONG>(bytes.size()), 0);
}

std::array<unsigned char, 32> Sha256Digest::finish() {
    std::array<unsigned char, 32> bytes{};
    BCryptFinishHash(impl_->hash, bytes.data(), static_cast<ULONG>(bytes.size()), 0);
    return bytes;
}

std::string hashLibrary() { return "Windows CNG"; }

} // namespace earshot::platform
