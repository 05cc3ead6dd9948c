// Clips are the recording's samples, bit by bit, whatever it stores.
#include "Core/Batch/Cutting.h"

#include "../Audio/WavBytes.h"
#include "Core/Audio/AudioFile.h"
#include "Core/Audio/RecordingStart.h"
#include "Core/Base/Error.h"
#include "Core/Base/WholeFile.h"
#include "Support/Catch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace earshot;
using batch::Clip;
using batch::ClipFormat;
using batch::CutEvent;
namespace fs = std::filesystem;

namespace {

// A WAV of random bytes: all values that the format has.
struct Source {
    unsigned tag = 1, channels = 1, rate = 44100, bits = 16;
    std::string data;

    Source(unsigned formatTag, unsigned width, unsigned bitsEach, unsigned hertz, std::size_t frames)
        : tag(formatTag)
        , channels(width)
        , rate(hertz)
        , bits(bitsEach) {
        std::mt19937 random(1);
        const std::size_t bytes = frames * channels * bits / 8;
        if (tag == 3 && bits == 32)
            for (std::size_t i = 0; i < bytes / 4; ++i) put(static_cast<float>(random()) / 3e9f - 0.7f);
        else if (tag == 3)
            for (std::size_t i = 0; i < bytes / 8; ++i) put(static_cast<double>(random()) / 3e9 - 0.7);
        else
            for (std::size_t i = 0; i < bytes; ++i) data.push_back(static_cast<char>(random() & 0xff));
    }

    template <typename Number>
    void put(Number value) {
        char bytes[sizeof(value)];
        std::memcpy(bytes, &value, sizeof(value));
        data.append(bytes, sizeof(value));
    }

    void write(const fs::path& file) const {
        test::writeBytes(file,
                         test::wavFile(test::wavChunk("fmt ", test::wavFormat(tag, channels, rate, bits)) +
                                       test::wavChunk("data", data)));
    }

    std::string slice(std::size_t begin, std::size_t end) const {
        const std::size_t frame = std::size_t{channels} * bits / 8;
        return data.substr(begin * frame, (end - begin) * frame);
    }
};

// The body of a chunk of a WAV; an empty one if it has none.
std::string chunkOf(const fs::path& file, const std::string& name) {
    const std::string bytes = test::readBytes(file);
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
        std::uint32_t size = 0;
        std::memcpy(&size, bytes.data() + at + 4, sizeof(size));
        if (bytes.compare(at, 4, name) == 0) return bytes.substr(at + 8, size);
        at += 8 + size + size % 2;
    }
    return {};
}

std::vector<Clip> cutAll(batch::CutSettings settings, const fs::path& recording,
                         const std::vector<CutEvent>& events) {
    std::vector<Clip> clips;
    batch::Cutter cutter(std::move(settings));
    CHECK(cutter.cut(
        recording, events, [] { return true; },
        [&](const Clip& clip) {
            clips.push_back(clip);
            return true;
        }));
    return clips;
}

Clip cutOne(const batch::CutSettings& settings, const fs::path& recording, const CutEvent& event) {
    const auto clips = cutAll(settings, recording, {event});
    REQUIRE(clips.size() == 1);
    INFO(clips[0].problem);
    CHECK(clips[0].state == Clip::State::written);
    return clips[0];
}

} // namespace

TEST_CASE("a clip has the recording's bits, as WAV and through FLAC", "[unit]") {
    const test::TemporaryDirectory folder;
    int flacs = 0;
    using Kinds = std::initializer_list<std::pair<unsigned, unsigned>>;
    for (const auto& [tag, bits] : Kinds{{1, 8}, {1, 16}, {1, 24}, {1, 32}, {3, 32}, {3, 64}})
        for (const unsigned channels : {1u, 2u, 6u})
            for (const unsigned rate : {8000u, 44100u, 47999u, 192000u}) {
                CAPTURE(tag, bits, channels, rate);
                const Source source(tag, channels, bits, rate, rate / 4 + 123);
                source.write(folder / "a.wav");
                const double onset = 0.0501, offset = 0.2113;
                const auto begin = static_cast<std::size_t>(std::lround(onset * rate)),
                           end = static_cast<std::size_t>(std::lround(offset * rate));
                const CutEvent event{.onset = onset, .offset = offset, .label = "Dog"};
                fs::remove_all(folder / "out");
                const auto clip = cutOne({.folder = folder / "out"}, folder / "a.wav", event);
                CHECK(clip.file.filename() == "a_00000.050_Dog.wav");
                CHECK((chunkOf(clip.file, "data") == source.slice(begin, end)));
                CHECK(chunkOf(clip.file, "fmt ").substr(2, 14) ==
                      test::wavFormat(tag, channels, rate, bits).substr(2, 14));
                if (tag == 3 || bits == 32) continue;
                // All of it as FLAC, and a clip of that as WAV.
                ++flacs;
                const CutEvent all{.onset = 0.0, .offset = 1e9, .label = "all"};
                const auto flac =
                    cutOne({.folder = folder / "out", .format = ClipFormat::flac}, folder / "a.wav", all);
                CHECK(flac.file.extension() == ".flac");
                CHECK(test::readBytes(flac.file).starts_with("fLaC"));
                const auto back =
                    cutOne({.folder = folder / "out", .format = ClipFormat::wav}, flac.file, event);
                CHECK((chunkOf(back.file, "data") == source.slice(begin, end)));
                CHECK(cutOne({.folder = folder / "out"}, flac.file, all).file.extension() == ".flac");
            }
    CHECK(flacs == 3 * 3 * 4);
}

