// `earshot listen`, and `earshot analyze -` on pipes without an end. A device is what Tests/Hosts/listen.sh
// tries.
#include "Cli/Earshot.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <set>

using namespace earshot;
using test::AudioFormat;
using test::runEarshot;

namespace {

const std::vector<std::string> sensitive = {"--format", "csv", "--threshold", "0.0001"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The rows without the columns of the file and the time of day.
std::vector<test::CsvRow> eventsOf(const std::string& csv) {
    auto rows = test::parseCsv(csv);
    for (auto& row : rows) {
        REQUIRE(row.size() >= 9);
        row.front().clear();
        row.resize(9);
    }
    std::ranges::sort(rows); // a sound that lasts comes after shorter ones that began later
    return rows;
}

std::vector<test::CsvRow> analyzed(const std::string& file, const std::string& threshold = "0.0001") {
    const auto result = runEarshot({"analyze", file, "--format", "csv", "--threshold", threshold});
    REQUIRE(result.exitCode == 0);
    auto rows = eventsOf(result.output);
    REQUIRE(rows.size() > 1);
    return rows;
}

// Runs a script in which $EARSHOT is the program and $DIR the folder.
test::ProcessResult runScript(const test::TemporaryDirectory& folder, const std::string& script) {
    return test::runProcess(
        "/bin/bash", {"-c", script},
        {.environment = {{"EARSHOT", test::programPath()}, {"DIR", folder.path().string()}}});
}

// Gives the pipe a recording that does not end, waits until the program has written `rows` lines, and ends it
// with a signal.
std::string endlessScript(const std::string& arguments, int rows, const std::string& signal) {
    return fmt::format(R"sh(set -u; cd "$DIR"; mkfifo pipe
"$EARSHOT" {} < pipe > out.csv 2> errors & P=$!
exec 3> pipe; cat sound.wav >&3
for i in $(seq 1200); do [ "$(wc -l < out.csv)" -ge {} ] && break; sleep 0.05; done
used() {{ cut -d' ' -f14 /proc/$P/stat; }} # hundredths of a second: once it has heard all, it waits
for i in $(seq 15); do before=$(used); sleep 2; [ "$(used)" -le $((before + 1)) ] && break; done
wc -l < out.csv > lines-before; kill -{} $P; wait $P; echo "rc $?"; cat errors >&2)sh",
                       arguments, rows, signal);
}

std::vector<std::string> sortedLines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        lines.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    std::ranges::sort(lines);
    return lines;
}

// Noise that changes, so that events begin and end.
std::vector<float> changingNoise(int seconds, int rate) {
    auto samples = test::noise(static_cast<std::size_t>(seconds * rate), 7);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] *= (i / static_cast<std::size_t>(3 * rate)) % 2 == 0 ? 1.0f : 0.001f;
    return samples;
}

} // namespace

TEST_CASE("what is heard live is what is found in the file", "[unit]") {
    const test::TemporaryDirectory folder;
    for (const AudioFormat format :
         {AudioFormat::wavPcm16, AudioFormat::wavFloat, AudioFormat::rf64Float, AudioFormat::flacPcm16}) {
        const std::string file = (folder / "sound").string();
        test::writeAudio(file, format, 44100, 2, changingNoise(12, 44100));
        const auto live = runEarshot(with({"listen", "-"}, sensitive), {.input = test::readBytes(file)});
        INFO(live.errors);
        CHECK(live.exitCode == 0);
        CHECK(eventsOf(live.output) == analyzed(file));
        CHECK_THAT(live.errors, ContainsSubstring(" events in 0:06.00"));
    }
}

TEST_CASE("samples without a header are heard as their options say", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = (folder / "sound.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 32000, 2, changingNoise(8, 32000));
    constexpr std::size_t header = 44;
    const auto samples = test::readBytes(file).substr(header);
    const std::vector<std::string> raw = {"--sample-format", "s16le", "--rate", "32000", "--channels", "2"};
    const auto live = runEarshot(with(with({"listen", "-"}, sensitive), raw), {.input = samples});
    INFO(live.errors);
    CHECK(eventsOf(live.output) == analyzed(file));
    const auto channel =
        runEarshot(with(with({"listen", "-", "--channel", "2"}, sensitive), raw), {.input = samples});
    const auto expected = runEarshot(with({"analyze", file, "--channel", "2"}, sensitive));
    CHECK(eventsOf(channel.output) == eventsOf(expected.output));
}

TEST_CASE("events come before a pipe ends, and a signal ends it cleanly", "[unit]") {
    for (const std::string command : {"listen - --format csv --threshold 0.01 --event-log log.csv",
                                      "analyze - --format csv --threshold 0.01"})
        for (const std::string signal : {"TERM", "INT"}) {
            CAPTURE(command, signal);
            const test::TemporaryDirectory folder;
            const auto file = (folder / "sound.wav").string();
            test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1, changingNoise(40, 32000));
            const auto expected = analyzed(file, "0.01");
            const auto result = runScript(folder, endlessScript(command, 2, signal));
            INFO(result.errors);
            CHECK(std::stoi(test::readBytes(folder / "lines-before")) >= 2); // before the signal
            CHECK(eventsOf(test::readBytes(folder / "out.csv")) == expected);
            const bool live = command.starts_with("listen");
            CHECK(result.output == (live ? "rc 0\n" : "rc 130\n"));
            if (!live) continue;
            CHECK_THAT(result.errors, ContainsSubstring(" events in 0:40.00"));
            auto log = test::readBytes(folder / "log.csv");
            CHECK_THAT(log, ContainsSubstring("\n# ") && ContainsSubstring(" events in 0:40.00"));
            log.erase(log.find("\n# ") + 1);
            CHECK(eventsOf(log) == expected);
        }
}

