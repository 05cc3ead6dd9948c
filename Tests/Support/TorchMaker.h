// Zip archives and pickles, built byte by byte as PyTorch writes them or as an attacker would.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::test {

struct ZipEntry {
    std::string name;
    std::string bytes;
    bool deflated = false; // deflated in stored blocks (up to 65535 bytes), which keep the bytes as they are
    std::size_t claimed = 0; // a false size for the archive to state
};
std::string zipArchive(const std::vector<ZipEntry>& entries);

// A checkpoint with this data.pkl, and storages by key.
std::string torchFile(const std::string& pickle,
                      const std::vector<std::pair<std::string, std::string>>& storages);

// Pieces of a pickle: each leaves one value on the stack.
namespace pickled {
std::string text(std::string_view utf8);
std::string integer(std::int64_t value);
std::string global(std::string_view module, std::string_view name);
std::string tuple(const std::vector<std::string>& items);
std::string list(const std::vector<std::string>& items);
std::string dictionary(const std::vector<std::pair<std::string, std::string>>& items); // keys are plain text
std::string call(const std::string& callee, const std::vector<std::string>& arguments);
// type: "FloatStorage"
std::string storage(std::string_view type, std::string_view key, std::int64_t elements);
std::string tensor(const std::string& storage, std::int64_t offset, const std::vector<std::int64_t>& shape,
                   const std::vector<std::int64_t>& strides);
// Protocol 2, one value, the end.
std::string document(const std::string& value);
} // namespace pickled

} // namespace earshot::test
