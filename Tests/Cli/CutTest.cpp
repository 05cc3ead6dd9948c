// Events as files of their own.
#include "Cli/Archive.h"
#include "Support/Catch.h"

#include <cstring>

using namespace earshot;
using test::Archive;
using test::runEarshot;
namespace fs = std::filesystem;

namespace {

test::ProcessResult cut(const std::vector<std::string>& arguments, const test::ProcessOptions& options = {}) {
    std::vector<std::string> words = {"cut"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return runEarshot(words, options);
}

// walk.wav and 5 s of it with three sounds.
struct Walk {
    test::TemporaryDirectory folder;
    std::vector<float> samples = test::noise(5 * 8000, 3);

    Walk() {
        test::writeAudio(folder / "walk.wav", test::AudioFormat::wavPcm16, 8000, 1, samples);
        test::writeBytes(folder / "sounds.csv", "file,onset_s,offset_s,label,peak,confidence\n"
                                                "walk.wav,0.5,1,Dog,0.9,\n"
                                                "walk.wav,2,2.5,Dog,0.5,\n"
                                                "walk.wav,4.75,5,\"Gunshot, explosion\",0.7,\n");
    }
    std::string path(const std::string& name) const { return (folder / name).string(); }
    std::string out() const { return path("out"); }
    std::set<std::string> clips() const {
        return fs::exists(out()) ? test::names(test::contents(out())) : std::set<std::string>();
    }
};

const std::set<std::string> threeClips = {"walk_00000.500_Dog.wav", "walk_00002.000_Dog.wav",
                                          "walk_00004.750_Gunshot, explosion.wav"};

// The samples of a WAV of 16 bits.
std::string dataOf(const fs::path& file) {
    const std::string bytes = test::readBytes(file);
    const auto at = bytes.find("data");
    return at == std::string::npos ? std::string() : bytes.substr(at + 8);
}

} // namespace

TEST_CASE("every table that Earshot writes, and those of others, give the same clips", "[unit]") {
    const Walk walk;
    const std::string rows = "0.5\t1.0\tDog\n2.0\t2.5\tDog\n4.75\t5.0\tGunshot, explosion\n";
    test::writeBytes(walk.folder / "walk.txt", rows);
    test::writeBytes(walk.folder / "walk.Table.1.selections.txt",
                     "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tSpecies\n"
                     "1\tWaveform 1\t1\t0.5\t1\tDog\n1\tSpectrogram 1\t1\t0.5\t1\tDog\n"
                     "2\tWaveform 1\t1\t2\t2.5\tDog\n3\tWaveform 1\t1\t4.75\t5\tGunshot, explosion\n");
    test::writeBytes(walk.folder / "kaleidoscope.csv",
                     "INDIR,FOLDER,IN FILE,OFFSET,DURATION,TOP1MATCH,TOP1DIST,MANUAL ID\n"
                     "D:\\field,,walk.wav,0.5,0.5,Dog,0.1,\nD:\\field,,walk.wav,2,0.5,Dog,0.5,\n"
                     "D:\\field,,walk.wav,4.75,0.25,\"Gunshot, explosion\",0.3,\n");
    test::writeBytes(walk.folder / "sounds.json",
                     R"([{"file":"walk.wav","onset_s":0.5,"offset_s":1.0,"label":"Dog","peak":0.9},
                         {"file":"walk.wav","onset_s":2.0,"offset_s":2.5,"label":"Dog","peak":0.5},
                         {"file":"walk.wav","onset_s":4.75,"offset_s":5.0,"label":"Gunshot, explosion"}])");
    const auto expected = test::readBytes(walk.folder / "walk.wav");
    for (const char* table :
         {"sounds.csv", "walk.txt", "walk.Table.1.selections.txt", "kaleidoscope.csv", "sounds.json"}) {
        CAPTURE(table);
        fs::remove_all(walk.out());
        const auto result = cut({walk.path(table), "--output-dir", walk.out()});
        INFO(result.errors);
        CHECK(result.exitCode == 0);
        CHECK(walk.clips() == threeClips);
        CHECK_THAT(result.errors, ContainsSubstring("3 clips cut"));
        CHECK((dataOf(walk.folder / "out" / "walk_00002.000_Dog.wav") ==
               dataOf(walk.folder / "walk.wav").substr(32000, 8000)));
    }
    // All of them at once: each event counts once.
    fs::remove_all(walk.out());
    const auto all = cut({walk.path("sounds.csv"), walk.path("walk.txt"), walk.path("kaleidoscope.csv"),
                          "--output-dir", walk.out(), "--quiet"});
    CHECK(all.exitCode == 0);
    CHECK(all.errors.empty());
    CHECK(walk.clips() == threeClips);
}

