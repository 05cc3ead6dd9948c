#include "Core/Audio/ExternalDecoder.h"
#include "Core/Base/Error.h"
#include "Core/Training/Data/DataSetReaders.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"

#include <algorithm>
#include <string>

using namespace earshot::training;
using earshot::test::choiceOf;
using earshot::test::TemporaryDirectory;
using earshot::test::writeBytes;

namespace {

namespace fs = std::filesystem;

// Reading looks at names alone, so that anything will do for a recording.
void placeRecording(const fs::path& file) {
    fs::create_directories(file.parent_path());
    writeBytes(file, "sound");
}

struct Read {
    std::vector<FoundClip> clips;
    std::vector<Problem> problems;

    bool lists(const std::string& where, const std::string& what) const {
        return std::ranges::any_of(problems, [&](const Problem& problem) {
            return problem.where.find(where) != std::string::npos &&
                   problem.what.find(what) != std::string::npos;
        });
    }
};

Read readText(const fs::path& table, const std::string& text) {
    writeBytes(table, text);
    Read read;
    readClipTable(RecordingFinder(table), read.clips, read.problems);
    return read;
}

std::string failureOfData(const DataChoice& choice) {
    try {
        readDataSet(choice);
    } catch (const earshot::Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("a label track is of the recording that has its name", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"walk.flac", "walk2.flac", "gr\xc3\xbcn.wav"}) placeRecording(folder / name);
    for (const char* name : {"walk.txt", "walk.flac.txt", "walk.Table.1.selections.txt"}) {
        CAPTURE(name);
        const auto read = readText(folder / name, "9.0\t13.8\tFlute\n\\\t400.0\t2000.0\n");
        REQUIRE(read.clips.size() == 1);
        CHECK(read.clips[0].file == folder / "walk.flac");
        CHECK(read.clips[0].strong);
        CHECK(read.clips[0].spans.size() == 1);
        CHECK(read.problems.empty());
    }
    CHECK(readText(folder / "gru\xcc\x88n.txt", "1\t2\tWren\n").clips[0].file == folder / "gr\xc3\xbcn.wav");
    // Nothing in it: the recording holds no sound.
    for (const char* text : {"", "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tAnnotation\n"}) {
        const auto silent = readText(folder / "walk.txt", text);
        REQUIRE(silent.clips.size() == 1);
        CHECK(silent.clips[0].strong);
        CHECK(silent.clips[0].spans.empty());
    }
    placeRecording(folder / "walk.wav");
    CHECK_THROWS_WITH(readText(folder / "walk.txt", "1\t2\tWren\n"),
                      ContainsSubstring("several of its name lie beside"));
    CHECK_THROWS_WITH(readText(folder / "labels.txt", "1\t2\tWren\n"),
                      ContainsSubstring("none of its name lies beside"));
}

TEST_CASE("a label track of another name is of the only recording beside it, and that is said", "[unit]") {
    const TemporaryDirectory folder;
    placeRecording(folder / "walk.flac");
    const auto read = readText(folder / "Label Track.txt", "1\t2\tWren\n");
    REQUIRE(read.clips.size() == 1);
    CHECK(read.clips[0].file == folder / "walk.flac");
    CHECK(read.lists("Label Track.txt", "walk.flac, the only one beside it, is taken"));
}

TEST_CASE("paths of other machines lead to the files beside the table, unless two may be meant", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "day 1/b.wav", "c.wav"}) placeRecording(folder / name);
    const auto read =
        readText(folder / "meta.csv", "INDIR,FOLDER,IN FILE,OFFSET,DURATION,MANUAL ID\n"
                                      "D:\\field,day 1,a.wav,0,1,Wren\nD:\\field,day 1,b.wav,0,1,Wren\n"
                                      "D:\\field,day 1,c.wav,0,1,Wren\nD:\\field,day 2,c.wav,0,1,Robin\n"
                                      "D:\\field,day 2,d.wav,0,1,Robin\n");
    REQUIRE(read.clips.size() == 2);
    CHECK(read.clips[0].file == folder / "a.wav");
    CHECK(read.clips[1].file == folder / "day 1/b.wav");
    CHECK(read.lists("meta.csv", "its folders are not here"));
    CHECK(read.lists("line 4", "and other rows name another that ends so"));
    CHECK(read.lists("line 5", "and other rows name another that ends so"));
    CHECK(read.lists("line 6", "there is no file D:/field/day 2/d.wav"));
    // Paths relative to the table mean what they say.
    const auto relative = readText(folder / "own.csv", "file,label\nday 2/a.wav,Wren\n");
    CHECK(relative.clips.empty());
    CHECK(relative.lists("own.csv, line 2",
                         "there is no file day 2/a.wav; files are looked for beside the table"));
    const auto absolute = readText(folder / "own.csv", "file,label\n/field/day 2/a.wav,Wren\n");
    CHECK(absolute.clips.size() == 1);
}