TEST_CASE("samples that are no numbers stay what they are in floating point", "[unit]") {
    const test::TemporaryDirectory folder;
    Source source(3, 1, 32, 8000, 1000);
    const float values[] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                            3.5f};
    std::memcpy(source.data.data() + 400, values, sizeof(values));
    source.write(folder / "a.wav");
    const CutEvent event{.onset = 0.01, .offset = 0.02, .label = "x"};
    const auto clip = cutOne({.folder = folder / "out"}, folder / "a.wav", event);
    CHECK((chunkOf(clip.file, "data") == source.slice(80, 160)));
    const auto again = cutAll({.folder = folder / "out"}, folder / "a.wav", {event});
    CHECK(again[0].state == Clip::State::present);
    // FLAC has 24 bits: 3.5 is clipped, and the user is told.
    batch::Cutter cutter({.folder = folder / "out", .format = ClipFormat::flac});
    fs::path flac;
    cutter.cut(
        folder / "a.wav", std::vector{event}, [] { return true; },
        [&](const Clip& each) {
            flac = each.file;
            return true;
        });
    REQUIRE(cutter.remarks().size() == 1);
    CHECK_THAT(cutter.remarks()[0], ContainsSubstring("WAV keeps every bit"));
    audio::AudioFile file(flac);
    CHECK(file.stored().samples == audio::Samples::int24);
    std::vector<float> samples(80);
    CHECK(file.read(samples) == 80);
    CHECK(samples[20] == 1.0f - 1.0f / 8388608.0f);
    CHECK(samples[21] == 0.0f);
    CHECK(samples[22] == samples[20]);
}

TEST_CASE("speakers of a WAV with a channel mask stay", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source source(1, 6, 16, 48000, 4800);
    const std::string pcm("\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", 16);
    const unsigned mask = 0x60f; // side instead of rear
    test::writeBytes(folder / "a.wav",
                     test::wavFile(test::wavChunk("fmt ", test::extensibleFormat(6, 48000, 16, mask, pcm)) +
                                   test::wavChunk("data", source.data)));
    const auto clip =
        cutOne({.folder = folder / "out"}, folder / "a.wav", {.onset = 0, .offset = 0.05, .label = "x"});
    CHECK((chunkOf(clip.file, "data") == source.slice(0, 2400)));
    const auto format = chunkOf(clip.file, "fmt ");
    REQUIRE(format.size() == 40);
    CHECK(format.substr(20, 4) == test::littleEndian(mask, 4));
    const auto third = cutOne({.folder = folder / "third", .reading = {.channel = 3}}, folder / "a.wav",
                              {.onset = 0, .offset = 0.05, .label = "x"});
    const auto one = chunkOf(third.file, "data");
    REQUIRE(one.size() == 4800);
    for (std::size_t i = 0; i < 2400; ++i) REQUIRE(one.substr(2 * i, 2) == source.data.substr(12 * i + 4, 2));
}

