// The cost of the plugin on the audio thread, and the delay of its notes and messages. Plays the demo
// recording in real time, in blocks of 512 stereo samples at 48 kHz, with the session running.
#include "Core/Audio/AudioFile.h"
#include "Core/Detection/Events/Rules.h"
#include "Plugin/EarshotProcessor.h"
#include "Support/Paths.h"
#include "Ui/ParameterIds.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace earshot;

namespace {

constexpr double rate = 48000.0;
constexpr int blockSize = 512;
constexpr double budget = blockSize / rate; // seconds
using Clock = std::chrono::steady_clock;

double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// (frames, 2), interleaved.
std::vector<float> readStereo(const std::string& path) {
    audio::AudioFile file(path);
    if (file.channels() != 2 || file.sampleRate() != static_cast<int>(rate))
        throw std::runtime_error(path + ": the benchmark needs a stereo recording at 48 kHz");
    std::vector<float> samples(static_cast<std::size_t>(file.frames()) * 2);
    samples.resize(file.readInterleaved(samples) * 2);
    return samples;
}

struct NoteOn {
    double at = 0.0; // stream seconds at the block's first sample
    formats::MidiNote note;
};

struct Run {
    std::vector<double> cost; // seconds a block
    std::vector<NoteOn> notes;
    std::vector<double> oscDelay;  // seconds from an event's end to its message
    std::vector<double> noteDelay; // seconds from an event's onset to its note
    streaming::Status status;
};

// When messages arrive, in stream time.
class OscClock : private juce::OSCReceiver::Listener<juce::OSCReceiver::RealtimeCallback> {
  public:
    explicit OscClock(const std::atomic<double>& now)
        : now_(now)
        , socket_(false) {
        socket_.bindToPort(0, "127.0.0.1");
        receiver_.addListener(this); // before the network thread starts, which reads the list without a lock
        receiver_.connectToSocket(socket_);
    }
    ~OscClock() override {
        receiver_.disconnect(); // joins the network thread
        receiver_.removeListener(this);
    }
    OscClock(const OscClock&) = delete;
    OscClock& operator=(const OscClock&) = delete;

    int port() const { return socket_.getBoundPort(); }
    std::vector<double> delays() {
        const std::scoped_lock lock(mutex_);
        return delays_;
    }

  private:
    void oscMessageReceived(const juce::OSCMessage& message) override {
        const std::scoped_lock lock(mutex_);
        delays_.push_back(now_.load() - static_cast<double>(message[2].getFloat32()));
    }

    const std::atomic<double>& now_;
    juce::DatagramSocket socket_;
    juce::OSCReceiver receiver_;
    std::mutex mutex_;
    std::vector<double> delays_;
};

std::optional<double> delayOf(const NoteOn& note, const std::vector<detection::Event>& events) {
    std::optional<double> nearest;
    for (const detection::Event& event : events)
        if (formats::MidiMap::defaultNote(event.classIndex) == note.note && event.onset <= note.at)
            nearest = note.at - event.onset; // by onset: the last one before the note
    return nearest;
}

Run play(const std::vector<float>& recording, double seconds) {
    Run run;
    std::atomic<double> now = 0.0;
    OscClock osc(now);
    plugin::EarshotProcessor processor;
    ui::OutputSettings outputs;
    outputs.osc = true;
    outputs.oscPort = osc.port();
    processor.outputs().set(outputs);
    processor.parameters().getParameter(ui::parameter::midiOut)->setValueNotifyingHost(1.0f);
    processor.parameters().getParameter(ui::parameter::hold)->setValueNotifyingHost(0.0f);
    processor.prepareToPlay(rate, blockSize);
    while (processor.session().status().state == streaming::State::loading)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));

    juce::AudioBuffer<float> audio(2, blockSize);
    juce::MidiBuffer midi;
    midi.ensureSize(2048);
    const std::size_t frames = recording.size() / 2;
    const auto start = Clock::now();
    const int blocks = static_cast<int>(seconds / budget);
    run.cost.reserve(static_cast<std::size_t>(blocks));
    for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < blockSize; ++i) {
            const std::size_t frame =
                (static_cast<std::size_t>(block) * blockSize + static_cast<std::size_t>(i)) % frames;
            for (int channel = 0; channel < 2; ++channel)
                audio.setSample(channel, i, recording[2 * frame + static_cast<std::size_t>(channel)]);
        }
        midi.clear();
        const auto before = Clock::now();
        processor.processBlock(audio, midi);
        run.cost.push_back(std::chrono::duration<double>(Clock::now() - before).count());
        now = (block + 1) * budget;
        for (const auto metadata : midi) {
            const juce::MidiMessage message = metadata.getMessage();
            if (message.isNoteOn())
                run.notes.push_back({block * budget, {message.getNoteNumber(), message.getChannel()}});
        }
        std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(
                                                  std::chrono::duration<double>((block + 1) * budget)));
    }
    run.status = processor.session().status();
    streaming::History history;
    processor.session().copySince(history);
    if (history.timeline && history.labels) {
        const auto settings = detection::eventSettings(
            processor.rules(*history.labels, history.timeline->secondsPerColumn()), *history.labels);
        const auto events = detection::deriveEvents(*history.timeline, settings).events;
        for (const NoteOn& note : run.notes)
            if (const auto delay = delayOf(note, events)) run.noteDelay.push_back(*delay);
    }
    run.oscDelay = osc.delays();
    processor.releaseResources();
    return run;
}

void report(const Run& run) {
    const auto micro = [](double seconds) { return seconds * 1e6; };
    fmt::print("processBlock, {} stereo samples at 48 kHz, {} blocks in real time, session {}\n", blockSize,
               run.cost.size(), run.status.state == streaming::State::running ? "running" : "not keeping up");
    for (const auto& [name, part] :
         {std::pair{"median", 0.5}, std::pair{"p99.9", 0.999}, std::pair{"worst", 1.0}})
        fmt::print("  {:<7} {:8.1f} us  {:6.3f} % of the {:.1f} ms there are\n", name,
                   micro(quantile(run.cost, part)), 100.0 * quantile(run.cost, part) / budget, budget * 1e3);
    const auto delays = [](const char* name, const std::vector<double>& values) {
        if (values.empty()) return;
        fmt::print("  {:<34} median {:.2f} s, p95 {:.2f} s ({} of them)\n", name, quantile(values, 0.5),
                   quantile(values, 0.95), values.size());
    };
    delays("note after its sound's onset", run.noteDelay);
    delays("OSC message after its event's end", run.oscDelay);
    fmt::print("  worker: {:.0f} % of a core, {} chunks dropped, {} windows skipped\n",
               100.0 * run.status.load, run.status.droppedChunks, run.status.skippedWindows);
}

} // namespace

int main(int argc, char* argv[]) {
    CLI::App app("What Earshot's plugin costs the audio thread");
    std::string recording = test::demoFile().string();
    double seconds = 35.0;
    app.add_option("--recording", recording, "Stereo, 48 kHz; repeated as needed");
    app.add_option("--seconds", seconds, "How long to play")->check(CLI::Range(0.1, 3600.0));
    CLI11_PARSE(app, argc, argv);
    const juce::ScopedJuceInitialiser_GUI juce;
    try {
        ::setenv("EARSHOT_MODEL", test::defaultModelFile().c_str(), 0);
        report(play(readStereo(recording), seconds));
    } catch (const std::exception& error) {
        fmt::print(stderr, "earshot_plugin_bench: {}\n", error.what());
        return 1;
    }
    return 0;
}
