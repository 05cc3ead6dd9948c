#include "Core/Base/Sha256.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"

#include <array>
#include <memory>
#include <vector>

#include <openssl/evp.h>

namespace earshot {

namespace {

class Digest {
  public:
    Digest()
        : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
            throw Error("SHA-256 is not available in this machine's OpenSSL; install its default provider");
    }

    void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

    std::string hexadecimal() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
        unsigned int count = 0;
        EVP_DigestFinal_ex(context_.get(), bytes.data(), &count);
        std::string text;
        for (unsigned int i = 0; i < count; ++i) {
            text += "0123456789abcdef"[bytes[i] >> 4u];
            text += "0123456789abcdef"[bytes[i] & 15u];
        }
        return text;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

} // namespace

std::string sha256(std::string_view bytes) {
    Digest digest;
    digest.add(bytes);
    return digest.hexadecimal();
}

std::string sha256OfFile(const std::filesystem::path& file, const StopToken& stop) {
    stop.check();
    const RegularFile opened(file);
    std::vector<char> block(std::size_t{1} << 20);
    Digest digest;
    std::uint64_t position = 0;
    while (const auto count = opened.readSome(position, std::as_writable_bytes(std::span(block)))) {
        stop.check();
        digest.add({block.data(), count});
        position += count;
    }
    return digest.hexadecimal();
}

std::string hashLibrary() { return std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING); }

} // namespace earshot
