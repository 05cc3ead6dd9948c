// The bytes behind an AudioFile: a regular file, a pipe copied to an unnamed temporary file so that decoders
// can seek in it, or a pipe itself for decoders that need not. One thread at a time.
#pragma once

#include "Core/Audio/PipeInput.h"
#include "Core/Base/RegularFile.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::audio {

class InputFile {
  public:
    // A stretch of the bytes that are read, up to the next one.
    struct Stretch {
        static constexpr std::int64_t zeros = -1;

        std::int64_t begin = 0; // where it begins in what is read
        std::int64_t from = 0;  // where it lies in the file; `zeros`: nowhere
        char fill = '\0';       // where it lies nowhere: each of its bytes
    };

    // Throws UnreachableError, naming the file, when it is missing or unreadable, and Error when it is a
    // directory, a device or empty. A pipe is copied to its end if pipes are allowed, and is an Error
    // otherwise.
    static InputFile open(const std::filesystem::path& file, Pipes pipes = Pipes::refused);
    // Copies standard input to its end.
    static InputFile standardInput();
    // Copies the rest of a pipe, of which no more than is kept was read.
    static InputFile copyOf(PipeInput& pipe);
    // The pipe as it comes: it seems endless, and bytes that are neither kept nor next cannot be read.
    static InputFile flowing(std::shared_ptr<PipeInput> pipe);
    // Bytes in memory; `name` is that of messages.
    static InputFile inMemory(std::string bytes, const std::string& name);

    // From here on reads `head`, then the stretches, `size` bytes in all. The first stretch begins where the
    // head ends, and each where the one before it ends. The position becomes 0.
    void rearrange(std::string head, std::vector<Stretch> stretches, std::int64_t size);

    // From here on ends there.
    void cutAt(std::int64_t size);

    // An empty file that no name leads to; `name` is that of messages. Throws Error where there is no room.
    static InputFile temporary(const std::string& name);
    // Writes at the end of a temporary one. Throws Error where there is no room.
    void append(std::string_view bytes);

    const std::string& name() const { return name_; }       // the name in messages
    std::int64_t size() const { return size_; }             // bytes
    int descriptor() const { return descriptor_.number(); } // of the file as it is

    // Returns the bytes read. They are fewer than asked for at the end or after a failure (see failed()).
    std::size_t read(void* destination, std::size_t bytes);
    // Returns the new position, or -1. `whence` is that of lseek().
    std::int64_t seek(std::int64_t offset, int whence);
    std::int64_t position() const;
    // Whether the operating system failed to read the file (a disk or network failure).
    bool failed() const { return failed_; }

  private:
    InputFile(platform::Descriptor descriptor, std::string name);
    std::size_t readFile(char* destination, std::size_t bytes);
    std::size_t readStretch(char* destination, std::size_t bytes);

    platform::Descriptor descriptor_;
    std::string name_;
    std::int64_t size_ = 0;
    bool failed_ = false;
    // What is read in place of the file as it is; without stretches the file itself.
    std::string head_;
    std::vector<Stretch> stretches_;
    std::int64_t position_ = 0;
    std::shared_ptr<PipeInput> flow_; // is read instead of all that
};

} // namespace earshot::audio
