// Every format to the byte: Tests/Golden/Formats.
#include "Core/Formats/Samples.h"
#include "Support/Catch.h"
#include "Support/Paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

using namespace earshot;
using namespace earshot::formats;

namespace {

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

TEST_CASE("documents are to the byte what their golden files say", "[unit]") {
    const auto samples = test::sampleRecordings();
    for (const EventFormat& format : allFormats()) {
        std::map<std::string, std::string> documents;
        if (format.joins) {
            documents["both"] = test::documentOf(format, samples);
        } else {
            documents["first"] = test::documentOf(format, {samples[0]});
            documents["second"] = test::documentOf(format, {samples[1]});
        }
        for (const auto& [name, text] : documents) {
            const std::string file = name + std::string(format.suffix);
            INFO(file);
            CHECK(text == bytesOf(test::goldenDirectory() / "Formats" / file));
        }
    }
}

TEST_CASE("a document made recording by recording begins and ends once", "[unit]") {
    const auto samples = test::sampleRecordings();
    for (const EventFormat& format : allFormats()) {
        INFO(format.name);
        const auto document = format.makeDocument({});
        const std::string begin = document->begin();
        const std::string first = document->add(samples[0]);
        const std::string second = document->add(samples[1]);
        REQUIRE(!first.empty());
        REQUIRE(!second.empty());
        if (!format.joins) continue;
        if (!begin.empty()) REQUIRE(!second.starts_with(begin));
        REQUIRE(begin + first + second + document->end() == test::documentOf(format, samples));
    }
}

TEST_CASE("formats are found by their names, and no two files of a recording share theirs", "[unit]") {
    std::set<std::string_view> names, suffixes;
    for (const EventFormat& format : allFormats()) {
        REQUIRE(formatNamed(format.name) == &format);
        REQUIRE_FALSE(format.title.empty());
        REQUIRE(format.suffix.ends_with(format.extension()));
        REQUIRE(names.insert(format.name).second);
        REQUIRE(suffixes.insert(format.suffix).second);
    }
    REQUIRE(names.size() == 11);
    REQUIRE(formatNamed("Csv") == nullptr);
    REQUIRE(formatNamed("") == nullptr);
}

TEST_CASE("a Raven table of several recordings runs on where the last one ended", "[unit]") {
    auto samples = test::sampleRecordings();
    const auto fieldsOf = [](const std::string& line) {
        std::vector<std::string> fields{""};
        for (const char c : line)
            if (c == '\t')
                fields.emplace_back();
            else
                fields.back() += c;
        return fields;
    };
    const auto raven = formatNamed("raven")->makeDocument({});
    const auto header = fieldsOf(raven->begin());
    raven->add(samples[0]);
    const auto fields = fieldsOf(raven->add({samples[1]}));
    REQUIRE(header[0] == "Selection");
    REQUIRE(fields[0] == "5");
    REQUIRE(header[3] == "Begin Time (s)");
    REQUIRE(fields[3] == "3725.500");
    REQUIRE(header[6] == "High Freq (Hz)");
    REQUIRE(fields[6] == "4000.0"); // half the rate where the model's range is not known
    REQUIRE(header[9] == "File Offset (s)");
    REQUIRE(fields[9] == "0.000");
}

TEST_CASE("Raven's frequencies are those that the recording has", "[unit]") {
    auto recording = test::sampleRecordings()[0]; // the model receives 50 Hz to 14 kHz
    const auto frequencies = [&](int sampleRate) {
        recording.sampleRate = sampleRate;
        return document(*formatNamed("raven"), recording);
    };
    CHECK_THAT(frequencies(32000), ContainsSubstring("\t50.0\t14000.0\t"));
    CHECK_THAT(frequencies(8000), ContainsSubstring("\t50.0\t4000.0\t"));
    CHECK_THAT(frequencies(0), ContainsSubstring("\t50.0\t14000.0\t")); // the rate is not known
    recording.minHz = 5000.0;
    CHECK_THAT(frequencies(8000), ContainsSubstring("\t4000.0\t4000.0\t"));
}
