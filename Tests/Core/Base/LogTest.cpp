#include "Core/Base/Log.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Environment.h"
#include "Support/Waiting.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Version.h"

#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <sys/stat.h>

using namespace earshot;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> logLines(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream text(test::readBytes(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

// Without the time and the process.
std::vector<std::string> messagesOf(const fs::path& file) {
    auto lines = logLines(file);
    for (std::string& line : lines)
        if (const auto end = line.find("] "); end != std::string::npos) line.erase(0, end + 2);
    return lines;
}

const std::string firstLine = "# Earshot log, UTF-8";

std::string runLine(const std::string& program) {
    return fmt::format("Earshot {}: {}", versionAndCommit(), program);
}

fs::path older(const fs::path& file) { return file.string() + ".1"; }

} // namespace

TEST_CASE("a log has a line for the run and one for each message, with time and offset", "[unit][log]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "state" / "earshot" / "earshot.log"; // neither folder is there
    {
        Log log(file, "test");
        CHECK_FALSE(fs::exists(file.parent_path())); // a run without a message leaves nothing
        log.write("grün: \x1b[31mred\nand \xff");
    }
    const auto lines = logLines(file);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == firstLine);
    const std::regex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d \[\d+\] .+)");
    CHECK(std::regex_match(lines[1], form));
    CHECK(std::regex_match(lines[2], form));
    CHECK(messagesOf(file)[1] == runLine("test"));
    CHECK(messagesOf(file)[2] == "grün: ?[31mred?and \xef\xbf\xbd");
    CHECK((fs::status(file).permissions() & (fs::perms::group_all | fs::perms::others_all)) ==
          fs::perms::none);
}

TEST_CASE("the time of a log is that of the zone, in summer and winter", "[unit][log]") {
    // The system reads TZ once a process: what it says is compared with what the test's own zone gives.
    std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    const test::TemporaryDirectory folder;
    { Log(folder / "log", "test").begin(); }
    const auto line = logLines(folder / "log").back();
    const auto minutes = local.tm_gmtoff / 60;
    CHECK_THAT(line, ContainsSubstring(fmt::format("{}{:02}:{:02} [", minutes < 0 ? '-' : '+',
                                                   std::abs(minutes) / 60, std::abs(minutes) % 60)));
    CHECK_THAT(line, ContainsSubstring(fmt::format("T{:02}:", local.tm_hour)) ||
                         ContainsSubstring(fmt::format("T{:02}:", (local.tm_hour + 1) % 24)));
}

