#include "Core/Base/Error.h"
#include "Core/Base/Platform/Hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace earshot::platform {

struct Sha256Digest::Impl {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256Digest::Sha256Digest()
    : impl_(std::make_unique<Impl>()) {
    if (!impl_->context || EVP_DigestInit_ex(impl_->context.get(), EVP_sha256(), nullptr) != 1)
        throw Error("SHA-256 is not available in this machine's OpenSSL; install its default provider");
}

Sha256Digest::~Sha256Digest() = default;

void Sha256Digest::add(std::string_view bytes) {
    EVP_DigestUpdate(impl_->context.get(), bytes.data(), bytes.size());
}

std::array<unsigned char, 32> Sha256Digest::finish() {
    std::array<unsigned char, 32> bytes{};
    EVP_DigestFinal_ex(impl_->context.get(), bytes.data(), nullptr);
    return bytes;
}

std::string hashLibrary() { return std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING); }

} // namespace earshot::platform
