// Where results go: standard output or the file of --output. Main thread.
//
// A regular file appears whole, at finish(); until then the old file stays. Devices, pipes and files that
// the shell has opened (/dev/stdout, /dev/fd/3) are written at once.
#pragma once

#include "Core/Base/OutputCheck.h"
#include "Core/Base/WholeFile.h"
#include "Core/Batch/Inputs.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace earshot::cli {

// The program that read our standard output has closed it. This is no failure: nobody wants the rest.
class ReaderGone : public std::exception {};

// Returns the number in a name such as /dev/stdout or /dev/fd/3, which stands for an open file of the
// program.
std::optional<int> descriptorNamed(const std::filesystem::path& file);

class OutputStream {
  public:
    // All functions throw WriteError; those that write also throw ReaderGone. Opening a pipe waits for its
    // reader; Ctrl-C then throws Interrupted.
    explicit OutputStream(const std::optional<std::string>& file = std::nullopt);

    bool isTerminal() const;
    void write(std::string_view text); // it can be read at once
    // Makes the file appear. Errors of delayed writes are thrown here at the latest.
    void finish();
    // The same for a run that Ctrl-C ended. The results so far are kept, unless the file existed with
    // content: it then stays as it was, and a note says so.
    void finishInterrupted();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void openDirectly(const std::string& file);
    [[noreturn]] void fail() const;

    std::string name_;
    std::optional<WholeFile> whole_; // the regular file
    bool replaces_ = false;          // the file has content that whole_ would replace
    std::unique_ptr<std::FILE, Close> owned_;
    std::FILE* stream_; // null for a regular file
};

// The rules for the files of every command: no output replaces an input, and none replaces a file with
// content without --overwrite. They are checked before anything is loaded or analysed. Main thread.

// Adds the file of --output, unless the shell has opened it (/dev/stdout).
void addOutput(OutputCheck& files, const std::optional<std::string>& output);
// Adds the model and the label file beside it.
void addModel(OutputCheck& files, const std::filesystem::path& model);
void addRecording(OutputCheck& files, const std::filesystem::path& recording); // or "-"
void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings);

// Throws UsageError for an output that is also an input, and without `overwrite` earshot::Error for outputs
// that have content; it lists their names.
void requireSafe(const OutputCheck& files, bool overwrite);

} // namespace earshot::cli
