// The destination of results: standard output, or the file of --output. Main thread.
//
// A regular file appears whole, at finish(); until then the old one stays. Devices, pipes and files that the
// shell has opened (/dev/stdout, /dev/fd/3) are written as results come.
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

// Thrown when the reader of our standard output has closed it. It is no failure: nobody wants the rest.
class ReaderGone : public std::exception {};

// The number in names such as /dev/stdout and /dev/fd/3, which are a program's open files.
std::optional<int> descriptorNamed(const std::filesystem::path& file);

class OutputStream {
  public:
    // All functions throw WriteError; those that write also throw ReaderGone. Opening a pipe waits for its
    // reader; an interruption then throws Interrupted.
    explicit OutputStream(const std::optional<std::string>& file = std::nullopt);

    bool isTerminal() const;
    void write(std::string_view text);
    void flush();
    // Completes the file. A failed write shows here at the latest.
    void finish();
    // The same after Ctrl-C. The results so far are kept, but never in place of a file that held something:
    // that stays, and a note says so.
    void finishInterrupted();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void openDirectly(const std::string& file);
    [[noreturn]] void fail() const;

    std::string name_;
    std::optional<WholeFile> whole_; // for a regular file
    bool replaces_ = false;          // the file holds something
    std::unique_ptr<std::FILE, Close> owned_;
    std::FILE* stream_; // null for a regular file
};

// The rules of every command's files: none replaces a file that the command reads, and a file that holds
// something is replaced only with --overwrite. Checked before anything is loaded or analysed. Main thread.

// The file of --output, unless the shell has opened it (/dev/stdout).
void addOutput(OutputCheck& files, const std::optional<std::string>& output);
// The model and the list of labels beside it.
void addModel(OutputCheck& files, const std::filesystem::path& model);
void addRecording(OutputCheck& files, const std::filesystem::path& recording); // or "-"
void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings);

// Throws UsageError for an output that is an input, and earshot::Error, with all names, for outputs that hold
// something unless `overwrite`.
void requireSafe(const OutputCheck& files, bool overwrite);

} // namespace earshot::cli
