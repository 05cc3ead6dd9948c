#include "Cli/Listen/ListenOptions.h"

#include "Cli/ExitCode.h"
#include "Core/Base/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace earshot::cli {

namespace {

constexpr const char* listenExamples =
    "Examples:\n"
    "  earshot listen jack\n"
    "  earshot listen alsa --format csv --event-log sounds.csv\n"
    "  earshot listen alsa:plughw:1 --rate 32000 --channels 1 --only \"Dog,Bark\"\n"
    "  earshot listen 'jack:Mixer:.*' --channels 2 --format jsonl\n"
    "  arecord -f S16_LE -r 32000 -t wav - | earshot listen -\n"
    "  ffmpeg -v error -i rtsp://camera/stream -f wav - | earshot listen -\n"
    "  rec -t raw - | earshot listen - --sample-format s16le --rate 48000 \\\n"
    "      --channels 2\n";

constexpr int minRate = 1000, maxRate = 1'000'000; // Hz

} // namespace

std::optional<audio::RawFormat> ListenOptions::rawFormat() const {
    if (!sampleFormat) {
        if (fromStandardInput() && (rate || channels))
            throw UsageError("--rate and --channels are for devices and for samples without a header; add "
                             "--sample-format, as in --sample-format s16le");
        return std::nullopt;
    }
    if (!fromStandardInput())
        throw UsageError("--sample-format is for standard input (-); a device says what it gives");
    if (!rate) throw UsageError("--sample-format needs --rate, which samples without a header do not state");
    auto raw = audio::rawFormatNamed(*sampleFormat);
    raw->rate = *rate;
    raw->channels = channels.value_or(1);
    return raw;
}

audio::CaptureRequest ListenOptions::request() const {
    const auto colon = input.find(':');
    return {.device = colon == std::string::npos ? std::string() : input.substr(colon + 1),
            .channels = channels.value_or(0),
            .rate = rate.value_or(0)};
}

std::optional<std::pair<std::string, int>> ListenOptions::oscReceiver() const {
    if (!osc) return std::nullopt;
    constexpr double maxPort = 65535.0;
    const auto colon = osc->rfind(':');
    const auto port = colon == std::string::npos ? std::nullopt : parseNumber(osc->substr(colon + 1));
    if (colon == 0 || !port || *port < 1.0 || *port > maxPort || *port != std::floor(*port))
        throw UsageError("--osc: '" + *osc + "' is no HOST:PORT, as 127.0.0.1:9000");
    return std::pair(osc->substr(0, colon), static_cast<int>(*port));
}

void addListenOptions(CLI::App& command, ListenOptions& options) {
    command.footer(listenExamples);
    const OptionGroup general(command);
    general.add("INPUT", options.input, "",
                "-            WAV or FLAC on standard input, or samples (--sample-format)\n"
                "jack         the computer's inputs; PipeWire has them, too\n"
                "jack:PORTS   the ports that this regular expression names\n"
                "alsa         the usual input of ALSA, PulseAudio or PipeWire\n"
                "alsa:DEVICE  as arecord -L lists them");
    addModelOptions(general, options.analysis.model);
    const OptionGroup input(command, "Input");
    input.add("--sample-format", options.sampleFormat, "F",
              fmt::format("Standard input holds samples without a header, interleaved:\n{}",
                          fmt::join(audio::rawFormatNames(), ", ")),
              oneOf(audio::rawFormatNames()));
    input.add("--rate", options.rate, "HZ", "Their rate, or that of an ALSA device (default: 48000)",
              wholeNumberBetween(minRate, maxRate, "a whole number of Hz"));
    input.add("--channels", options.channels, "N",
              "Their channels (default: 1), or those of a device (default: 2, or all that it has)",
              wholeNumberBetween(1, audio::CaptureRequest::maxChannels));
    addListeningOptions(command, options.analysis,
                        "audio without an end cannot be analysed channel by channel; name one, or mix");
    addDecidingOptions(command, options.analysis);
    addQueryOptions(command, options.analysis.queries);
    const OptionGroup results(command, "Results");
    results.choose("--format", options.format,
                   Choices<ListenFormat>{{"table", ListenFormat::table},
                                         {"csv", ListenFormat::csv},
                                         {"jsonl", ListenFormat::jsonl}},
                   "table for people (default); csv and jsonl as 'earshot analyze' writes them");
    results.add("--event-log", options.eventLog, "FILE",
                "Also append events to this CSV file. It may be moved away at any time (logrotate), and\n"
                "while its disk is full, events wait");
    results.add("--osc", options.osc, "HOST:PORT",
                "Also send each event as an OSC message over UDP, /earshot/event, as the plugin does");
    addStartOption(results, options.analysis.starts.stated);
    addTimeZoneOption(results, options.analysis.starts.zone);
    results.flag("--quiet", options.analysis.quiet, "No notes and no summary; errors still show");
}

} // namespace earshot::cli
