#include "Core/Training/Run/TrainingLog.h"

#include "Core/Base/Csv.h"

#include <fmt/format.h>

#include <cmath>
#include <locale>
#include <sstream>

namespace earshot::training {

namespace {

constexpr const char* header = "epoch,steps,examples,loss,rate,gradient_norm,valid_loss,event_f1,segment_f1,"
                               "map,seconds,examples_per_second\n";
constexpr std::size_t columns = 12;

std::string number(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("{:.6g}", *value) : std::string();
}

std::optional<double> parsed(const std::string& text) {
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());
    double value = 0.0;
    if (!(stream >> value) || !stream.eof()) return std::nullopt;
    return value;
}

} // namespace

std::string logAsCsv(const std::vector<LogRow>& rows) {
    std::string text = header;
    for (const LogRow& row : rows)
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.1f},{:.1f}\n", row.epoch, row.steps,
                            row.examples, number(row.loss), number(row.rate), number(row.gradientNorm),
                            number(row.validLoss), number(row.eventF1), number(row.segmentF1),
                            number(row.meanAveragePrecision), row.seconds, row.examplesPerSecond);
    return text;
}

std::vector<LogRow> logFromCsv(std::string_view text) {
    std::vector<LogRow> rows;
    for (const CsvRow& fields : parseCsv(text)) {
        if (fields.size() != columns) continue;
        std::optional<double> values[columns];
        for (std::size_t i = 0; i < columns; ++i) values[i] = parsed(fields[i]);
        if (!values[0] || !values[1] || !values[2]) continue; // the header
        LogRow row;
        row.epoch = static_cast<int>(*values[0]);
        row.steps = static_cast<std::int64_t>(*values[1]);
        row.examples = static_cast<std::int64_t>(*values[2]);
        row.loss = values[3].value_or(0.0);
        row.rate = values[4].value_or(0.0);
        row.gradientNorm = values[5].value_or(0.0);
        row.validLoss = values[6];
        row.eventF1 = values[7];
        row.segmentF1 = values[8];
        row.meanAveragePrecision = values[9];
        row.seconds = values[10].value_or(0.0);
        row.examplesPerSecond = values[11].value_or(0.0);
        rows.push_back(row);
    }
    return rows;
}

} // namespace earshot::training
