// Compares the files that a command reads with those it is about to write, before any work is done. No output
// may be an input, under whatever name, and no two outputs may be one file. Files are compared by device and
// inode. One thread at a time.
//
//     OutputCheck files;
//     files.writes("events.csv");
//     files.reads("model.safetensors", "the model");
//     if (const auto clash = files.clash()) ...
#pragma once

#include "Core/Base/Platform/Files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace earshot {

class OutputCheck {
  public:
    // Adds a file that will be replaced or created.
    void writes(const std::filesystem::path& file);
    // what: completes "would overwrite ...", for example "the model". A missing file and a device are
    // ignored: they cannot be lost.
    void reads(const std::filesystem::path& file, const std::string& what);
    void readsStandardInput(const std::string& what);

    struct Clash {
        std::filesystem::path output;
        std::filesystem::path input; // the name under which it is read
        std::string what;            // what the input is
    };
    // The first output that is an input, if any.
    std::optional<Clash> clashWithInput() const;
    // The first two outputs that are one file, if any.
    std::optional<Clash> clash() const;
    // The outputs that exist and hold something.
    const std::vector<std::filesystem::path>& occupied() const { return occupied_; }

  private:
    using Identity = std::pair<std::uint64_t, std::uint64_t>; // device, file

    void reads(const platform::FileStatus& status, const std::filesystem::path& file,
               const std::string& what);

    std::vector<std::filesystem::path> outputs_;
    std::map<Identity, std::size_t> there_; // outputs that exist, by identity
    // outputs to be created, by folder and name
    std::map<std::pair<Identity, std::string>, std::size_t> coming_;
    std::vector<std::filesystem::path> occupied_;
    std::map<Identity, std::pair<std::filesystem::path, std::string>> inputs_;
    std::optional<Clash> twins_; // two outputs that are one file
};

} // namespace earshot
