// The log of a training run: a row for each epoch, as CSV that any program plots. Plain values and pure
// functions: any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::training {

struct LogRow {
    int epoch = 0; // from 1
    std::int64_t steps = 0;
    std::int64_t examples = 0;
    double loss = 0.0; // mean of the epoch
    double rate = 0.0; // learning rate at its end
    double gradientNorm = 0.0;
    // These are set if the epoch was validated:
    std::optional<double> validLoss, eventF1, segmentF1, meanAveragePrecision;
    std::optional<double>
        embeddingR2;      // share of the variance of a teacher's embeddings that features tell, in training
    double seconds = 0.0; // of training and validation since the beginning, without pauses
    double examplesPerSecond = 0.0;
};

std::string logAsCsv(const std::vector<LogRow>& rows);
// Reads what logAsCsv wrote, and skips other rows.
std::vector<LogRow> logFromCsv(std::string_view text);

// The curves of a training run as an SVG picture: losses above, scores on the validation scenes below, over
// epochs. Pure function: any thread.

// title: plain text with any characters.
std::string drawCurves(const std::vector<LogRow>& rows, const std::string& title);

} // namespace earshot::training
