// What a command reads, held against what it is about to write, before any work is done: no output is an
// input, under whatever name, and no two outputs are one file. Files are compared by device and inode. One
// thread at a time.
//
//     OutputCheck files;
//     files.writes("events.csv");
//     files.reads("model.safetensors", "the model");
//     if (const auto clash = files.clash()) ...
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

struct stat;

namespace earshot {

class OutputCheck {
  public:
    // A file that will be replaced or made.
    void writes(const std::filesystem::path& file);
    // what: completes "would overwrite ...", as "the model". What is not there cannot be lost; devices hold
    // nothing.
    void reads(const std::filesystem::path& file, const std::string& what);
    void readsStandardInput(const std::string& what);

    struct Clash {
        std::filesystem::path output;
        std::filesystem::path input; // by the name it is read under
        std::string what;            // the input is
    };
    // An output that is an input.
    std::optional<Clash> clashWithInput() const;
    // Or two outputs that are one file.
    std::optional<Clash> clash() const;
    // Outputs that are there and hold something.
    const std::vector<std::filesystem::path>& occupied() const { return occupied_; }

  private:
    using Identity = std::pair<dev_t, ino_t>;

    void reads(const struct stat& status, const std::filesystem::path& file, const std::string& what);

    std::vector<std::filesystem::path> outputs_;
    std::map<Identity, std::size_t> there_;                          // outputs, by what they are
    std::map<std::pair<Identity, std::string>, std::size_t> coming_; // by folder and name
    std::vector<std::filesystem::path> occupied_;
    std::map<Identity, std::pair<std::filesystem::path, std::string>> inputs_;
    std::optional<Clash> twins_; // two outputs that are one
};

} // namespace earshot
