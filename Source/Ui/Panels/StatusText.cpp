#include "Ui/Panels/StatusText.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace earshot::ui {

namespace {

using streaming::State;
using streaming::Status;

std::string percent(double share) {
    return fmt::format("{:.0f} %", std::isfinite(share) ? 100.0 * std::max(0.0, share) : 0.0);
}

std::string delay(const Status& status) {
    if (!(status.delayMedian > 0.0) || !std::isfinite(status.delayMedian)) return {};
    return fmt::format(" · {:.1f} s behind the sound", status.delayMedian);
}

std::string length(double seconds) {
    if (!(seconds >= 60.0)) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long long>(std::min(seconds, 1e9));
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string missed(const Status& status) {
    std::string text;
    if (status.droppedChunks > 0) text += " Some audio was lost and is treated as silence.";
    if (status.skippedWindows > 0) text += " Some stretches were skipped.";
    if (status.notAnalysed >= 0.1)
        text += fmt::format(" The last {:.1f} s were not analysed.", status.notAnalysed);
    return text;
}

StatusText running(const Status& status) {
    StatusText text{Tone::fine, "Running", {}, {}};
    if (status.progress) {
        text.brief = "Listening";
        text.text = "Analysing the recording · " + percent(*status.progress);
        text.detail = "The recording is analysed faster than it plays; results appear as they are ready.";
        return text;
    }
    text.text = "Running · " + percent(status.load) + " CPU" + delay(status);
    text.detail = fmt::format("Analyses audio every {:.2f} s{}.", status.hop,
                              status.precision.empty() ? "" : ", computing in " + status.precision);
    if (status.delayP95 > 0.0 && std::isfinite(status.delayP95))
        text.detail += fmt::format(" 95 of 100 columns are drawn within {:.1f} s.", status.delayP95);
    if (const double since = status.kept.columns.since; since > 0.0)
        text.detail += " The last " + length(status.heard - since) + " can be drawn; events stay.";
    text.detail += missed(status);
    return text;
}

StatusText overloaded(const Status& status) {
    StatusText text{Tone::busy, "Too slow", {}, {}};
    text.text = "Too slow for this computer · " + percent(status.load) + " CPU" + delay(status);
    text.detail =
        status.hop > status.hopWanted
            ? fmt::format("Earshot analyses audio every {:.2f} s instead of every {:.2f} s to keep up.",
                          status.hop, status.hopWanted)
            : std::string("Earshot cannot keep up.");
    text.detail += missed(status) + " Choose a longer hop in the settings, or a smaller model.";
    return text;
}

} // namespace

StatusText statusText(const Status& status) {
    StatusText text;
    switch (status.state) {
    case State::stopped:
        text = {Tone::idle, "Waiting", "Waiting for sound",
                "No audio is coming in yet: the host or the audio device is not running."};
        break;
    case State::loading:
        text = {Tone::busy, "Loading", "Loading the model…", "The model is loading."};
        break;
    case State::running:
        text = running(status);
        break;
    case State::overloaded:
        text = overloaded(status);
        break;
    case State::failed:
        text = {Tone::trouble, "Stopped", "Stopped by a problem",
                "Load another model or open another recording."};
        break;
    case State::finished:
        text = {Tone::fine, "Finished", "Finished", "The whole recording was analysed."};
        if (status.incomplete)
            text = {Tone::busy, "Incomplete", "Incomplete", "It ended early." + missed(status)};
        text.text += " · " + length(status.heard) + " analysed";
        break;
    }
    if (!status.message.empty()) text.detail = status.message;
    return text;
}

StatusText silenceText(const Status& status) {
    auto text = statusText(status);
    if (status.state != State::running || status.progress) return text;
    text.tone = Tone::idle;
    text.brief = text.text = "Silence";
    text.detail = "The input is silent. " + text.detail;
    return text;
}

std::string withoutPath(const std::string& message, const std::string& fileName) {
    const auto name = fileName + ": ";
    const auto at = message.find(name);
    const bool isPath = !fileName.empty() && at != std::string::npos && (at == 0 || message[at - 1] == '/');
    return isPath ? message.substr(at + name.size()) : message;
}

std::string keptText(const streaming::Kept& kept) {
    const auto megabytes = [](std::int64_t bytes) {
        return fmt::format("{:.0f} MB", static_cast<double>(bytes) / (1 << 20));
    };
    const auto part = [&](const char* name, const streaming::Kept::Part& one) {
        return fmt::format("{} {}{}", name, megabytes(one.bytes),
                           one.since > 0.0 ? ", without the first " + length(one.since) : std::string());
    };
    return part("Cells take", kept.columns) + part("; the spectrogram", kept.spectrogram) +
           (kept.vectors.bytes > 0 ? part("; what words are compared with", kept.vectors) : std::string()) +
           (kept.audio.bytes > 0 ? part("; the newest sound", kept.audio) : std::string()) + ".";
}

std::string modelText(const Status& status) {
    if (status.model.empty()) return status.state == State::loading ? "Loading…" : "No model";
    if (status.classes <= 0) return status.model;
    return fmt::format("{} · {} {}", status.model, status.classes, status.classes == 1 ? "sound" : "sounds");
}

} // namespace earshot::ui
