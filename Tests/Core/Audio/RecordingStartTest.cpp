#include "Core/Audio/RecordingStart.h"

#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"

#include <chrono>
#include <cstdint>

using namespace earshot;

namespace {

std::string littleEndian(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (; bytes.size() < width; value >>= 8) bytes += static_cast<char>(value & 0xff);
    return bytes;
}

std::string chunk(const std::string& name, const std::string& bytes) {
    return name + littleEndian(bytes.size(), 4) + bytes + std::string(bytes.size() % 2, '\0');
}

std::string wav(const std::string& before, const std::string& behind = {}) {
    const auto format = littleEndian(1, 2) + littleEndian(1, 2) + littleEndian(16000, 4) +
                        littleEndian(32000, 4) + littleEndian(2, 2) + littleEndian(16, 2);
    const auto body =
        "WAVE" + chunk("fmt ", format) + before + chunk("data", std::string(3200, '\1')) + behind;
    return "RIFF" + littleEndian(body.size(), 4) + body;
}

std::string bext(const std::string& date, const std::string& time, std::uint64_t samples) {
    return std::string(320, '\0') + date + time + littleEndian(samples, 8) + std::string(256, '\0');
}

std::string info(const std::string& name, const std::string& text) {
    return chunk("LIST", "INFO" + chunk(name, text));
}

std::string flac(const std::string& blocks) {
    return "fLaC" + std::string("\0\0\0\x22", 4) + std::string(34, '\1') + blocks;
}

std::string flacBlock(int type, const std::string& bytes) {
    return std::string(1, static_cast<char>(type | 0x80)) + '\0' + static_cast<char>(bytes.size() >> 8) +
           static_cast<char>(bytes.size() & 0xff) + bytes;
}

std::string tags(const std::string& tag) {
    return littleEndian(4, 4) + "test" + littleEndian(1, 4) + littleEndian(tag.size(), 4) + tag;
}

const std::string guano = "GUANO|Version:1.0\nMake:X\nTimestamp: 2026-10-25T02:30:00-05:00\nNote:Timestamp\n";
const std::string audioMoth = "Recorded at 03:31:00 25/10/2026 (UTC-5) by AudioMoth 0123456789ABCDEF at "
                              "medium gain while battery was 4.6V.";
const std::string ixml = "<BWFXML><BEXT><BWF_ORIGINATION_DATE>2026-10-25</BWF_ORIGINATION_DATE>"
                         "<BWF_ORIGINATION_TIME>05:33:00</BWF_ORIGINATION_TIME></BEXT></BWFXML>";
const std::string wamd = littleEndian(0, 2) + littleEndian(2, 4) + "\1\1" + littleEndian(5, 2) +
                         littleEndian(25, 4) + "2026-10-25 02:45:00-05:00";

std::string startIn(const std::filesystem::path& file) {
    const auto start = audio::startOf(file);
    return start ? isoText(*start) : "none";
}

std::string startWith(const std::string& bytes, const std::string& name = "a.wav") {
    const test::TemporaryDirectory folder;
    test::writeBytes(folder / name, bytes);
    return startIn(folder / name);
}

} // namespace

TEST_CASE("a recording's start is what its recorder wrote into it", "[unit]") {
    CHECK(startWith(wav({}, chunk("guan", guano))) == "2026-10-25T02:30:00.000-05:00");
    CHECK(startWith(wav(chunk("guan", guano))) == "2026-10-25T02:30:00.000-05:00");
    CHECK(startWith(wav(chunk("wamd", wamd))) == "2026-10-25T02:45:00.000-05:00");
    CHECK(startWith(wav(info("ICMT", audioMoth))) == "2026-10-25T03:31:00.000-05:00");
    CHECK(startWith(wav(info("ICRD", "2026-10-25T06:34:00Z"))) == "2026-10-25T06:34:00.000+00:00");
    CHECK(startWith(wav(chunk("bext", bext("2026-10-25", "04:32:00", 0)))) == "2026-10-25T04:32:00.000");
    CHECK(startWith(wav(chunk("bext", bext("2026:10:25", "04-32-00", 0)))) == "2026-10-25T04:32:00.000");
    CHECK(startWith(wav(chunk("iXML", ixml))) == "2026-10-25T05:33:00.000");
    CHECK(startWith(flac(flacBlock(4, tags("comment=" + audioMoth))), "a.flac") ==
          "2026-10-25T03:31:00.000-05:00");
    CHECK(startWith(flac(flacBlock(2, "riff" + chunk("guan", guano))), "a.flac") ==
          "2026-10-25T02:30:00.000-05:00");
    CHECK(startWith("OggS ... COMMENT=" + audioMoth, "a.ogg") == "2026-10-25T03:31:00.000-05:00");
}

