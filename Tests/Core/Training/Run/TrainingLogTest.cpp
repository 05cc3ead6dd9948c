#include "Core/Training/Run/TrainingLog.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>
#include <limits>

using namespace earshot;
using training::LogRow;

namespace {

std::vector<LogRow> someRows(int epochs) {
    std::vector<LogRow> rows;
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        LogRow row;
        row.epoch = epoch;
        row.steps = epoch * 100;
        row.examples = epoch * 3200;
        row.loss = 0.7 / epoch;
        row.rate = 1e-3;
        row.gradientNorm = 0.25;
        row.seconds = 31.5 * epoch;
        row.examplesPerSecond = 101.6;
        if (epoch % 2 == 0) {
            row.validLoss = 0.8 / epoch;
            row.eventF1 = 0.05 * epoch;
            row.segmentF1 = 0.06 * epoch;
            row.meanAveragePrecision = 0.07 * epoch;
        }
        rows.push_back(row);
    }
    return rows;
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

} // namespace

TEST_CASE("a log is CSV with a row for each epoch, and reads back", "[unit]") {
    const auto rows = someRows(5);
    const auto text = training::logAsCsv(rows);
    const auto parsed = parseCsv(text);
    REQUIRE(parsed.size() == 6);
    for (const auto& fields : parsed) CHECK(fields.size() == parsed[0].size());
    CHECK(parsed[0][3] == "loss");
    CHECK(parsed[1][6].empty()); // not validated
    CHECK(parsed[2][6] == "0.4");
    CHECK(training::logAsCsv(training::logFromCsv(text)) == text);
    CHECK(training::logFromCsv(text + "cut,of\n").size() == 5);
}

TEST_CASE("curves are a well-formed picture for any log", "[unit]") {
    auto odd = someRows(3);
    odd[1].validLoss = std::numeric_limits<double>::quiet_NaN();
    for (const auto& rows : {std::vector<LogRow>(), someRows(1), someRows(2), someRows(40), odd}) {
        CAPTURE(rows.size());
        const auto svg = training::drawCurves(rows, "dogs & <cats>");
        CHECK(svg.rfind("<svg ", 0) == 0);
        CHECK(countOf(svg, "<svg") == countOf(svg, "</svg>"));
        CHECK(countOf(svg, "<text") == countOf(svg, "</text>"));
        CHECK(countOf(svg, "<") == countOf(svg, ">"));
        CHECK(countOf(svg, "\"") % 2 == 0);
        CHECK_THAT(svg, ContainsSubstring("dogs &amp; &lt;cats&gt;"));
        CHECK(svg.find("nan") == std::string::npos);
        CHECK(svg.find("inf") == std::string::npos);
    }
    const auto svg = training::drawCurves(someRows(40), "run");
    CHECK(countOf(svg, "<polyline") == 5);
    for (const std::string name : {"training", "validation", "event F1", "segment F1", "mean AP", "epoch"})
        CHECK_THAT(svg, ContainsSubstring(">" + name + "<"));
}
