#include "Core/Training/Data/DataSet.h"

#include "Core/Base/Error.h"
#include "Core/Training/SoundLibrary.h"
#include "Support/Catch.h"
#include "Support/Skip.h"
#include "Support/Unprivileged.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <sys/stat.h>

using namespace earshot::training;
using earshot::test::choiceOf;
using earshot::test::TemporaryDirectory;
using earshot::test::writeBytes;

namespace {

// Reading looks at names alone, so that anything will do for a recording.
void touch(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    writeBytes(file, "sound");
}

DataSet readTable(const TemporaryDirectory& folder, const std::string& text) {
    writeBytes(folder / "labels.csv", text);
    return readDataSet(choiceOf(folder / "labels.csv"));
}

const Clip& clipNamed(const DataSet& data, std::string_view name) {
    const auto found =
        std::ranges::find_if(data.clips, [&](const Clip& c) { return c.file.filename() == name; });
    REQUIRE(found != data.clips.end());
    return *found;
}

bool listed(const DataSet& data, const std::string& where, const std::string& what) {
    return std::ranges::any_of(data.problems, [&](const Problem& problem) {
        return problem.where.find(where) != std::string::npos && problem.what.find(what) != std::string::npos;
    });
}

std::string failureOf(const DataChoice& choice) {
    try {
        readDataSet(choice);
    } catch (const earshot::Error& error) {
        return error.what();
    }
    return {};
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("folders are classes by their names, however deep their files lie", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"Dog/a.wav", "Dog/b.WAV", "Dog/yard/c.flac", "Cat/d.ogg", "_background/e.wav",
                             "_other/f.mp3", "Dog/notes.txt", "Dog/._a.wav", "astray.wav"})
        touch(folder / name);
    std::filesystem::create_directories(folder / "Empty");
    const DataSet data = readDataSet(choiceOf(folder.path()));
    REQUIRE(data.labels == Names{"Cat", "Dog"});
    REQUIRE(data.clips.size() == 6);
    REQUIRE(clipNamed(data, "c.flac").labels == std::vector<int>{1});
    REQUIRE(clipNamed(data, "e.wav").labels.empty());
    REQUIRE(clipNamed(data, "f.mp3").labels.empty());
    REQUIRE(listed(data, "Empty", "no audio"));
    REQUIRE(listed(data, folder.path().filename().string(), "1 audio files lie in no class's folder"));
    REQUIRE(data.problems.size() == 2);
}

TEST_CASE("a folder that cannot be read is listed, and the others are read", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name :
         {"Bird/a.wav", "Cat/a.wav", "Dog/a.wav", "Dog/closed/b.wav", "Dog/yard/c.wav", "hidden/Cow/d.wav"})
        touch(folder / name);
    std::filesystem::create_directory_symlink(folder / "hidden/Cow", folder / "Cow");
    for (const char* closed : {"Bird", "Dog/closed", "hidden"})
        std::filesystem::permissions(folder / closed, std::filesystem::perms::none);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    DataSet data;
    {
        const earshot::test::Unprivileged user;
        if (!user.holds()) return earshot::test::skip("root cannot become another user here");
        data = readDataSet(choiceOf(folder.path()));
    }
    for (const char* closed : {"Bird", "Dog/closed", "hidden"})
        std::filesystem::permissions(folder / closed, std::filesystem::perms::owner_all);
    CHECK(data.clips.size() == 3);
    CHECK(data.problems.size() == 4);
    for (const char* closed : {"Bird", "Cow", "Dog/closed", "hidden"})
        CHECK(listed(data, closed, "cannot be read (Permission denied); check its permissions"));
}

TEST_CASE("a table of times gives strong labels, one row per sound", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav"}) touch(folder / name);
    const DataSet data = readTable(folder, "File, Onset ,offset,label,comment\n"
                                           "a.wav,1.5,2,Dog,x\na.wav,0.25,0.75,Cat;Dog,y\n"
                                           "b.wav,,,Cat,\n");
    REQUIRE(data.labels == Names{"Cat", "Dog"});
    const Clip& strong = clipNamed(data, "a.wav");
    REQUIRE(strong.strong);
    REQUIRE(strong.labels == std::vector<int>{0, 1});
    REQUIRE(strong.spans.size() == 3);
    REQUIRE(strong.spans[0].onset == 0.25);
    REQUIRE(strong.spans[0].offset == 0.75);
    REQUIRE(strong.spans[2].label == 1);
    REQUIRE(strong.spans[2].onset == 1.5);
    REQUIRE_FALSE(clipNamed(data, "b.wav").strong);
    REQUIRE(data.problems.empty());
}