TEST_CASE("milliseconds come from the count of samples since midnight, if it fits the time", "[unit]") {
    const std::uint64_t second = 16000, shown = (4 * 60 + 32) * 60;
    CHECK(startWith(wav(chunk("bext", bext("2026-10-25", "04:32:00", shown * second + 4000)))) ==
          "2026-10-25T04:32:00.250");
    CHECK(startWith(wav(chunk("bext", bext("2026-10-25", "04:32:00", 3600 * second)))) ==
          "2026-10-25T04:32:00.000");
    CHECK(startWith(wav(chunk("bext", bext("2026-10-25", "04:32:00", ~0ull)))) == "2026-10-25T04:32:00.000");
}

TEST_CASE("of several starts the surer one counts, and the name last", "[unit]") {
    const auto all =
        info("ICMT", audioMoth) + chunk("bext", bext("2026-10-25", "04:32:00", 0)) + chunk("iXML", ixml);
    CHECK(startWith(wav(all, chunk("guan", guano)), "20200101_000000.wav") ==
          "2026-10-25T02:30:00.000-05:00");
    CHECK(startWith(wav(all), "20200101_000000.wav") == "2026-10-25T03:31:00.000-05:00");
    CHECK(startWith(wav({}), "20200101_000000.wav") == "2020-01-01T00:00:00.000");
    CHECK(startWith(wav({}), "a.wav") == "none");
    // What makes no sense is absent.
    CHECK(startWith(wav(chunk("bext", bext("0000-00-00", "00:00:00", 0))), "20200101_000000.wav") ==
          "2020-01-01T00:00:00.000");
    CHECK(startWith(wav(chunk("guan", "GUANO|Version:1.0\nTimestamp:soon\n")), "a.wav") == "none");
    CHECK(startIn("no such folder/20200101_000000.wav") == "2020-01-01T00:00:00.000");
}

TEST_CASE("AudioMoth's comments of all its firmware are read", "[unit]") {
    const auto [text, time] = GENERATE(table<std::string, std::string>({
        {"Recorded at 19:00:00 20/10/2018 by AudioMoth 24F319055FDF2902 at gain setting 2",
         "2018-10-20T19:00:00.000"},
        {"Recorded at 19:00:00 20/10/2018 (UTC) by AudioMoth 24F3", "2018-10-20T19:00:00.000+00:00"},
        {"Recorded at 19:00:00 20/10/2018 (UTC+2) by AudioMoth 24F3", "2018-10-20T19:00:00.000+02:00"},
        {"Recorded at 19:00:00 20/10/2018 (UTC+5:30) by AudioMoth", "2018-10-20T19:00:00.000+05:30"},
        {"Recorded at 19:00:00.250 20/10/2018 (UTC) during deployment 0123", "2018-10-20T19:00:00.250+00:00"},
        {"Recorded at noon. Recorded at 19:00:00 20/10/2018 (UTC-10)", "2018-10-20T19:00:00.000-10:00"},
    }));
    const auto start = audio::startInComment(text);
    INFO(text);
    REQUIRE(start);
    CHECK(isoText(*start) == time);
    CHECK_FALSE(audio::startInComment("Recorded at 19:00:00 20/13/2018"));
}

