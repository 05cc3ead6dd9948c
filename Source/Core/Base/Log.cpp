#include "Core/Base/Log.h"

#include "Core/Base/Platform/System.h"
#include "Core/Base/Stop.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/Version.h"
#include "Core/Base/WallTime.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace earshot {

namespace {

std::string stamped(std::string_view message) {
    using std::chrono::milliseconds;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t utc = std::chrono::duration_cast<milliseconds>(now).count();
    const int offset = platform::localOffsetAt(utc / 1000);
    const WallTime time{utc + std::int64_t{1000} * offset, offset};
    return fmt::format("{} [{}] {}\n", isoText(time), platform::processId(), message);
}

constexpr const char* fileHeader = "# Earshot log, UTF-8\n";

std::string missingMessages(std::int64_t messages) {
    return stamped(fmt::format("{} messages are missing here: the log could not be written", messages));
}

// The log of the process. Nothing here has a destructor that runs at exit: a thread that was left behind may
// log at the very end.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::mutex processMutex; // guards both
Log* processLog = nullptr;
int sessions = 0;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

} // namespace

std::filesystem::path chosenLogFile() {
    if (const auto chosen = platform::environment("EARSHOT_LOG"); chosen && !chosen->empty())
        return *chosen == "off" ? std::filesystem::path() : std::filesystem::path(*chosen);
    const auto folder = platform::logFolder();
    return folder.empty() ? folder : folder / "earshot.log";
}

Log::Log(std::filesystem::path file, std::string program, std::uint64_t fileBytes)
    : file_(std::move(file))
    , program_(std::move(program))
    , writer_(AppendedFile(file_, fileHeader, {.maxBytes = fileBytes, .isPrivate = true}), missingMessages) {}

Log::~Log() {
    try {
        const std::scoped_lock lock(mutex_);
        endPeriods(Clock::now(), true);
    } catch (const std::exception&) { // no memory for the counts
        return;
    }
}

void Log::begin() {
    const std::scoped_lock lock(mutex_);
    startIfNeeded();
}

void Log::flush() { writer_.flush(); }

// With the mutex.
void Log::startIfNeeded() {
    if (std::exchange(started_, true)) return;
    writer_.append(stamped(fmt::format("Earshot {}: {}", versionAndCommit(), program_)), 1);
}

// With the mutex.
void Log::append(std::string_view message) {
    startIfNeeded();
    writer_.append(stamped(message), 1);
}

// With the mutex: writes the counts of periods that are over.
void Log::endPeriods(Clock::time_point now, bool all) {
    for (auto each = recent_.begin(); each != recent_.end();) {
        const auto& [message, repeat] = *each;
        if (!all && now - repeat.since < period) {
            ++each;
            continue;
        }
        if (repeat.count > 0) append(fmt::format("{} more times: {}", repeat.count, message));
        each = recent_.erase(each);
    }
    if (!all && now - periodStart_ < period) return;
    if (omitted_ > 0) append(fmt::format("{} more messages, which are left out", omitted_));
    periodStart_ = now;
    written_ = 0;
    omitted_ = 0;
}

void Log::write(std::string_view message, Clock::time_point now) {
    std::string line = visibleText(message, replacementCharacter, maxMessage);
    const std::scoped_lock lock(mutex_);
    endPeriods(now, false);
    if (const auto known = recent_.find(line); known != recent_.end()) {
        ++known->second.count;
    } else if (written_ == maxPerPeriod) {
        ++omitted_;
    } else {
        ++written_;
        append(line);
        recent_.emplace(std::move(line), Repeat{now, 0});
    }
}

LogSession::LogSession(const std::string& program, const std::filesystem::path& file, Start start) {
    const std::scoped_lock lock(processMutex);
    if (processLog == nullptr && !file.empty()) {
        auto log = std::make_unique<Log>(file, program);
        if (start == Start::atOnce) log->begin();
        processLog = log.release();
    }
    ++sessions;
}

LogSession::~LogSession() {
    std::unique_ptr<Log> ending; // destroyed without the lock: it may wait
    const std::scoped_lock lock(processMutex);
    if (--sessions == 0) ending.reset(std::exchange(processLog, nullptr));
}

void logMessage(std::string_view message) noexcept {
    try {
        const std::scoped_lock lock(processMutex);
        if (processLog != nullptr) processLog->write(message);
    } catch (...) { // NOLINT(bugprone-empty-catch)
        // There is no memory for the line.
    }
}

void logCaught(std::string_view where) noexcept {
    try {
        try {
            if (const auto caught = std::current_exception()) std::rethrow_exception(caught);
        } catch (const Stopped&) {
            return;
        } catch (const std::exception& error) {
            logMessage(fmt::format("{}: {}", where, error.what()));
        } catch (...) {
            logMessage(fmt::format("{}: an exception of unknown kind", where));
        }
    } catch (...) { // NOLINT(bugprone-empty-catch)
        // There is no memory for the line.
    }
}

std::filesystem::path logFile() {
    const std::scoped_lock lock(processMutex);
    return processLog != nullptr ? processLog->path() : std::filesystem::path();
}

std::string logProblem() {
    const std::scoped_lock lock(processMutex);
    return processLog != nullptr ? processLog->problem() : std::string();
}

void flushLog() {
    const std::scoped_lock lock(processMutex);
    if (processLog != nullptr) processLog->flush();
}

std::string caughtCause() {
    try {
        if (const auto caught = std::current_exception()) std::rethrow_exception(caught);
        return {};
    } catch (const std::bad_alloc&) {
        return "There is not enough memory: close other programs and try again";
    } catch (const std::system_error& error) {
        if (error.code() != std::errc::resource_unavailable_try_again) return error.what();
        return "The system has no thread left: close other programs and try again";
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception of unknown kind";
    }
}

} // namespace earshot