TEST_CASE("a file alone in a table of times holds no sound, and is a sound of no class elsewhere", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav"}) touch(folder / name);
    const DataSet timed = readTable(folder, "file,onset,offset,label,source_type\n"
                                            "a.wav,0,1,Dog,\nb.wav,,,,\nc.wav,,,,background\n");
    REQUIRE(clipNamed(timed, "b.wav").strong);
    REQUIRE(clipNamed(timed, "b.wav").spans.empty());
    REQUIRE(clipNamed(timed, "b.wav").labels.empty());
    REQUIRE_FALSE(clipNamed(timed, "c.wav").strong);
    REQUIRE(timed.problems.empty());
    const DataSet untimed = readTable(folder, "file,label\na.wav,Dog\nb.wav,\n");
    REQUIRE(clipNamed(untimed, "b.wav").labels.empty());
    REQUIRE_FALSE(clipNamed(untimed, "b.wav").strong);
}

TEST_CASE("a table of files gives weak labels, in rows or separated by semicolons", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"}) touch(folder / name);
    const DataSet data =
        readTable(folder, "label,file,licence,author,source_repo,split\n"
                          "\"Gunshot, explosion\",a.wav,CC0,Ann,here,train\n"
                          "Dog ; Cat;,b.wav,,,,train\nDog,c.wav,,,,valid\nCat,c.wav,,,,valid\n"
                          ",d.wav,,,,test\n");
    REQUIRE(data.labels == Names{"Cat", "Dog", "Gunshot, explosion"});
    REQUIRE(clipNamed(data, "b.wav").labels == std::vector<int>{0, 1});
    REQUIRE(clipNamed(data, "c.wav").labels == std::vector<int>{0, 1});
    REQUIRE(clipNamed(data, "c.wav").split == Split::valid);
    REQUIRE(clipNamed(data, "d.wav").split == Split::unused);
    REQUIRE(clipNamed(data, "a.wav").licence == "CC0");
    REQUIRE(clipNamed(data, "a.wav").author == "Ann");
    REQUIRE(clipNamed(data, "a.wav").source == "here");
    REQUIRE(data.problems.empty());
}

TEST_CASE("labels and files are the same with and without a spreadsheet's apostrophe", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"-a.wav", "b.wav", "c.wav", "d.wav"}) touch(folder / name);
    const DataSet data = readTable(folder, "file,label\n'-a.wav,\"'=SUM(1,2)\"\nb.wav,\"=SUM(1,2)\"\n"
                                           "c.wav,''=SUM\nd.wav,'Allo\n");
    REQUIRE(data.problems.empty());
    REQUIRE(data.labels == Names{"'=SUM", "'Allo", "=SUM(1,2)"});
    REQUIRE(clipNamed(data, "-a.wav").labels == std::vector<int>{2});
    REQUIRE(clipNamed(data, "b.wav").labels == std::vector<int>{2});
}

TEST_CASE("labels are spelled as a model's are shown", "[unit]") {
    const TemporaryDirectory folder;
    touch(folder / "Do\u202eg" / "a.wav");
    touch(folder / "b.wav");
    writeBytes(folder / "labels.csv", "file,label\nb.wav,Ca\u200bt\n");
    DataChoice choice = choiceOf(folder.path());
    choice.sources.push_back(folder / "labels.csv");
    choice.distractors = {"Ca\u200bt"};
    REQUIRE(readDataSet(choice).labels == Names{"Do<U+202E>g"});
    choice.distractors = {"Ca<U+200B>t"};
    REQUIRE(readDataSet(choice).labels == Names{"Do<U+202E>g"});
    choice.distractors.clear();
    REQUIRE(readDataSet(choice).labels == Names{"Ca<U+200B>t", "Do<U+202E>g"});
}

