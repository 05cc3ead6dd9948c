#include "Cli/Output/OutputStream.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Terminal.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace earshot::cli {

namespace {

constexpr std::size_t namesShown = 3;

std::string shortList(const std::vector<std::filesystem::path>& files) {
    std::string text;
    for (std::size_t i = 0; i < std::min(namesShown, files.size()); ++i)
        text += (i == 0 ? "" : ", ") + displayName(files[i]);
    if (files.size() > namesShown) text += fmt::format(" and {} more", files.size() - namesShown);
    return text;
}

} // namespace

namespace fs = std::filesystem;

std::optional<int> descriptorNamed(const fs::path& file) {
    // The number of symbolic links that Linux follows.
    constexpr int maxLinks = 40;
    std::error_code failure;
    const fs::path own = fs::canonical("/dev/fd", failure); // /proc/123/fd on Linux
    if (failure) return std::nullopt;
    fs::path place = file;
    for (int i = 0; i < maxLinks; ++i) {
        const fs::path folder = fs::canonical(place.has_parent_path() ? place.parent_path() : ".", failure);
        const std::string name = place.filename().string();
        int number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (!failure && folder == own && error == std::errc() && end == name.data() + name.size())
            return number;
        const fs::path next = fs::read_symlink(place, failure);
        if (failure) return std::nullopt;
        place = folder / next; // an absolute `next` stands alone
    }
    return std::nullopt;
}

OutputStream::OutputStream(const std::optional<std::string>& file)
    : name_(file.value_or("standard output"))
    , stream_(stdout) {
    if (!file) return;
    const auto status = platform::statusOf(*file);
    const bool isWhole =
        !status || status->kind == platform::FileKind::regular || status->kind == platform::FileKind::folder;
    if (descriptorNamed(*file) || !isWhole) {
        openDirectly(*file);
        return;
    }
    stream_ = nullptr;
    whole_.emplace(*file);
    replaces_ = status && status->size > 0;
}

void OutputStream::openDirectly(const std::string& file) {
    platform::Descriptor descriptor;
    do {
        // A duplicate descriptor shares the file's position; opening the file again would write from its
        // start.
        const auto own = descriptorNamed(file);
        descriptor = own ? platform::duplicate(*own) : platform::openToWrite(file);
        if (!descriptor.isOpen() && errno == EINTR && interrupted()) throw Interrupted();
    } while (!descriptor.isOpen() && errno == EINTR);
    if (!descriptor.isOpen()) failToWrite(name_, errno);
    owned_.reset(platform::streamOf(descriptor.number(), "wb"));
    if (!owned_) failToWrite(name_, errno);
    descriptor.release(); // the stream owns it
    stream_ = owned_.get();
}

bool OutputStream::isTerminal() const { return stream_ != nullptr && platform::isTerminal(stream_); }

void OutputStream::write(std::string_view text) {
    if (whole_) return whole_->write(text);
    if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size() || std::fflush(stream_) != 0) fail();
}

void OutputStream::finish() {
    if (stream_ != nullptr && std::fflush(stream_) != 0) fail();
    if (whole_) whole_->commit();
    if (owned_ && std::fclose(owned_.release()) != 0) fail();
}

void OutputStream::finishInterrupted() {
    if (!replaces_) return finish();
    whole_.reset();
    printNote("stopped; " + displayName(name_) + " stays as it was");
}

void OutputStream::fail() const {
    const int code = errno;
    if (code == EPIPE) throw ReaderGone();
    if (code == EINTR && interrupted()) throw Interrupted();
    if (code == EBADF && !owned_)
        throw WriteError(name_ + ": is closed; leave it open, or send it to a file");
    failToWrite(name_, code);
}

void addOutput(OutputCheck& files, const std::optional<std::string>& output) {
    if (output && !descriptorNamed(*output)) files.writes(*output);
}

void addModel(OutputCheck& files, const std::filesystem::path& model) {
    files.reads(model, "the model");
    if (const auto labels = detection::labelFileBeside(model)) files.reads(*labels, "the model's labels");
}

void addRecording(OutputCheck& files, const std::filesystem::path& recording) {
    if (recording == "-")
        files.readsStandardInput("a recording");
    else
        files.reads(recording, "a recording");
}

void addRecordings(OutputCheck& files, std::span<const batch::Input> recordings) {
    for (const batch::Input& recording : recordings) addRecording(files, recording.path);
}

void requireSafe(const OutputCheck& files, bool overwrite) {
    if (const auto clash = files.clash())
        throw UsageError(fmt::format("{}: would overwrite {}{}; name another file",
                                     displayName(clash->output), clash->what,
                                     clash->input == clash->output ? "" : " " + displayName(clash->input)));
    if (overwrite || files.occupied().empty()) return;
    throw Error(fmt::format("{}: {} there already; name another place, or use --overwrite",
                            shortList(files.occupied()), files.occupied().size() == 1 ? "is" : "are"));
}

} // namespace earshot::cli
