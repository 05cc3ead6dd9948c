// Where results go: standard output, or the file of --output. Main thread.
//
// A regular file appears whole, at finish(): until then the old one stays. Devices, pipes and what the shell
// has opened (/dev/stdout, /dev/fd/3) are written as it comes.
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

// The program that read our standard output has closed it. No failure: nobody wants the rest.
class ReaderGone : public std::exception {};

// The number in names such as /dev/stdout and /dev/fd/3, under which a program finds its open files.
std::optional<int> descriptorNamed(const std::filesystem::path& file);

class OutputStream {
  public:
    // All functions throw WriteError, those that write ReaderGone too. A pipe waits for its reader here; an
    // interruption of that throws Interrupted.
    explicit OutputStream(const std::optional<std::string>& file = std::nullopt);

    bool isTerminal() const;
    void write(std::string_view text);
    void flush();
    // The file is there. What could not be written shows here at the latest.
    void finish();
    // The same for a run that Ctrl-C ended: what it found is kept, but never in place of a file that held
    // something, which stays as it was. Says so.
    void finishInterrupted();

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void openDirectly(const std::string& file);
    [[noreturn]] void fail() const;

    std::string name_;
    std::optional<WholeFile> whole_; // of a regular file
    bool replaces_ = false;          // a file that holds something
    std::unique_ptr<std::FILE, Close> owned_;
    std::FILE* stream_; // null for a regular file
};

// What holds for every command's files: none replaces what the command reads, and none that holds something
// is replaced without --overwrite. Asked before anything is loaded or heard. Main thread.

// The file of --output, unless it is one that the shell has opened (/dev/stdout).
void addOutput(OutputCheck& files, const std::optional<std::string>& output);
// The model and the list of labels beside it.
void addModel(OutputCheck& files, const std::filesystem::path& model);
void addRecording(OutputCheck& files, const std::filesystem::path& recording); // or "-"
void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings);

// Throws UsageError for an output that is an input, and earshot::Error, with all names, for those that hold
// something unless `overwrite`.
void requireSafe(const OutputCheck& files, bool overwrite);

} // namespace earshot::cli