TEST_CASE("composed and decomposed names meet, of files and of labels", "[unit]") {
    const TemporaryDirectory folder;
    const std::string apart = "Gru\xcc\x88nspecht e\xcc\x81", together = "Gr\xc3\xbcnspecht \xc3\xa9";
    placeRecording(folder / (apart + ".wav"));
    const auto read = readText(folder / "t.csv", "file,onset,offset,label\n" + together + ".wav,1,5.8," +
                                                     apart + "\n" + apart + ".wav,6,7," + together + "\n");
    REQUIRE(read.clips.size() == 1);
    CHECK(read.clips[0].file == folder / (apart + ".wav"));
    CHECK(read.clips[0].labels == std::vector<std::string>{together});
    CHECK(read.clips[0].spans.size() == 2);
    CHECK(read.problems.empty());
    placeRecording(folder / "set" / apart / "x.wav");
    Read folders;
    readClassFolders(folder / "set", folders.clips, folders.problems);
    CHECK(folders.clips[0].labels == std::vector<std::string>{together});
}

TEST_CASE("a table that is not in UTF-8 is read, and that is said", "[unit]") {
    const TemporaryDirectory folder;
    placeRecording(folder / "a.wav");
    const auto read = readText(folder / "t.csv", "file,label\na.wav,Gr\xfcnspecht\n");
    CHECK(read.clips.size() == 1);
    CHECK(read.lists("t.csv", "is not in UTF-8"));
}

TEST_CASE("if no row can be used, the reasons stand there by line", "[unit]") {
    const TemporaryDirectory folder;
    placeRecording(folder / "demo.flac");
    const auto failure = [&](const std::string& rows) {
        writeBytes(folder / "t.csv", "file,onset,offset,label\n" + rows);
        auto choice = choiceOf(folder / "t.csv");
        choice.minClips = 0;
        return failureOfData(choice);
    };
    CHECK_THAT(failure("demo1.flac,9,13,Flute\n"),
               ContainsSubstring(
                   "t.csv: no labelled recordings were found: t.csv, line 2: there is no file demo1.flac"));
    CHECK_THAT(failure("demo.flac,9,,Flute\n"),
               ContainsSubstring("line 2: onset and offset must be seconds"));
    CHECK_THAT(failure("demo.flac,9.5,8,Flute\ndemo.flac,x,8,Flute\n"),
               ContainsSubstring("line 2: a sound from 9.5 s to 8 s") &&
                   ContainsSubstring("; t.csv, line 3: onset"));
    std::string many;
    for (int i = 0; i < 30; ++i) many += "demo.flac,9,,Flute\n";
    CHECK_THAT(failure(many), ContainsSubstring("t.csv, line 9: ") && !ContainsSubstring("line 20") &&
                                  ContainsSubstring("; and 23 more"));
    // A recording without sounds is something to score with, and nothing to learn from.
    CHECK(failure("demo.flac,,,\n").empty());
    CHECK_THAT(failureOfData(choiceOf(folder / "t.csv")), ContainsSubstring("no labelled recordings"));
}