TEST_CASE("bad rows are listed with their line and left out", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"}) touch(folder / name);
    const DataSet data = readTable(folder, "file,onset,offset,label,group\n"
                                           "# a comment\n"
                                           "gone.wav,0,1,Dog,\ngone.wav,1,2,Dog,\n"
                                           "a.wav,0,1,Dog,x\n"
                                           "a.wav,one,2,Dog,x\n"
                                           "a.wav,2,2,Dog,x\n"
                                           "a.wav,-1,2,Dog,x\n"
                                           "a.wav,1,2,,x\n"
                                           "a.wav,3,nan,Dog,x\n"
                                           "a.wav,3,4,dog,y\n"
                                           ",0,1,Dog,\n"
                                           "b.wav,5,4,Dog,\n"
                                           "c.wav,0,1\n"
                                           "d.wav,1,2,Cat,\nd.wav,,,Dog,\n");
    REQUIRE(data.labels == Names{"Cat", "Dog"});
    REQUIRE(data.clips.size() == 2);
    REQUIRE(clipNamed(data, "a.wav").spans.size() == 2);
    REQUIRE(listed(data, "labels.csv, line 3", "no file gone.wav"));
    REQUIRE_FALSE(listed(data, "line 4", ""));
    REQUIRE(listed(data, "line 6", "must be seconds"));
    REQUIRE(listed(data, "line 7", "no length"));
    REQUIRE(listed(data, "line 8", "no length"));
    REQUIRE(listed(data, "line 9", "no label"));
    REQUIRE(listed(data, "line 10", "must be seconds"));
    REQUIRE(listed(data, "line 11", "another split or group"));
    REQUIRE(listed(data, "a.wav", "\"dog\" is taken for \"Dog\""));
    REQUIRE(listed(data, "line 12", "names no file"));
    REQUIRE(listed(data, "b.wav", "none of its sounds"));
    REQUIRE(listed(data, "c.wav", "none of its sounds"));
    REQUIRE(listed(data, "d.wav", "taken not to sound"));
}

TEST_CASE("what is listed says whether it is left out", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"}) touch(folder / name);
    const std::string tall(300, 'x');
    const DataSet data = readTable(folder, "file,label,source_type\na.wav,Dog,\nb.wav,dog,\nc.wav,Dog,rir\n"
                                           "gone.wav,Dog,\nd.wav," +
                                               tall + "y;" + tall + "z,\n");
    std::set<std::string> notes, leftOut;
    for (const Problem& problem : data.problems) {
        CHECK(problem.line().starts_with(problem.leftOut ? "left out: " : "note: "));
        (problem.leftOut ? leftOut : notes).insert(problem.where);
    }
    CHECK(notes == std::set<std::string>{"b.wav", "c.wav", "d.wav"});
    CHECK(leftOut == std::set<std::string>{"labels.csv, line 5"});
    CHECK(listed(data, "d.wav", "its label is too long and was cut to \"xxx"));
}

TEST_CASE("onset_s and offset_s are other names of onset and offset", "[unit]") {
    const TemporaryDirectory folder;
    touch(folder / "a.wav");
    DataSet data = readTable(folder, "file,onset_s,offset_s,label,class_index,peak,mean,confidence\n"
                                     "a.wav,0.320,1.280,Dog,3,0.5,0.25,\n");
    REQUIRE(clipNamed(data, "a.wav").strong);
    REQUIRE(clipNamed(data, "a.wav").spans.size() == 1);
    REQUIRE(clipNamed(data, "a.wav").spans[0].onset == 0.32);
    REQUIRE(clipNamed(data, "a.wav").spans[0].offset == 1.28);

    data = readTable(folder, "file,Onset_S,offset_s,onset,offset,label\na.wav,0,1,2,3,Dog\n");
    REQUIRE(clipNamed(data, "a.wav").spans.size() == 1);
    REQUIRE(clipNamed(data, "a.wav").spans[0].onset == 2.0);
    REQUIRE(clipNamed(data, "a.wav").spans[0].offset == 3.0);

    writeBytes(folder / "labels.csv", "file,onset_s,label\na.wav,0,Dog\n");
    REQUIRE_THAT(failureOf(choiceOf(folder / "labels.csv")), ContainsSubstring("only one of the columns"));
}

TEST_CASE("files that two sources name count once", "[unit]") {
    const TemporaryDirectory folder;
    touch(folder / "Dog/a.wav");
    touch(folder / "Cat/b.wav");
    writeBytes(folder / "labels.csv", "file,label\nDog/../Dog/a.wav,Cat\n");
    auto choice = choiceOf(folder.path());
    choice.sources.push_back(folder / "labels.csv");
    const DataSet data = readDataSet(choice);
    REQUIRE(data.clips.size() == 2);
    REQUIRE(clipNamed(data, "a.wav").labels == std::vector<int>{1});
    REQUIRE(listed(data, "Dog/../Dog/a.wav", "twice"));
}