TEST_CASE("handles reach as far as the recording", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source source(1, 1, 16, 1000, 3000);
    source.write(folder / "a.wav");
    const batch::CutSettings settings{.folder = folder / "out", .handles = 0.5};
    const auto frames = [&](double onset, double offset) {
        const auto clip =
            cutOne(settings, folder / "a.wav", {.onset = onset, .offset = offset, .label = "x"});
        const auto found = std::pair(std::lround(clip.begin * 1000), std::lround(clip.end * 1000));
        CHECK((chunkOf(clip.file, "data") ==
               source.slice(static_cast<std::size_t>(found.first), static_cast<std::size_t>(found.second))));
        return found;
    };
    CHECK(frames(1.0, 1.2) == std::pair(500L, 1700L));
    CHECK(frames(0.2, 0.3) == std::pair(0L, 800L));
    CHECK(frames(-0.2, 0.3) == std::pair(0L, 800L));
    CHECK(frames(2.9, 3.4) == std::pair(2400L, 3000L));
    CHECK(frames(1.5, 1.5) == std::pair(1000L, 2000L)); // a moment
    CHECK(frames(1.2344, 1.2356) == std::pair(734L, 1736L));
    CHECK(frames(1.0625, 1.3125) == std::pair(563L, 1813L)); // halves: 562.5 and 1812.5
    const auto none =
        cutAll({.folder = folder / "out"}, folder / "a.wav",
               {{.onset = 1.0, .offset = 1.0, .label = "x"}, {.onset = 7, .offset = 8, .label = "x"}});
    REQUIRE(none.size() == 2);
    CHECK(none[0].state == Clip::State::failed);
    CHECK_THAT(none[0].problem, ContainsSubstring("handles cut around it"));
    CHECK(none[1].state == Clip::State::failed);
    CHECK_THAT(none[1].problem, ContainsSubstring("a.wav") && ContainsSubstring("beyond the end"));
}

TEST_CASE("clips are numbered where names meet, stay where they are, and replace nothing", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source source(1, 2, 16, 8000, 16000);
    source.write(folder / "a.wav");
    std::vector<CutEvent> events;
    for (int i = 0; i < 4; ++i)
        events.push_back({.onset = 0.4 * i, .offset = 0.4 * i + 0.5, .label = i % 2 == 0 ? "Dog" : "dog"});
    batch::CutSettings settings{.folder = folder / "out", .rule = batch::ClipRule("{label}/{recording}")};
    const auto first = cutAll(settings, folder / "a.wav", events);
    const std::vector<fs::path> expected = {"Dog/a.wav", "dog/a-2.wav", "Dog/a-3.wav", "dog/a-4.wav"};
    REQUIRE(first.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(first[i].file == folder / "out" / expected[i]);
        CHECK(first[i].state == Clip::State::written);
    }
    fs::remove(first[2].file);
    test::writeBytes(first[3].file, "another's");
    const auto second = cutAll(settings, folder / "a.wav", events);
    CHECK(second[0].state == Clip::State::present);
    CHECK(second[1].state == Clip::State::present);
    CHECK(second[2].state == Clip::State::written);
    CHECK(second[3].state == Clip::State::failed);
    CHECK_THAT(second[3].problem, ContainsSubstring("a-4.wav") && ContainsSubstring("--overwrite"));
    CHECK(test::readBytes(first[3].file) == "another's");
    // One sample differs, or there is one more.
    auto bytes = test::readBytes(first[0].file);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    test::writeBytes(first[0].file, bytes);
    CHECK(cutAll(settings, folder / "a.wav", events)[0].state == Clip::State::failed);
    events[1].offset += 1.0 / 8000;
    CHECK(cutAll(settings, folder / "a.wav", events)[1].state == Clip::State::failed);
    settings.overwrite = true;
    for (const Clip& clip : cutAll(settings, folder / "a.wav", events))
        CHECK(clip.state != Clip::State::failed);
    CHECK((chunkOf(first[3].file, "data") == source.slice(9600, 13600)));
    // The recording itself is never replaced.
    const auto before = test::readBytes(folder / "a.wav");
    const auto itself = cutAll({.folder = folder.path(),
                                .rule = batch::ClipRule("{recording}"),
                                .overwrite = true,
                                .inputs = {folder / "a.wav"}},
                               folder / "a.wav", {events[0]});
    CHECK(itself[0].state == Clip::State::failed);
    CHECK(test::readBytes(folder / "a.wav") == before);
}

TEST_CASE("a clip knows when it began", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source source(1, 1, 16, 8000, 16000);
    const fs::path file = folder / "20261025_023000.wav";
    source.write(file);
    for (const ClipFormat format : {ClipFormat::wav, ClipFormat::flac}) {
        const auto clip = cutOne({.folder = folder / "out",
                                  .rule = batch::ClipRule("{recording}_{number}_{clock}"),
                                  .handles = 0.25,
                                  .format = format},
                                 file, {.onset = 1.5, .offset = 1.7, .label = "x", .number = 7});
        CHECK(clip.file.stem() == "20261025_023000_0007_2026-10-25_02-30-01.250");
        REQUIRE(audio::startOf(clip.file));
        CHECK(isoText(*audio::startOf(clip.file)) == "2026-10-25T02:30:01.250");
    }
}

