#include "Core/Formats/EventLog.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/Waiting.h"

#include <fmt/format.h>

#include <csignal>
#include <sstream>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace earshot;
using namespace earshot::formats;
namespace fs = std::filesystem;

namespace {

constexpr const char* header =
    "file,onset_s,offset_s,label,class_index,peak,mean,confidence,channel,onset_time,instance";

// A limit to the size of files stands in for a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before_{};
};

RecordingEvents eventAt(int second) {
    RecordingEvents one;
    one.file = "live";
    one.events = {{static_cast<double>(second), second + 0.5, "Dog", 3, 0.75f, 0.5f}};
    return one;
}

std::string rowAt(int second) {
    return fmt::format("live,{}.000,{}.500,Dog,3,0.750000,0.500000,,,,", second, second);
}

std::vector<std::string> linesOf(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream text(test::readBytes(file));
    for (std::string line; std::getline(text, line);) {
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

bool endsWithLine(const fs::path& file) { return test::readBytes(file).ends_with('\n'); }

std::vector<std::string> expectedLines(int from, int to) {
    std::vector<std::string> lines = {header};
    for (int i = from; i < to; ++i) lines.push_back(rowAt(i));
    return lines;
}

} // namespace

TEST_CASE("a log survives a disk that is full for a moment, with no row torn or lost", "[unit][file-limit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log.csv";
    EventLog log(file, "--event-log");
    for (int i = 0; i < 2; ++i) log.add(eventAt(i));
    log.flush();
    CHECK(linesOf(file) == expectedLines(0, 2));
    CHECK(log.problem().empty());
    {
        // Room for half of the third row.
        const FullDisk full(fs::file_size(file) + rowAt(2).size() / 2);
        for (int i = 2; i < 6; ++i) log.add(eventAt(i));
        CHECK(test::eventually([&] { return !log.problem().empty(); }));
        CHECK_THAT(log.problem(), ContainsSubstring("log.csv: --event-log cannot be written (") &&
                                      ContainsSubstring("Make room"));
        CHECK(linesOf(file) == expectedLines(0, 2));
        CHECK(endsWithLine(file));
    }
    CHECK(test::eventually([&] { return log.problem().empty(); })); // without another event
    log.add(eventAt(6));
    log.flush();
    CHECK(linesOf(file) == expectedLines(0, 7));
    CHECK(log.dropped() == 0);
}

TEST_CASE("of a disk that stays full the oldest events wait, and the dropped ones are counted",
          "[unit][file-limit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log.csv";
    EventLog log(file, "--event-log");
    log.begin();
    log.flush();
    constexpr int events = 40'000;
    {
        const FullDisk full(fs::file_size(file));
        for (int i = 0; i < events; ++i) log.add(eventAt(i));
        CHECK(log.dropped() > 0);
    }
    const auto dropped = log.dropped();
    REQUIRE(test::eventually([&] { return log.problem().empty(); }));
    log.add(eventAt(events));
    log.finish();
    CHECK(log.dropped() == dropped);
    auto lines = linesOf(file);
    const int kept = events - static_cast<int>(dropped);
    REQUIRE(lines.size() == static_cast<std::size_t>(kept) + 3);
    CHECK(lines.back() == rowAt(events));
    lines.pop_back();
    CHECK(lines.back() == fmt::format("# {} events are missing here: the log could not be written", dropped));
    lines.pop_back();
    CHECK(lines == expectedLines(0, kept));
    CHECK(LineWriter::maxWaiting / rowAt(0).size() < 40'000);
}

TEST_CASE("a log that is moved away, removed or emptied begins again with its header", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log.csv", moved = folder / "log.csv.1";
    EventLog log(file, "--event-log");
    log.add(eventAt(0));
    log.flush();
    fs::rename(file, moved);
    log.add(eventAt(1));
    log.flush();
    CHECK(linesOf(moved) == expectedLines(0, 1));
    CHECK(linesOf(file) == expectedLines(1, 2));
    fs::remove(file);
    log.add(eventAt(2));
    log.flush();
    CHECK(linesOf(file) == expectedLines(2, 3));
    fs::resize_file(file, 0); // as logrotate's copytruncate
    log.add(eventAt(3));
    log.flush();
    CHECK(linesOf(file) == expectedLines(3, 4));
    CHECK(log.problem().empty());
}

TEST_CASE("a log waits for its folder, and finishes a line that another program left torn", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "logs" / "log.csv";
    EventLog log(file, "--event-log");
    log.add(eventAt(0));
    CHECK(test::eventually([&] { return !log.problem().empty(); }));
    fs::create_directory(folder / "logs");
    CHECK(test::eventually([&] { return log.problem().empty(); }));
    CHECK(linesOf(file) == expectedLines(0, 1));
    test::writeBytes(file, std::string(header) + "\nlive,0.0");
    log.add(eventAt(1));
    log.flush();
    CHECK(linesOf(file) == std::vector<std::string>{header, "live,0.0", rowAt(1)});
}

TEST_CASE("several logs to one file write one header and whole rows", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = folder / "log.csv";
    constexpr int writers = 4, rows = 200;
    {
        std::vector<std::unique_ptr<EventLog>> logs;
        for (int w = 0; w < writers; ++w) logs.push_back(std::make_unique<EventLog>(file, "--event-log"));
        for (int i = 0; i < rows; ++i)
            for (const auto& log : logs) log->add(eventAt(i));
        for (const auto& log : logs)
            CHECK(test::eventually([&] { return log->flush(), log->problem().empty(); }));
    }
    const auto lines = linesOf(file);
    CHECK(lines.size() == writers * rows + 1);
    CHECK(std::ranges::count(lines, header) == 1);
    CHECK(lines.front() == header);
    for (int i = 0; i < rows; ++i) CHECK(std::ranges::count(lines, rowAt(i)) == writers);
}

TEST_CASE("a log into a pipe or a folder is refused at once, and none is written without a file", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const auto& place : {pipe, folder.path()}) {
        EventLog log(place, "--event-log");
        log.begin();
        log.flush();
        CHECK_THAT(log.problem(), ContainsSubstring("--event-log cannot be written"));
        log.add(eventAt(0));
        log.finish();
        CHECK(log.dropped() == 1);
    }
    EventLog none({}, "--event-log");
    CHECK_FALSE(none.wanted());
    none.add(eventAt(0));
    none.note("nothing");
    none.finish();
    CHECK(none.problem().empty());
}