TEST_CASE("classes can be left out, or become sounds of no class", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"Dog/a.wav", "Cat/b.wav", "Bird/c.wav", "both.wav"}) touch(folder / name);
    writeBytes(folder / "labels.csv", "file,onset,offset,label\nDog/a.wav,,,Dog\nCat/b.wav,,,Cat\n"
                                      "Bird/c.wav,,,Bird\nboth.wav,0,1,Dog\nboth.wav,1,2,Cat\n");
    auto choice = choiceOf(folder / "labels.csv");
    choice.distractors = {"cat"};
    DataSet data = readDataSet(choice);
    REQUIRE(data.labels == Names{"Bird", "Dog"});
    REQUIRE(clipNamed(data, "b.wav").labels.empty());
    REQUIRE(clipNamed(data, "both.wav").labels == std::vector<int>{1});
    REQUIRE(clipNamed(data, "both.wav").spans.size() == 1);

    choice.only = {"Dog"};
    data = readDataSet(choice);
    REQUIRE(data.labels == Names{"Dog"});
    REQUIRE(data.clips.size() == 3); // not the bird

    choice.only = {"Wolf"};
    REQUIRE_THAT(failureOf(choice), ContainsSubstring("no class \"Wolf\"; its classes are: Bird, Cat, Dog"));
    choice.only = {};
    choice.distractors = {"Dog", "Cat", "Bird"};
    REQUIRE_THAT(failureOf(choice), ContainsSubstring("choose at least one"));
}

TEST_CASE("of clips without times, those of wanted and unwanted sounds are not used", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"dog.wav", "both.wav", "timed.wav", "others.wav"}) touch(folder / name);
    writeBytes(folder / "labels.csv", "file,onset,offset,label\ndog.wav,,,Dog\nboth.wav,,,Dog;Cat\n"
                                      "timed.wav,0,1,Dog;Cat\nothers.wav,,,Bird;Cat\n");
    auto choice = choiceOf(folder / "labels.csv");
    const auto check = [&](const std::string& unwanted) {
        const DataSet data = readDataSet(choice);
        CHECK(clipNamed(data, "dog.wav").split != Split::unused);
        CHECK(clipNamed(data, "both.wav").split == Split::unused);
        CHECK(clipNamed(data, "timed.wav").split != Split::unused);
        CHECK(listed(data, "both.wav", "holds Dog and " + unwanted));
        CHECK(data.problems.size() == 1);
        return data.clips.size();
    };
    choice.only = {"Dog"};
    CHECK(check("Cat") == 3);
    choice.only = {"Dog"};
    choice.distractors = {"cat"};
    CHECK(check("Cat") == 4);
    CHECK(clipNamed(readDataSet(choice), "others.wav").split != Split::unused);

    choice.minClips = 4;
    CHECK_THAT(failureOf(choice), ContainsSubstring("Dog: 2 clips") && ContainsSubstring("both.wav: holds"));
}

TEST_CASE("backgrounds and rooms are no classes, by folder or by column", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"Dog/a.wav", "_background/b.wav", "_rooms/hall/c.wav", "_other/d.wav"})
        touch(folder / name);
    writeBytes(folder / "labels.csv",
               "file,label,source_type\nDog/a.wav,Dog,real\n_background/b.wav,,Background\n"
               "_rooms/hall/c.wav,Dog,rir\n_other/d.wav,,\n");
    for (const auto& source : {folder.path(), folder / "labels.csv"}) {
        const DataSet data = readDataSet(choiceOf(source));
        REQUIRE(data.labels == Names{"Dog"});
        REQUIRE(clipNamed(data, "a.wav").kind == ClipKind::sound);
        REQUIRE(clipNamed(data, "b.wav").kind == ClipKind::background);
        REQUIRE(clipNamed(data, "c.wav").kind == ClipKind::room);
        REQUIRE(clipNamed(data, "c.wav").labels.empty());
        REQUIRE(clipNamed(data, "d.wav").kind == ClipKind::sound);
        REQUIRE(listed(data, "_rooms/hall/c.wav", "its label is ignored") == (source != folder.path()));
    }
}

TEST_CASE("recordings of unwanted licences are left out", "[unit]") {
    const TemporaryDirectory folder;
    for (const char* name : {"a.wav", "b.wav", "c.wav"}) touch(folder / name);
    writeBytes(folder / "labels.csv",
               "file,label,licence\na.wav,Dog,CC BY 4.0\nb.wav,Dog,cc by-sa 3.0\nc.wav,Cat,GPL-3.0\n");
    auto choice = choiceOf(folder / "labels.csv");
    choice.withoutLicences = {"BY-SA", "gpl"};
    const DataSet data = readDataSet(choice);
    REQUIRE(data.labels == Names{"Dog"});
    REQUIRE(data.clips.size() == 1);
}

