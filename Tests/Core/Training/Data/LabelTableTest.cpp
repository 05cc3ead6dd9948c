#include "Core/Training/Data/LabelTable.h"

#include "Core/Base/Error.h"
#include "Support/Catch.h"
#include "Support/FileBreaker.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace earshot;
using training::LabelTable;
using training::parseLabelTable;

namespace {

LabelTable parsed(std::string_view text, std::string_view labelColumn = {}) {
    return parseLabelTable(text, "yard/walk.txt", labelColumn);
}

std::string failureOfTable(std::string_view text, std::string_view labelColumn = {}) {
    try {
        parsed(text, labelColumn);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// "a.wav 9 13.8 Flute", or "a.wav - Flute" without times
std::vector<std::string> rowsOf(const LabelTable& table) {
    std::vector<std::string> rows;
    for (const auto& row : table.rows) {
        std::string text = row.file;
        if (row.span)
            text += row.span->problem.empty() ? fmt::format(" {:g} {:g}", row.span->onset, row.span->offset)
                                              : " " + row.span->problem;
        else
            text += " -";
        for (const auto& label : row.labels) text += " " + label;
        rows.push_back(text);
    }
    return rows;
}

using Rows = std::vector<std::string>;

constexpr std::string_view raven = "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq "
                                   "(Hz)\tHigh Freq (Hz)\tBegin File\tAnnotation\n"
                                   "1\tWaveform 1\t1\t9.0\t13.8\t\t\tdemo.flac\tFlute\n"
                                   "1\tSpectrogram 1\t1\t9.0\t13.8\t50.0\t14000.0\tdemo.flac\tFlute\n"
                                   "2\tSpectrogram 1\t1\t9.0\t13.8\t50.0\t14000.0\tdemo.flac\tDog\n";

} // namespace

TEST_CASE("spreadsheets' separators and decimal commas give the same rows", "[unit]") {
    const Rows expected = {"demo.flac 9 13.8 Flute", "demo.flac 69.5 71 Clarinet"};
    for (const char* text :
         {"file,onset,offset,label\ndemo.flac,9.0,13.8,Flute\ndemo.flac,69.5,71,Clarinet\n",
          "file;onset;offset;label\r\ndemo.flac;9,0;13,8;Flute\r\ndemo.flac;1:09,5;71;Clarinet\r\n",
          "file\tonset\toffset\tlabel\ndemo.flac\t9,0\t13,8\tFlute\ndemo.flac\t69,5\t71\tClarinet\n",
          "file,onset,offset,label\ndemo.flac,\"9,0\",\"13,8\",Flute\n"
          "demo.flac,0:01:09.5,0:01:11,Clarinet\n",
          "sep=;\nfile;onset;offset;label\ndemo.flac;9;13,8;Flute\ndemo.flac;69,5;71;Clarinet",
          "file;onset;offset;label\rdemo.flac;9;13,8;Flute\rdemo.flac;69,5;71;Clarinet\r"}) {
        CAPTURE(text);
        const auto table = parsed(text);
        CHECK(rowsOf(table) == expected);
        CHECK(table.problems.empty());
        CHECK(table.timed);
    }
}

TEST_CASE("a row with more fields than columns is left out, with its line", "[unit]") {
    const auto table = parsed("file,onset,offset,label\ndemo.flac,9,0,13,8,Flute\ndemo.flac,1,2,Flute,\n"
                              "demo.flac,3,4,Gunshot, explosion\n");
    CHECK(rowsOf(table) == Rows{"demo.flac 1 2 Flute"});
    REQUIRE(table.problems.size() == 2);
    CHECK(table.problems[0].where == "walk.txt, line 2");
    CHECK_THAT(table.problems[0].what, ContainsSubstring("has 6 fields, and the table 4 columns"));
    CHECK(table.problems[1].where == "walk.txt, line 4");
}

TEST_CASE("an onset a little before the file is its beginning", "[unit]") {
    using training::parseSpan;
    CHECK(parseSpan("-0.004", "4.5").problem.empty());
    CHECK(parseSpan("-0.004", "4.5").onset == 0.0);
    CHECK(parseSpan("-0,5", "4,5").onset == 0.0);
    CHECK(parseSpan("0.25", "4.5").onset == 0.25);
    CHECK_THAT(parseSpan("-0.6", "4.5").problem,
               ContainsSubstring("from -0.6 s to 4.5 s begins before its file"));
    CHECK_FALSE(parseSpan("-0.2", "-0.1").problem.empty());
    CHECK_FALSE(parseSpan("2", "2").problem.empty());
    CHECK_FALSE(parseSpan("3", "2").problem.empty());
    CHECK_THAT(parseSpan("2", "").problem, ContainsSubstring("must be seconds"));
}

TEST_CASE("Raven's selections are rows, once for all views", "[unit]") {
    CHECK(rowsOf(parsed(raven)) == Rows{"demo.flac 9 13.8 Flute", "demo.flac 9 13.8 Dog"});
    CHECK(parsed(raven).rows[0].mayHaveMoved);
    // Times count from the start of all files; File Offset from the start of each.
    const auto several =
        parsed("Selection\tBegin Time (s)\tEnd Time (s)\tBegin Path\tFile Offset (s)\tSpecies\n"
               "1\t10\t12\tC:\\field\\a.wav\t10\tWren\n2\t70\t71.5\tC:\\field\\b.wav\t5\tRobin\n");
    CHECK(rowsOf(several) == Rows{"C:/field/a.wav 10 12 Wren", "C:/field/b.wav 5 6.5 Robin"});
    CHECK_THAT(failureOfTable("Selection\tBegin Time (s)\tEnd Time (s)\tBegin File\tAnnotation\n"
                              "1\t10\t12\ta.wav\tWren\n2\t70\t71.5\tb.wav\tRobin\n"),
               ContainsSubstring("walk.txt: names several recordings") &&
                   ContainsSubstring("File Offset (s)"));
    // A folder as Begin Path, and a length in place of an end.
    CHECK(rowsOf(parsed(
              "Begin Time (s)\tEnd Time (s)\tDelta Time (s)\tBegin Path\tBegin File\tFile Offset (s)\tType\n"
              "10\t\t2\t/data/\ta.wav\t3\tsong\n")) == Rows{"/data/a.wav 3 5 song"});
    // The recording that has the table's name.
    const auto own =
        parsed("Selection\tView\tBegin Time (s)\tEnd Time (s)\tAnnotation\n1\tS 1\t1\t2\tWren\n");
    CHECK_FALSE(own.namesFiles);
    CHECK(rowsOf(own) == Rows{" 1 2 Wren"});
    CHECK(parsed("Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\n").rows.empty());
}

TEST_CASE("Raven's users choose their column of labels", "[unit]") {
    const std::string head = "Selection\tBegin Time (s)\tEnd Time (s)\tPeak Freq (Hz)\tNumber\t";
    const auto one = parsed(head + "Vogel\n1\t1\t2\t3000\t7\tZaunkoenig\n");
    CHECK(rowsOf(one) == Rows{" 1 2 Zaunkoenig"});
    REQUIRE(one.problems.size() == 1);
    CHECK(one.problems[0].what == "its labels are taken from the column \"Vogel\"");
    CHECK_FALSE(one.problems[0].leftOut);
    const auto filled = parsed(head + "Annotation\tVogel\n1\t1\t2\t3000\t7\t\tZaunkoenig\n");
    CHECK(rowsOf(filled) == Rows{" 1 2 Zaunkoenig"});
    const std::string two = head + "Vogel\tRuf\n1\t1\t2\t3000\t7\tZaunkoenig\tLied\n";
    CHECK_THAT(failureOfTable(two),
               ContainsSubstring("\"Vogel\", \"Ruf\"") && ContainsSubstring("--label-column"));
    CHECK(rowsOf(parsed(two, "ruf")) == Rows{" 1 2 Lied"});
    CHECK_THAT(failureOfTable(two, "Art"),
               ContainsSubstring("has no column \"Art\" for labels; its columns are: "));
}

TEST_CASE("Audacity's label tracks are read without their lines of frequencies", "[unit]") {
    const auto table = parsed("9.000000\t13.800000\tFlute\n\\\t400.0\t2000.0\n15,5\t16,5\t\"5\" drum\n"
                              "17.0\t17.0\tpoint\n18\t19\t\n-0.004\t1\tDog\n");
    CHECK_FALSE(table.namesFiles);
    const auto rows = rowsOf(table);
    REQUIRE(rows.size() == 5);
    CHECK(rows[0] == " 9 13.8 Flute");
    CHECK(rows[1] == " 15.5 16.5 \"5\" drum");
    CHECK_THAT(rows[2], ContainsSubstring("no length"));
    CHECK(rows[3] == " 18 19");
    CHECK(rows[4] == " 0 1 Dog");
    CHECK(table.rows[1].line == 3);
}

TEST_CASE("DCASE's tables are read, with times, without, and without names of columns", "[unit]") {
    CHECK(
        rowsOf(parsed("filename\tonset\toffset\tevent_label\ndemo.flac\t9.0\t13.8\tFlute\nb.wav\t\t\t\n")) ==
        Rows{"demo.flac 9 13.8 Flute", "b.wav -"});
    CHECK(rowsOf(parsed("filename\tevent_labels\na.wav\tSpeech,Dog\nb.wav\tGunshot, explosion\n")) ==
          Rows{"a.wav - Speech Dog", "b.wav - Gunshot, explosion"});
    CHECK(rowsOf(parsed("a/b.wav\t0.5\t1.5\tcar\n")) == Rows{"a/b.wav 0.5 1.5 car"});
    CHECK(rowsOf(parsed("a/b.wav\tstreet\t0.5\t1.5\tcar\n")) == Rows{"a/b.wav 0.5 1.5 car"});
    CHECK_THAT(failureOfTable("filename\tonset\toffset\tevent_label\na.wav\t1\t2\t\"Dog\nb.wav\t1\t2\tCat\n"),
               ContainsSubstring("walk.txt: line 2: a quotation mark"));
}

TEST_CASE("Kaleidoscope's paths, offsets and lengths are read", "[unit]") {
    CHECK(rowsOf(parsed(
              "INDIR,FOLDER,IN FILE,CHANNEL,OFFSET,DURATION,MANUAL ID\n,,demo.flac,0,9.0,4.8,Flute\n")) ==
          Rows{"demo.flac 9 13.8 Flute"});
    const auto table =
        parsed("INDIR,OUTDIR,FOLDER,IN FILE,OFFSET,DURATION,TOP1MATCH,TOP1DIST,AUTO ID*,MANUAL ID*\n"
               "D:\\bats,,night 1,a.wav,0.5,1.5,x,0.2,MYOMYO,MYODAU\n"
               "D:\\bats,,night 1,b.wav,0.5,1.5,x,0.2,MYOMYO,\n");
    CHECK(rowsOf(table) == Rows{"D:/bats/night 1/a.wav 0.5 2 MYODAU", "D:/bats/night 1/b.wav 0.5 2"});
    CHECK(table.problems.empty());
    const auto found = parsed("INDIR,FOLDER,IN FILE,OFFSET,DURATION,AUTO ID,MANUAL ID\n,n,a.wav,0,2,MYOMYO,\n"
                              ",n,b.wav,0,2,NoID,\n");
    CHECK(rowsOf(found) == Rows{"n/a.wav 0 2 MYOMYO", "n/b.wav 0 2"});
    REQUIRE(found.problems.size() == 1);
    CHECK_THAT(found.problems[0].what, ContainsSubstring("has no MANUAL ID; AUTO ID is taken"));
    // Files without offsets: what they hold.
    CHECK(rowsOf(parsed("INDIR,FOLDER,IN FILE,DURATION,MANUAL ID\n,n,a.wav,5,Bat\n")) ==
          Rows{"n/a.wav - Bat"});
}

TEST_CASE("tables of BirdNET, OpenSoundscape and ESC-50 are read by their columns", "[unit]") {
    CHECK(rowsOf(parsed("Start (s),End (s),Scientific name,Common name,Confidence,File\n"
                        "0.0,3.0,Turdus merula,Blackbird,0.9,a.wav\n")) == Rows{"a.wav 0 3 Blackbird"});
    CHECK(rowsOf(parsed("audio_file,annotation_file,annotation,start_time,end_time,low_f,high_f\n"
                        "a.wav,a.txt,Wren,1,2,300,4000\n")) == Rows{"a.wav 1 2 Wren"});
    CHECK(rowsOf(parsed("filename,fold,target,category,esc10,src_file,take\n1-2-A.wav,1,0,dog,True,2,A\n")) ==
          Rows{"1-2-A.wav - dog"});
    const auto general = parsed("file,start,end,label\na.wav,1,2,Dog\n");
    CHECK(rowsOf(general) == Rows{"a.wav 1 2 Dog"});
    REQUIRE(general.problems.size() == 1);
    CHECK_THAT(general.problems[0].what, ContainsSubstring("\"start\" is taken for the onsets"));
    CHECK(rowsOf(parsed("file,label,duration_s\na.wav,Dog,3.5\n")) == Rows{"a.wav - Dog"});
}

TEST_CASE("Earshot's own JSON is read, as a list and by lines", "[unit]") {
    const std::string a =
        R"({"file": "a.wav", "onset_s": 1.250, "offset_s": 2.500, "label": "Dog", "peak": 0.5})";
    const std::string b =
        R"({"file": "b.wav", "onset_s": 0, "offset_s": 1, "label": ["Cat", "Hen"], "more": {"x": [1]}})";
    const Rows expected = {"a.wav 1.25 2.5 Dog", "b.wav 0 1 Cat Hen"};
    CHECK(rowsOf(parsed("[\n  " + a + ",\n  " + b + "\n]\n")) == expected);
    CHECK(rowsOf(parsed(a + "\n\n" + b + "\n")) == expected);
    CHECK(parsed(a + "\n\n" + b + "\n").rows[1].line == 3);
    for (const char* text :
         {"[", "[]", "{}", "[1, 2]", "{\"file\": }", "[{\"file\": \"a\"}", "[[{\"file\": \"a\"}]]"}) {
        CAPTURE(text);
        CHECK_THAT(failureOfTable(text), ContainsSubstring("walk.txt: "));
    }
}

TEST_CASE("what is no table of labels says so", "[unit]") {
    CHECK_THAT(failureOfTable("\xff\xfe"
                              "f\0i\0"),
               ContainsSubstring("walk.txt: is in UTF-16"));
    CHECK_THAT(failureOfTable(std::string_view("file,label\n\0", 12)),
               ContainsSubstring("is no table of text"));
    CHECK_THAT(failureOfTable("name,tag\na.wav,Dog\n"), ContainsSubstring("no column"));
    CHECK_THAT(failureOfTable("file,label\na.wav,\"Dog\nb.wav,Cat\n"),
               ContainsSubstring("walk.txt: line 2: a quotation mark is not closed"));
    CHECK_THAT(failureOfTable("file,label\na.wav,\"Dog\nb.wav,\"Cat\"\nc.wav,Dog\n"),
               ContainsSubstring("line 2"));
    const auto pair = parsed("file,label\na.wav,\"Dog\nb.wav,Cat\"\nc.wav,Dog\n");
    CHECK(rowsOf(pair) == Rows{"c.wav - Dog"});
    REQUIRE(pair.problems.size() == 1);
    CHECK_THAT(pair.problems[0].what, ContainsSubstring("quotation mark left open"));
}

TEST_CASE("damaged tables of labels are refused or read, in bounded time", "[unit][fuzz]") {
    const std::array<std::string, 6> tables = {
        std::string(raven),
        "file;onset;offset;label;split\na.wav;0:09,5;\"13,8\";\"Dog;Cat\";train\n",
        "9.0\t13.8\tFlute\n\\\t400.0\t2000.0\n",
        "filename\tevent_labels\na.wav\tSpeech,Dog\n",
        "INDIR,FOLDER,IN FILE,OFFSET,DURATION,AUTO ID,MANUAL ID\n/x,n,a.wav,0,2,MYOMYO,\n",
        "[{\"file\": \"a.wav\", \"onset_s\": 1, \"offset_s\": 2, \"label\": \"Dog\"}, {\"file\": \"b\"}]"};
    for (std::uint32_t seed = 0; seed < 6000; ++seed) {
        std::string text = test::mutated(tables[seed % tables.size()], seed);
        if (seed % 3 == 0) text = test::mutated(text, seed + 1);
        CAPTURE(seed, text);
        try {
            for (const auto& row : parsed(text).rows)
                if (row.span && row.span->problem.empty()) {
                    REQUIRE(row.span->onset >= 0.0);
                    REQUIRE(row.span->offset > row.span->onset);
                    REQUIRE(std::isfinite(row.span->offset));
                }
        } catch (const Error& error) {
            REQUIRE(std::string(error.what()).starts_with("yard/walk.txt: "));
        }
    }
}

TEST_CASE("large and deep tables of labels cost time by their size alone", "[unit][fuzz]") {
    const auto start = std::chrono::steady_clock::now();
    CHECK_THAT(failureOfTable(std::string(1'000'000, '[')), ContainsSubstring("is no list of labels"));
    CHECK_FALSE(failureOfTable("[" + std::string(1'000'000, '{')).empty());
    CHECK_FALSE(failureOfTable("file,label\na," + std::string(1'000'000, '"') + "\"").empty());
    CHECK_FALSE(failureOfTable(std::string(1'000'000, '\t')).empty());
    CHECK(parsed("file\tlabel\n" + std::string(300'000, '"')).rows.size() == 1);
    CHECK(parsed("file,label\na.wav," + std::string(1'000'000, 'x') + "\n").rows[0].labels[0].size() < 300);
    std::string many = "{";
    for (int i = 0; i < 20'000; ++i) many += fmt::format("\"k{}\": 1, ", i);
    CHECK_FALSE(failureOfTable(many + "\"z\": 1}").empty());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