TEST_CASE("a flood of one message is counted, and one of different messages is cut", "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    const auto start = Log::Clock::now();
    {
        Log log(file, "test");
        for (int i = 0; i < 100'000; ++i) log.write(i % 2 == 0 ? "even" : "odd", start);
        log.write("even", start + Log::period);
        for (int i = 0; i < 1000; ++i) log.write(fmt::format("message {}", i), start + Log::period);
    }
    const auto messages = messagesOf(file);
    REQUIRE(messages.size() == 6 + Log::maxPerPeriod + 1);
    CHECK(messages[2] == "even");
    CHECK(messages[3] == "odd");
    CHECK(messages[4] == "49999 more times: even");
    CHECK(messages[5] == "49999 more times: odd");
    CHECK(messages[6] == "even");
    CHECK(messages[7] == "message 0");
    CHECK(messages.back() ==
          fmt::format("{} more messages, which are left out", 1000 - Log::maxPerPeriod + 1));
}

TEST_CASE("a log is renamed before it grows too large, and an older one goes", "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    constexpr std::uint64_t maxBytes = 2000;
    Log log(file, "test", maxBytes);
    auto now = Log::Clock::now();
    for (int i = 0; i < 300; ++i) {
        log.write(fmt::format("message {}", i), now += Log::period);
        log.flush();
        CHECK(fs::file_size(file) <= maxBytes);
    }
    CHECK(log.problem().empty());
    CHECK(fs::file_size(older(file)) <= maxBytes);
    CHECK(logLines(file).front() == firstLine);
    CHECK(logLines(older(file)).front() == firstLine);
    CHECK(messagesOf(file).back() == "message 299");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
    // No line lies between the two files.
    const auto last = messagesOf(older(file)).back(), next = messagesOf(file).at(1);
    CHECK(std::stoi(next.substr(8)) == std::stoi(last.substr(8)) + 1);
    // A message has an end, too.
    log.write(std::string(1 << 20, 'x'), now += Log::period);
    log.flush();
    CHECK(messagesOf(file).back().size() <= Log::maxMessage);
}

TEST_CASE("several writers share a log that is renamed between them, and lose no line",
          "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    constexpr int writers = 4, messages = 100;
    constexpr std::uint64_t maxBytes = 20'000; // half of what they write: renamed once
    {
        std::vector<std::thread> threads;
        for (int w = 0; w < writers; ++w)
            threads.emplace_back([&file, w] {
                Log log(file, fmt::format("writer {}", w), maxBytes);
                for (int i = 0; i < messages; ++i) {
                    log.write(fmt::format("writer {} {} {}", w, i, std::string(20, '-')));
                    if (i % 10 == 0) log.flush();
                }
            });
        for (auto& thread : threads) thread.join();
    }
    REQUIRE(fs::exists(older(file)));
    auto lines = messagesOf(older(file));
    for (auto& line : messagesOf(file)) lines.push_back(line);
    CHECK(std::ranges::count(lines, firstLine) == 2);
    CHECK(lines.size() == writers * (messages + 1) + 2);
    for (int w = 0; w < writers; ++w)
        for (int i = 0; i < messages; ++i)
            CHECK(std::ranges::count(lines, fmt::format("writer {} {} {}", w, i, std::string(20, '-'))) == 1);
}

TEST_CASE("a file that is not a log of Earshot is neither appended to nor renamed away", "[unit][log]") {
    const test::TemporaryDirectory folder;
    const auto notes = folder / "notes.txt", log = folder / "log";
    const std::string text = "# Earshot lo\nmy own notes\n";
    test::writeBytes(notes, text);
    Log wrong(notes, "test");
    wrong.write("message");
    wrong.flush();
    CHECK(wrong.problem() == "it is not a log of Earshot");
    CHECK(test::readBytes(notes) == text);
    // Nor is one replaced by the older log.
    test::writeBytes(older(log), text);
    Log small(log, "test", 300);
    small.write(std::string(60, 'x'));
    small.flush();
    CHECK(small.problem().empty());
    small.write(std::string(200, 'y'));
    small.flush();
    CHECK(small.problem() == "log.1 beside it is not a log of Earshot");
    CHECK(test::readBytes(older(log)) == text);
}

TEST_CASE("a log that cannot be written holds nobody up", "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto blocked = folder / "file", pipe = folder / "pipe";
    test::writeBytes(blocked, "x");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const auto& file : {blocked / "log", pipe, folder.path()}) {
        const auto start = Log::Clock::now();
        {
            Log log(file, "test");
            for (int i = 0; i < 10'000; ++i) log.write(fmt::format("message {}", i));
            log.flush();
            CHECK_FALSE(log.problem().empty());
        }
        CHECK(Log::Clock::now() - start < std::chrono::seconds(5));
    }
    CHECK(test::readBytes(blocked) == "x");
}

TEST_CASE("a disk that does not answer delays neither a message nor the end of a log",
          "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    { Log(file, "before").begin(); }
    // Another program that keeps the lock stands in for it.
    const auto other = platform::openExisting(file);
    REQUIRE(platform::lock(other.number()));
    const auto start = Log::Clock::now();
    {
        Log log(file, "test");
        for (int i = 0; i < 1000; ++i) log.write(fmt::format("message {}", i));
        CHECK(Log::Clock::now() - start < std::chrono::milliseconds(300));
    }
    CHECK(Log::Clock::now() - start < 2 * BackgroundThread::patience);
    CHECK(messagesOf(file).size() == 2);
}

TEST_CASE("the log is where XDG_STATE_HOME or EARSHOT_LOG says", "[unit][log]") {
    const test::EnvironmentScope home("HOME", "/home/ada"), noState("XDG_STATE_HOME", "");
    {
        const test::EnvironmentScope none("EARSHOT_LOG", "");
#if !defined(__APPLE__)
        CHECK(chosenLogFile() == "/home/ada/.local/state/earshot/earshot.log");
        const test::EnvironmentScope state("XDG_STATE_HOME", "/state");
        CHECK(chosenLogFile() == "/state/earshot/earshot.log");
        const test::EnvironmentScope relative("XDG_STATE_HOME", "state");
        CHECK(chosenLogFile() == "/home/ada/.local/state/earshot/earshot.log");
#endif
        const test::EnvironmentScope nowhere("HOME", "");
        CHECK(chosenLogFile().empty());
    }
    const test::EnvironmentScope file("EARSHOT_LOG", "/tmp/a log");
    CHECK(chosenLogFile() == "/tmp/a log");
    const test::EnvironmentScope off("EARSHOT_LOG", "off");
    CHECK(chosenLogFile().empty());
}

TEST_CASE("what is caught is logged while a session lives, with its cause", "[unit][log][threads]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log";
    const auto log = [](const auto& thrown) {
        try {
            throw thrown;
        } catch (...) {
            logCaught("here");
        }
    };
    log(Error("before"));
    {
        const LogSession first("first", file, LogSession::Start::withFirstMessage);
        CHECK(logFile() == file);
        {
            const LogSession second("second", folder / "other", LogSession::Start::atOnce);
            log(Error("a.wav: is empty"));
        }
        log(std::bad_alloc());
        log(7);
        log(Stopped());
        logCaught("outside of a catch block");
        logMessage("last");
    }
    log(Error("after"));
    CHECK(logFile().empty());
    CHECK(messagesOf(file) == std::vector<std::string>{firstLine, runLine("first"), "here: a.wav: is empty",
                                                       "here: std::bad_alloc",
                                                       "here: an exception of unknown kind", "last"});
    CHECK_FALSE(fs::exists(folder / "other"));
}

TEST_CASE("a cause for a person is the exception's own, unless memory is missing", "[unit][log]") {
    const auto cause = [](const auto& thrown) {
        try {
            throw thrown;
        } catch (...) {
            return caughtCause();
        }
    };
    CHECK(cause(std::runtime_error("the disk is on fire")) == "the disk is on fire");
    CHECK(cause(std::bad_alloc()) == "There is not enough memory: close other programs and try again");
    CHECK(cause(std::system_error(EAGAIN, std::generic_category())) ==
          "The system has no thread left: close other programs and try again");
    CHECK(cause(std::system_error(ENOSPC, std::generic_category())) == "No space left on device");
    CHECK(cause(7) == "an exception of unknown kind");
}