TEST_CASE("JSON lines come as they are settled, and the same as from the file", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = (folder / "sound.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1, changingNoise(40, 32000));
    const auto result =
        runScript(folder, endlessScript("analyze - --format jsonl --threshold 0.01", 1, "INT"));
    CHECK(std::stoi(test::readBytes(folder / "lines-before")) >= 1);
    auto expected = runEarshot({"analyze", file, "--format", "jsonl", "--threshold", "0.01"}).output;
    for (std::size_t at = 0; (at = expected.find(file, at)) != std::string::npos;)
        expected.replace(at, file.size(), "-");
    CHECK(sortedLines(test::readBytes(folder / "out.csv")) == sortedLines(expected));
}

TEST_CASE("onset_time counts from the start, in the zone that is asked for", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = (folder / "sound.wav").string();
    test::writeAudio(file, AudioFormat::wavPcm16, 32000, 1, changingNoise(8, 32000));
    const auto live = runEarshot(
        with({"listen", "-", "--start", "2026-10-25T02:30:00Z", "--time-zone", "+02:00"}, sensitive),
        {.input = test::readBytes(file)});
    const auto rows = test::parseCsv(live.output);
    REQUIRE(rows.size() > 1);
    CHECK_THAT(rows[1].back(), ContainsSubstring("2026-10-25T04:30:0") && ContainsSubstring("+02:00"));
    const auto now = runEarshot(with({"listen", "-"}, sensitive), {.input = test::readBytes(file)});
    CHECK_THAT(test::parseCsv(now.output)[1].back(), ContainsSubstring("T") && ContainsSubstring("+00:00"));
}

namespace {

// A UDP port of this computer; what arrives waits in it.
class UdpInbox {
  public:
    UdpInbox() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        REQUIRE(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
        port_ = ntohs(address.sin_port);
    }
    ~UdpInbox() { close(socket_); }
    UdpInbox(const UdpInbox&) = delete;
    UdpInbox& operator=(const UdpInbox&) = delete;

    int port() const { return port_; }
    std::vector<std::string> messages() const {
        std::vector<std::string> found;
        std::array<char, 65536> buffer{};
        for (;;) {
            const auto bytes = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (bytes < 0) return found;
            found.emplace_back(buffer.data(), static_cast<std::size_t>(bytes));
        }
    }

  private:
    int socket_ = socket(AF_INET, SOCK_DGRAM, 0);
    int port_ = 0;
};

std::uint32_t bigEndian(const std::string& message, std::size_t fromEnd) {
    std::uint32_t value = 0;
    std::memcpy(&value, message.data() + message.size() - fromEnd, sizeof value);
    return ntohl(value);
}

} // namespace

TEST_CASE("listen sends each event as an OSC message, too", "[unit]") {
    const test::TemporaryDirectory folder;
    const auto file = test::makeNoise(folder / "sound.wav");
    const UdpInbox inbox;
    const auto result =
        runEarshot(with({"listen", "-", "--osc", fmt::format("127.0.0.1:{}", inbox.port())}, sensitive),
                   {.input = test::readBytes(file)});
    REQUIRE(result.exitCode == 0);
    const auto rows = test::parseCsv(result.output);
    const auto messages = inbox.messages();
    REQUIRE(rows.size() > 1);
    REQUIRE(messages.size() == rows.size() - 1);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::string& message = messages[i];
        const auto& row = rows[i + 1];
        const std::string head("/earshot/event\0\0,sfffsifif\0\0", 28);
        REQUIRE(message.starts_with(head));
        CHECK(std::string(message.c_str() + head.size()) == row[3]);
        // At the end: onset and offset, whole seconds and the rest each.
        const auto seconds = [&](std::size_t fromEnd) {
            return bigEndian(message, fromEnd) +
                   static_cast<double>(std::bit_cast<float>(bigEndian(message, fromEnd - 4)));
        };
        CHECK(seconds(16) == Approx(std::stod(row[1])).margin(1e-6));
        CHECK(seconds(8) == Approx(std::stod(row[2])).margin(1e-6));
    }
}

TEST_CASE("listen says what is wrong with its input and its options", "[unit]") {
    const auto says = [](const std::vector<std::string>& words, const std::string& input = {}) {
        const auto result = runEarshot(words, {.input = input});
        CHECK(result.exitCode != 0);
        CHECK(result.output.find("live,") == std::string::npos);
        return result.errors;
    };
    CHECK_THAT(says({"listen"}), ContainsSubstring("INPUT is required"));
    CHECK_THAT(says({"listen", "sound.wav"}), ContainsSubstring("earshot analyze"));
    CHECK_THAT(says({"listen", "-"}), ContainsSubstring("standard input: is empty"));
    CHECK_THAT(says({"listen", "-"}, "this is no sound at all"), ContainsSubstring("--sample-format"));
    CHECK_THAT(says({"listen", "-", "--sample-format", "s16le"}), ContainsSubstring("needs --rate"));
    CHECK_THAT(says({"listen", "-", "--rate", "8000"}), ContainsSubstring("--sample-format"));
    CHECK_THAT(says({"listen", "jack", "--sample-format", "s16le"}), ContainsSubstring("standard input"));
    CHECK_THAT(says({"listen", "-", "--sample-format", "mp3"}), ContainsSubstring("s16le"));
    CHECK_THAT(says({"listen", "-", "--gain", "auto"}), ContainsSubstring("whole recording"));
    CHECK_THAT(says({"listen", "-", "--osc", "9000"}), ContainsSubstring("HOST:PORT"));
    CHECK_THAT(says({"listen", "alsa:no-such-device"}), ContainsSubstring("alsa"));
}
