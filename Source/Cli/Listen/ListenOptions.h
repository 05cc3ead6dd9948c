// The options of `earshot listen`. The command line fills them; everything else reads them.
#pragma once

#include "Cli/Analyze/AnalyzeOptions.h"
#include "Core/Audio/Devices/Capture.h"
#include "Core/Audio/RawAudio.h"

#include <optional>
#include <string>
#include <utility>

namespace earshot::cli {

enum class ListenFormat { table, csv, jsonl };

struct ListenOptions {
    // The model, what is analysed, and what counts as an event: as `earshot analyze` has them.
    AnalyzeOptions analysis;
    std::string input; // "-", "jack", "jack:PORTS", "alsa", "alsa:DEVICE"
    std::optional<std::string> sampleFormat;
    std::optional<int> rate, channels;
    ListenFormat format = ListenFormat::table;
    std::optional<std::string> eventLog;
    std::optional<std::string> osc; // "HOST:PORT"

    bool fromStandardInput() const { return input == "-"; }
    // Throws UsageError where the options do not fit together.
    std::optional<audio::RawFormat> rawFormat() const;
    audio::CaptureRequest request() const;
    // The host and the port of --osc; null without.
    std::optional<std::pair<std::string, int>> oscReceiver() const;
};

// `options` must outlive the parsing.
void addListenOptions(CLI::App& command, ListenOptions& options);

} // namespace earshot::cli