TEST_CASE("results of analyze are cut from where their recordings lie", "[unit]") {
    const Archive archive(3);
    REQUIRE(archive.run("results").exitCode == 0);
    const auto results = archive.folder("results");
    const auto cutFrom = [&](const fs::path& events, const std::string& name) {
        const auto result = cut({events.string(), "--output-dir", archive.folder(name).string(), "--name",
                                 "{label}/{recording}_{number}"});
        INFO(result.errors);
        CHECK(result.exitCode == 0);
        return test::contents(archive.folder(name));
    };
    const auto clips = cutFrom(results, "from folder");
    REQUIRE(clips.size() > 3);
    const auto rows = test::parseCsv(test::readBytes(results / "events.csv"));
    CHECK(clips.size() == rows.size() - 1);
    CHECK(test::names(cutFrom(results / "events.csv", "from csv")) == test::names(clips));
    CHECK(test::names(cutFrom(results / "events.jsonl", "from jsonl")) == test::names(clips));
    CHECK(test::names(cutFrom(results / "events.sqlite", "from sqlite")) == test::names(clips));
    CHECK_FALSE(cutFrom(results / "disc 0/0.wav.raven.txt", "from raven").empty());
    // Moved recordings: --base says where they are.
    fs::rename(archive.in(), archive.folder("moved"));
    const auto lost = cut({results.string(), "--output-dir", archive.folder("lost").string()});
    CHECK(lost.exitCode == 1);
    CHECK_THAT(lost.errors, ContainsSubstring("disc 1/1.wav") && ContainsSubstring("--base"));
    const auto found = cut({results.string(), "--output-dir", archive.folder("based").string(), "--base",
                            archive.folder("moved").string(), "--name", "{label}/{recording}_{number}"});
    CHECK(found.exitCode == 0);
    CHECK(test::changes(test::contents(archive.folder("based")), clips) == "");
    const auto none =
        cut({archive.folder("moved").string(), "--output-dir", archive.folder("none").string()});
    CHECK(none.exitCode == 1);
    CHECK_THAT(none.errors, ContainsSubstring("holds no results"));
}

TEST_CASE("events are chosen by label, by number and the likeliest first", "[unit]") {
    const Walk walk;
    const auto chosen = [&](const std::vector<std::string>& options) {
        fs::remove_all(walk.out());
        std::vector<std::string> words = {walk.path("sounds.csv"), "--output-dir", walk.out(), "--name",
                                          "{number}"};
        words.insert(words.end(), options.begin(), options.end());
        const auto result = cut(words);
        INFO(result.errors);
        CHECK(result.exitCode == 0);
        return walk.clips();
    };
    using Names = std::set<std::string>;
    CHECK(chosen({"--only", "dog"}) == Names{"0001.wav", "0002.wav"});
    CHECK(chosen({"--only", "Gunshot, explosion"}) == Names{"0003.wav"});
    CHECK(chosen({"--only", "Gunshot, explosion, Dog"}) == Names{"0001.wav", "0002.wav", "0003.wav"});
    CHECK(chosen({"--threshold", "0.7"}) == Names{"0001.wav", "0003.wav"});
    CHECK(chosen({"--max", "1"}) == Names{"0001.wav", "0003.wav"});
    CHECK(chosen({"--format", "flac", "--max", "1"}) == Names{"0001.flac", "0003.flac"});
    const auto unknown = cut({walk.path("sounds.csv"), "--output-dir", walk.out(), "--only", "Cat"});
    CHECK(unknown.exitCode == 2);
    CHECK_THAT(unknown.errors, ContainsSubstring("--only: no event is called 'cat'"));
    CHECK(cut({walk.path("sounds.csv"), "--output-dir", walk.out(), "--confidence", "0.5"}).exitCode == 1);
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--handles", "-1"},
                                                  {"--handles", "x"},
                                                  {"--max", "0"},
                                                  {"--format", "mp3"},
                                                  {"--threshold", "2"},
                                                  {"--channel", "0"}}) {
        std::vector<std::string> words = {walk.path("sounds.csv"), "--output-dir", walk.out()};
        words.insert(words.end(), wrong.begin(), wrong.end());
        CHECK(cut(words).exitCode == 2);
    }
    CHECK(cut({walk.path("sounds.csv")}).exitCode == 2);
    const auto rule = cut({walk.path("sounds.csv"), "--output-dir", walk.out(), "--name", "{species}"});
    CHECK(rule.exitCode == 2);
    CHECK_THAT(rule.errors, ContainsSubstring("{species}"));
}