TEST_CASE("class folders take the endings that analyze takes, and list what cannot be read", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.bwf", "c.mp2", "d.SND", "e.m4a", "f.WMA", "notes.txt", "sheet.csv"})
        placeRecording(folder / "set/Beeper" / name);
    Read read;
    readClassFolders(folder / "set", read.clips, read.problems);
    CHECK(read.clips.size() == 4);
    CHECK(read.problems.size() == 2);
    CHECK(read.lists("e.m4a",
                     "is audio that Earshot does not read; convert it: ffmpeg -i \"e.m4a\" \"e.flac\", "
                     "or --decode-with ffmpeg"));
    CHECK(read.lists("f.WMA", "ffmpeg"));
    for (const char* name : {"a.wav", "b.bwf", "c.mp2", "d.SND"}) fs::remove(folder / "set/Beeper" / name);
    CHECK_THAT(failureOfData(choiceOf(folder / "set")),
               ContainsSubstring("e.m4a: is audio that Earshot does not read"));
}

TEST_CASE("what ffmpeg alone reads is data while it is wanted, and else named, wherever it lies", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"set/a.m4a", "set/b.wma", "set/c.wav", "set/c.m4a", "set/Wren/d.webm"})
        placeRecording(folder / name);
    for (const char* name : {"set/a.txt", "set/c.txt"}) writeBytes(folder / name, "1\t2\tRobin\n");
    Read read;
    readClassFolders(folder / "set", read.clips, read.problems);
    // Whoever decodes a.m4a lists it. c.txt is the table of c.wav.
    REQUIRE(read.clips.size() == 2);
    CHECK(read.clips[0].file.filename() == "a.m4a");
    CHECK(read.clips[1].file.filename() == "c.wav");
    CHECK(std::ranges::count_if(read.problems, &Problem::unread) == 3);
    for (const char* name : {"b.wma", "c.m4a", "d.webm"}) CHECK(read.lists(name, "--decode-with ffmpeg"));
    CHECK(readText(folder / "set/a.txt", "1\t2\tRobin\n").clips.size() == 1);

    earshot::audio::decodeWithFfmpeg(true);
    Read all;
    readClassFolders(folder / "set", all.clips, all.problems);
    earshot::audio::decodeWithFfmpeg(false);
    CHECK(all.clips.size() == 3);
    CHECK_FALSE(std::ranges::any_of(all.problems, &Problem::unread));
    CHECK(all.lists("set", "2 audio files lie in no class's folder"));
}

TEST_CASE("a folder of clips alone is told of the folder above", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"set/Beeper/a.wav", "set/Beeper/b.wav"}) placeRecording(folder / name);
    for (const char* name : {"set/Beeper", "set/Beeper/"})
        CHECK_THAT(failureOfData(choiceOf(folder / name)),
                   ContainsSubstring("2 audio files lie in no class's folder") &&
                       ContainsSubstring("if its clips are all \"Beeper\", name the folder above: " +
                                         (folder / "set").string()));
    CHECK(readDataSet(choiceOf(folder / "set")).clips.size() == 2);
}

TEST_CASE("a folder of recordings is read with the tables beside them", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.flac"}) placeRecording(folder / "set" / name);
    writeBytes(folder / "set/a.txt", "1\t2\tWren\n");
    writeBytes(folder / "set/b.Table.1.selections.txt",
               "Selection\tBegin Time (s)\tEnd Time (s)\tAnnotation\n1\t1\t2\tRobin\n");
    writeBytes(folder / "set/c.txt", "");
    writeBytes(folder / "set/notes.txt", "Rain from noon on.\n");
    const DataSet data = readDataSet(choiceOf(folder / "set"));
    CHECK(data.labels == std::vector<std::string>{"Robin", "Wren"});
    CHECK(data.clips.size() == 3);
    REQUIRE(data.problems.size() == 1);
    CHECK_THAT(data.problems[0].what, ContainsSubstring("1 audio files lie in no class's folder"));
}