TEST_CASE("what cannot be learnt from says why and what to do", "[unit]") {
    const TemporaryDirectory folder;
    REQUIRE_THAT(failureOf({}), ContainsSubstring("no data was given"));
    REQUIRE_THAT(failureOf(choiceOf(folder / "nowhere")),
                 ContainsSubstring("nowhere: there is no such folder"));
    REQUIRE_THAT(failureOf(choiceOf(folder.path())), ContainsSubstring("no labelled recordings"));
    for (const auto& [text, why] : {std::pair{"", "is empty"},
                                    {"name,label\n", "no column \"file\""},
                                    {"file,tag\n", "no column \"label\""},
                                    {"file,label,onset\n", "only one of"}}) {
        writeBytes(folder / "labels.csv", text);
        REQUIRE_THAT(failureOf(choiceOf(folder / "labels.csv")), ContainsSubstring(why));
    }
    REQUIRE_THAT(failureOf(choiceOf("/dev/zero")), ContainsSubstring("/dev/zero: is a device"));
    REQUIRE(::mkfifo((folder / "pipe.csv").c_str(), 0600) == 0); // without a writer
    REQUIRE_THAT(failureOf(choiceOf(folder / "pipe.csv")), ContainsSubstring("pipe.csv: is a pipe"));
    for (const char* name : {"Dog/a.wav", "Dog/b.wav", "Cat/c.wav", "Bird/d.wav", "Bird/e.wav", "Bird/f.wav"})
        touch(folder / name);
    auto choice = choiceOf(folder.path());
    choice.minClips = 3;
    const std::string message = failureOf(choice);
    REQUIRE_THAT(message, ContainsSubstring("Dog: 2 clips to learn from, at least 3 are needed"));
    REQUIRE_THAT(message, ContainsSubstring("Cat: 1 clip to learn from"));
    REQUIRE_THAT(message, !ContainsSubstring("Bird"));
}

TEST_CASE("clips that only the data's author validates with are not there to learn from", "[unit]") {
    const TemporaryDirectory folder;
    std::string text = "file,label,split\n";
    for (const char* name : {"a.wav", "b.wav", "c.wav", "d.wav"}) {
        touch(folder / name);
        text += std::string(name) + ",Dog," + (name[0] == 'a' ? "train" : "valid") + "\n";
    }
    writeBytes(folder / "labels.csv", text);
    auto choice = choiceOf(folder / "labels.csv");
    choice.minClips = 2;
    REQUIRE_THAT(failureOf(choice), ContainsSubstring("Dog: 1 clip"));
}

TEST_CASE("what other trainers take for no sound is noted, with the folders that are none here", "[unit]") {
    const TemporaryDirectory folder;
    const Names negative = {"Background", "Noise",  "silence", "-Cricket", "_silence_", "Background Noise",
                            "unknown",    "_noise", "no_call", "Other",    "not_dog"};
    const Names sounds = {"Noisy miner", "Dog", "White noise", "Backhoe", "Nothofagus", "Notes"};
    for (const Names& names : {negative, sounds})
        for (const auto& name : names)
            for (const char* const file : {"1.wav", "2.wav"}) touch(folder / "set" / name / file);
    for (const char* const name : {"_other", "_background"}) touch(folder / "set" / name / "1.wav");
    const auto data = readDataSet(choiceOf(folder / "set"));
    for (const auto& name : negative) {
        CAPTURE(name);
        CHECK(listed(data, name + "/1.wav", '"' + name + "\" is learnt as a sound"));
        CHECK(listed(data, name, "_background") == listed(data, name, "_other"));
    }
    CHECK(data.problems.size() == negative.size());
    CHECK(std::ranges::none_of(data.problems, &Problem::leftOut));
    auto scored = choiceOf(folder / "set");
    scored.minClips = 0;
    CHECK(readDataSet(scored).problems.empty());
    auto chosen = choiceOf(folder / "set");
    chosen.distractors = negative;
    CHECK(readDataSet(chosen).problems.empty());
    CHECK(listed(readTable(folder, "file,label\nset/Dog/1.wav,Dog\nset/Noise/1.wav,noise\n"),
                 "set/Noise/1.wav", "leave the label in a table empty"));
}