TEST_CASE("what cannot be cut is named, and the rest is cut", "[unit]") {
    const Walk walk;
    test::writeBytes(walk.folder / "broken.wav", "not a sound at all");
    test::writeBytes(walk.folder / "more.csv", "file,onset_s,offset_s,label\n"
                                               "gone.wav,0,1,Dog\ngone.wav,1,2,Dog\n"
                                               "broken.wav,0,1,Dog\n"
                                               "walk.wav,0.5,1,Dog\nwalk.wav,60,61,Dog\nwalk.wav,3,2,Dog\n");
    const auto result = cut({walk.path("more.csv"), walk.path("absent.csv"), "--output-dir", walk.out()});
    CHECK(result.exitCode == 1);
    INFO(result.errors);
    CHECK(walk.clips() == std::set<std::string>{"walk_00000.500_Dog.wav"});
    for (const char* part :
         {"gone.wav", "broken.wav", "60 s to 61 s", "line 7", "absent.csv", "1 clip cut", "4 not cut"})
        CHECK_THAT(result.errors, ContainsSubstring(part));
    CHECK(test::lineCount(result.errors) == 6);
}

TEST_CASE("a second run goes on, and nothing is replaced", "[unit]") {
    const Walk walk;
    const std::vector<std::string> words = {walk.path("sounds.csv"),    "--output-dir", walk.out(), "--table",
                                            walk.path("out/index.csv"), "--handles",    "0.25"};
    REQUIRE(cut(words).exitCode == 0);
    const auto whole = test::contents(walk.out());
    REQUIRE(whole.size() == 4);
    fs::remove(walk.folder / "out" / "walk_00002.000_Dog.wav");
    fs::remove(walk.folder / "out" / "index.csv");
    const auto again = cut(words);
    CHECK(again.exitCode == 0);
    CHECK_THAT(again.errors, ContainsSubstring("1 clip cut") && ContainsSubstring("2 there already"));
    CHECK(test::changes(test::contents(walk.out()), whole) == "");
    CHECK(cut(words).exitCode == 0);

    // The table is one of labels: the clips with what sounds in them, and where they come from.
    const auto rows = test::parseCsv(whole.at("index.csv"));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0] == test::CsvRow{"file", "onset_s", "offset_s", "label", "peak", "confidence", "recording",
                                  "clip_onset_s", "clip_offset_s", "start_time"});
    CHECK(rows[3] == test::CsvRow{"walk_00004.750_Gunshot, explosion.wav", "0.250000", "0.500000",
                                  "Gunshot, explosion", "0.700000", "", "walk.wav", "4.500000", "5.000000",
                                  ""});
    const auto clipsOfClips =
        cut({walk.path("out/index.csv"), "--output-dir", walk.path("second"), "--name", "{number}-{label}"});
    INFO(clipsOfClips.errors);
    CHECK(clipsOfClips.exitCode == 0);

    test::writeBytes(walk.folder / "out" / "walk_00002.000_Dog.wav", "mine");
    test::writeBytes(walk.folder / "out" / "index.csv", "mine");
    const auto refused = cut(words);
    CHECK(refused.exitCode == 1);
    CHECK_THAT(refused.errors, ContainsSubstring("walk_00002.000_Dog.wav: is there already") &&
                                   ContainsSubstring("index.csv: is there already"));
    CHECK(test::readBytes(walk.folder / "out" / "walk_00002.000_Dog.wav") == "mine");
    CHECK(test::readBytes(walk.folder / "out" / "index.csv") == "mine");
    auto overwriting = words;
    overwriting.push_back("--overwrite");
    CHECK(cut(overwriting).exitCode == 0);
    CHECK(test::changes(test::contents(walk.out()), whole) == "");
    // Recordings and tables are never written.
    const auto recording = test::readBytes(walk.folder / "walk.wav");
    CHECK(cut({walk.path("sounds.csv"), "--output-dir", walk.folder.path().string(), "--name", "{recording}",
               "--overwrite", "--only", "Gunshot, explosion"})
              .exitCode == 1);
    CHECK(test::readBytes(walk.folder / "walk.wav") == recording);
    CHECK(cut({walk.path("sounds.csv"), "--output-dir", walk.out(), "--table", walk.path("sounds.csv"),
               "--overwrite"})
              .exitCode == 2);
}

