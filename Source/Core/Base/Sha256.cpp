#include "Core/Base/Sha256.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"

#include <array>
#include <fstream>
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

std::string sha256OfFile(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> block(std::size_t{1} << 20);
    Digest digest;
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0)
        digest.add({block.data(), static_cast<std::size_t>(stream.gcount())});
    if (!stream.eof()) throw Error(displayName(file) + ": cannot be read; check its name and permissions");
    return digest.hexadecimal();
}

} // namespace earshot