TEST_CASE("names and folders of recorders hold a start", "[unit]") {
    const auto [path, time] = GENERATE(table<std::string, std::string>({
        {"card/20261025_023000.WAV", "2026-10-25T02:30:00.000"},
        {"card/20261025_023000T.WAV", "2026-10-25T02:30:00.000"},
        {"7181.261025023000.wav", "2026-10-25T02:30:00.000"},
        {"7181.261025023000", "2026-10-25T02:30:00.000"},
        {"20261025_023000.3gp", "2026-10-25T02:30:00.000"},
        {"261025_023000/261025_023000_TrLR.WAV", "2026-10-25T02:30:00.000"},
        {"261025_023000/ZOOM0001_Tr1.WAV", "2026-10-25T02:30:00.000"},
        {"20261025/023000.wav", "2026-10-25T02:30:00.000"},
        {"2026-10-25/02-30-00.wav", "2026-10-25T02:30:00.000"},
        {"261025/023000.wav", "2026-10-25T02:30:00.000"},
        {"2026/10/25/023000.wav", "2026-10-25T02:30:00.000"},
        {"20261025_023000/20261025_033000.wav", "2026-10-25T03:30:00.000"},
    }));
    INFO(path);
    const auto start = audio::startInName(path);
    REQUIRE(start);
    CHECK(isoText(*start) == time);
    for (const char* const none : {"20261025/ZOOM0001.wav", "set up 2026-10-25 02-30-00/ABC.wav", "a.wav", "",
                                   "20261025/rec/023000.wav", "261025_0001.wav"})
        CHECK_FALSE(audio::startInName(none));
}

TEST_CASE("damaged metadata gives a start or none, in little time", "[unit]") {
    const auto whole = wav(info("ICMT", audioMoth) + chunk("bext", bext("2026-10-25", "04:32:00", 0)) +
                               chunk("iXML", ixml) + chunk("wamd", wamd),
                           chunk("guan", guano));
    const auto packed = flac(flacBlock(4, tags("comment=" + audioMoth)));
    const test::TemporaryDirectory folder;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        INFO(seed);
        const auto& bytes = seed % 4 == 3 ? packed : whole;
        test::writeBytes(folder / "a.wav", test::mutated(bytes, seed));
        audio::startOf(folder / "a.wav");
        const auto part = test::mutated(seed % 2 == 0 ? guano : wamd, seed);
        audio::startInGuano(part);
        audio::startInWamd(part);
        audio::startInComment(test::mutated(audioMoth, seed));
        audio::startInBext(test::mutated(bext("2026-10-25", "04:32:00", seed), seed), 1e-300 * seed);
        audio::startInIxml(test::mutated(ixml, seed));
        audio::startInName(test::mutated("SMM01234_20261025_023000.123+0200/7181.261025023000.wav", seed));
    }
}

TEST_CASE("huge and endless metadata is read in bounded time", "[unit]") {
    const auto begin = std::chrono::steady_clock::now();
    const std::string long1 = std::string(1 << 20, '2'), long2 = [] {
        std::string text;
        while (text.size() < (1 << 20)) text += "Recorded at 2026-10-25_";
        return text;
    }();
    for (const std::string& text : {long1, long2, std::string(1 << 20, '\n'), std::string(1 << 20, '\0')}) {
        audio::startInGuano(text);
        audio::startInWamd(text);
        audio::startInComment(text);
        audio::startInBext(text, 16000.0);
        audio::startInIxml(text);
        audio::startInName(text);
        startWith(wav(chunk("guan", text) + info("ICMT", text) + chunk("iXML", text) + chunk("wamd", text)));
    }
    // Chunks that point back, or without an end.
    startWith("RF64" + littleEndian(~0ull, 4) + "WAVEds64" + littleEndian(28, 4) + littleEndian(~0ull, 8) +
              littleEndian(~0ull, 8) + std::string(12, '\0') + "data" + littleEndian(~0ull, 4) +
              std::string(100, 'x'));
    startWith(wav([] {
        std::string many;
        for (int i = 0; i < 50'000; ++i) many += chunk("junk", "");
        return many;
    }()));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}
