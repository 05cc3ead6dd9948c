// A file to which several programs append whole lines: a log. It is opened for each append and closed again,
// so that a file that was moved away (logrotate) is created again under its name, and one that was emptied
// begins with its header again. With a limit to its size, it is renamed to NAME.1 before it would become
// larger, replacing an older one: together they take twice that at most. A file that does not
// begin with the header is then somebody else's and stays as it is. A lock (flock) keeps others that append
// in this way from writing between; where the file system has no locks, each append is still one write at the
// file's end.
//
// After a disk has run full in the middle of a line, the line is cut back, or completed by the next append
// where the file cannot be cut. One thread at a time; it may wait for the disk, and for others up to a
// second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace earshot {

class AppendedFile {
  public:
    struct Limits {
        std::uint64_t maxBytes = 0; // 0: no limit. Lines that are longer than that have a file of their own
        bool isPrivate = false;     // its folder is made, and the file is readable by this user alone
    };
    // header: whole lines, written when the file is empty.
    AppendedFile(std::filesystem::path file, std::string header)
        : AppendedFile(std::move(file), std::move(header), Limits{}) {}
    AppendedFile(std::filesystem::path file, std::string header, Limits limits);

    struct Result {
        std::size_t written = 0; // bytes of the lines, from their beginning
        std::string problem;     // why the rest was not written: a clause; empty: all is written
    };
    // Appends whole lines. The file must be a regular one or not exist yet: a pipe is not waited for. If not
    // all was written, pass the rest again.
    Result append(std::string_view lines);

    const std::filesystem::path& path() const { return file_; }

  private:
    std::string prefixFor(int descriptor, std::uint64_t size) const;
    bool isCurrent(int descriptor) const;
    bool isOurs(int descriptor) const;
    std::string startOver(int descriptor) const;
    Result appendTo(int descriptor, std::uint64_t size, std::string_view lines);

    std::filesystem::path file_;
    std::string header_;
    Limits limits_;
    bool withinLine_ = false; // a line was written in part and could not be cut back
};

} // namespace earshot