TEST_CASE("a stopped cut leaves whole clips only", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source source(1, 1, 16, 48000, 480000);
    source.write(folder / "a.wav");
    batch::Cutter cutter({.folder = folder / "out"});
    int asked = 0;
    const std::vector<CutEvent> events = {{.onset = 0, .offset = 1, .label = "x"},
                                          {.onset = 1, .offset = 10, .label = "x"}};
    CHECK_FALSE(cutter.cut(
        folder / "a.wav", events, [&] { return ++asked < 6; }, [](const Clip&) { return true; }));
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder / "out")) {
        ++files;
        CHECK(entry.path().filename() == "a_00000.000_x.wav");
    }
    CHECK(files == 1);
}

TEST_CASE("what FLAC cannot hold is an error for each clip", "[unit]") {
    const test::TemporaryDirectory folder;
    const Source wide(1, 9, 16, 48000, 480), odd(1, 1, 16, 99999, 9999);
    wide.write(folder / "wide.wav");
    odd.write(folder / "odd.wav");
    for (const char* name : {"wide.wav", "odd.wav"}) {
        const auto clips = cutAll({.folder = folder / "out", .format = ClipFormat::flac}, folder / name,
                                  {{.onset = 0, .offset = 0.01, .label = "x"}});
        CHECK(clips[0].state == Clip::State::failed);
        CHECK_THAT(clips[0].problem, ContainsSubstring("choose WAV"));
        CHECK(
            cutAll({.folder = folder / "out"}, folder / name, {{.onset = 0, .offset = 0.01, .label = "x"}})[0]
                .state == Clip::State::written);
    }
}

TEST_CASE("names of clips are safe on every system", "[unit]") {
    using batch::safeFileName;
    CHECK(safeFileName("Gunshot, explosion") == "Gunshot, explosion");
    CHECK(safeFileName("a/b\\c:d*e?f\"g<h>i|j\nk") == "a_b_c_d_e_f_g_h_i_j_k");
    CHECK(safeFileName("..") == "_");
    CHECK(safeFileName("  . ") == "_");
    CHECK(safeFileName(".hidden") == "_hidden");
    CHECK(safeFileName("end. . ") == "end");
    CHECK(safeFileName("con") == "_con");
    CHECK(safeFileName("LPT1.wav") == "_LPT1.wav");
    CHECK(safeFileName("Console") == "Console");
    CHECK(safeFileName("") == "_");
    CHECK(safeFileName("e\xcc\x81") == "\xc3\xa9");
    CHECK(safeFileName("\xff\xe2\x80\xae!") == "__!");
    const std::string large = safeFileName(std::string(300, 'a') + "\xc3\xa9");
    CHECK(large.size() == 230);
    std::string accents;
    for (int i = 0; i < 200; ++i) accents += "\xc3\xa9";
    CHECK(safeFileName("a" + accents).size() == 229);

    const batch::ClipFacts facts{.recording = "../x",
                                 .label = "A/B",
                                 .onset = 1.5,
                                 .offset = 12345.6789,
                                 .peak = 0.91251,
                                 .number = 12345};
    CHECK(batch::ClipRule("{label}/{recording}_{onset}-{offset} {peak} {number} {clock}.flac").name(facts) ==
          "A_B/_._x_00001.500-12345.679 0.913 12345 unknown");
    CHECK(batch::ClipRule("/../..//{number}").name(facts) == "_/_/12345");
    for (const char* rule : {"", "{labels}", "{", "a}", "{label", "{}", "a/"}) {
        CAPTURE(rule);
        CHECK_THROWS_AS(batch::ClipRule(rule), Error);
    }
    try {
        batch::ClipRule{"{species}"};
        FAIL();
    } catch (const Error& error) {
        CHECK_THAT(error.what(), ContainsSubstring("{species}") && ContainsSubstring("{label}, {onset}"));
    }
    batch::ClipNames names;
    CHECK(names.next("a", ".wav") == "a.wav");
    CHECK(names.next("a-2", ".wav") == "a-2.wav");
    CHECK(names.next("A", ".wav") == "A-3.wav");
    CHECK(names.next("a", ".wav") == "a-4.wav");
    CHECK(names.next("a", ".flac") == "a.flac");
}