TEST_CASE("killed before or after any rename, the same command cuts the rest", "[unit]") {
    const Walk walk;
    REQUIRE(cut({walk.path("sounds.csv"), "--output-dir", walk.out()}).exitCode == 0);
    const auto whole = test::contents(walk.out());
    int kills = 0;
    for (const std::string when : {"before", "after"})
        for (const int rename : {1, 2, 3}) {
            CAPTURE(when, rename);
            const std::string out = walk.path(when + std::to_string(rename));
            const std::vector<std::string> words = {walk.path("sounds.csv"), "--output-dir", out};
            const auto killed =
                cut(words, {.environment = {{"LD_PRELOAD", test::killLibraryPath()},
                                            {"EARSHOT_KILL", when + ":" + std::to_string(rename)}}});
            kills += killed.exitCode == 128 + SIGKILL ? 1 : 0;
            for (const auto& [name, bytes] : test::contents(out))
                if (!name.ends_with(".partial")) CHECK((bytes == whole.at(name)));
            CHECK(cut(words).exitCode == 0);
            CHECK(test::changes(test::contents(out), whole) == "");
        }
    CHECK(kills == 6);
}

TEST_CASE("full disks and folders that cannot be written end the cut with one line", "[unit]") {
    const Walk walk;
    // A limit to the size of files (in blocks of 512 bytes) stands in for a full disk.
    const auto full =
        test::runProcess("/bin/sh", {"-c", "ulimit -f 2; exec \"$0\" \"$@\"", test::programPath(), "cut",
                                     walk.path("sounds.csv"), "--output-dir", walk.out()});
    CHECK(full.exitCode == 1);
    CHECK(test::lineCount(full.errors) == 1);
    CHECK_THAT(full.errors, ContainsSubstring("cannot be written"));
    CHECK(walk.clips().empty());
    test::writeBytes(walk.folder / "file", "x");
    const auto within = cut({walk.path("sounds.csv"), "--output-dir", walk.path("file/clips")});
    CHECK(within.exitCode == 1);
    CHECK(test::lineCount(within.errors) == 1);
}

TEST_CASE("an hour is cut in little memory", "[unit]") {
    const test::TemporaryDirectory folder;
    constexpr std::uint64_t bytes =
        std::uint64_t{3600} * 48000 * 2 * 4; // 1.4 GB, which the disk does not store
    test::writeAudio(folder / "hour.wav", test::AudioFormat::wavPcm16, 48000, 2, std::vector<float>(2));
    std::string head = test::readBytes(folder / "hour.wav").substr(0, 44);
    const auto put = [&head](std::size_t at, std::uint32_t value) {
        std::memcpy(head.data() + at, &value, 4);
    };
    constexpr std::uint32_t frame = 8, bits = 32;
    put(4, static_cast<std::uint32_t>(bytes + 36));
    put(28, 48000 * frame);
    put(32, frame | bits << 16);
    put(40, static_cast<std::uint32_t>(bytes));
    test::writeBytes(folder / "hour.wav", head);
    fs::resize_file(folder / "hour.wav", 44 + bytes);
    test::writeBytes(folder / "hour.csv",
                     "file,onset_s,offset_s,label\nhour.wav,10,1500,a\nhour.wav,3590,3599,b\n");
    // Without a limit, a clip of half the file would take 570 MB.
    const auto result =
        test::runProcess("/bin/sh", {"-c", "ulimit -v 400000; exec \"$0\" \"$@\"", test::programPath(), "cut",
                                     (folder / "hour.csv").string(), "--output-dir",
                                     (folder / "out").string(), "--format", "flac"});
    INFO(result.errors);
    CHECK(result.exitCode == 0);
    const auto out = test::names(test::contents(folder / "out"));
    CHECK(out == std::set<std::string>{"hour_00010.000_a.flac", "hour_03590.000_b.flac"});
}
