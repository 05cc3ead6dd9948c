#include "OscInbox.h"
#include "ProcessorRig.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"
#include "Ui/ParameterIds.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace earshot;

namespace {

constexpr double rate = 48000.0;

// file,onset_s,offset_s,label,class_index,peak,mean,confidence,channel,onset_time,instance; the default
// model's labels need no quotes.
struct Line {
    double onset = 0.0;
    double offset = 0.0;
    std::string label;
    int classIndex = 0;
    float peak = 0.0f;
    std::string instance;
};

std::vector<Line> linesOf(const std::string& log) {
    std::vector<Line> lines;
    std::istringstream stream(log);
    for (std::string row; std::getline(stream, row);) {
        if (row.rfind("live,", 0) != 0) continue;
        const auto cells = juce::StringArray::fromTokens(row, ",", "\"");
        REQUIRE(cells.size() == 11);
        lines.push_back({cells[1].getDoubleValue(), cells[2].getDoubleValue(), cells[3].toStdString(),
                         cells[4].getIntValue(), cells[5].getFloatValue(), cells[10].toStdString()});
    }
    return lines;
}

// Whole seconds and the rest.
double exactTime(const juce::OSCMessage& message, int at) {
    return static_cast<double>(message[at].getInt32()) + static_cast<double>(message[at + 1].getFloat32());
}

constexpr int fluteClass = 27; // of the default model

struct Notes {
    std::map<std::pair<int, int>, int> begun; // by channel and note
    std::set<std::pair<int, int>> sounding;

    void take(const juce::MidiBuffer& midi) {
        for (const auto metadata : midi) {
            const juce::MidiMessage message = metadata.getMessage();
            const std::pair key{message.getChannel(), message.getNoteNumber()};
            if (message.isNoteOn()) {
                ++begun[key];
                REQUIRE(sounding.insert(key).second);
                REQUIRE(message.getVelocity() > 0);
            } else {
                REQUIRE(message.isNoteOff());
                REQUIRE(sounding.erase(key) == 1);
            }
        }
    }
    bool sounds(int classIndex) const {
        const auto note = formats::MidiMap::defaultNote(classIndex);
        return sounding.contains({note.channel, note.note});
    }
    int count() const {
        int sum = 0;
        for (const auto& [key, times] : begun) sum += times;
        return sum;
    }
};

class LogEnvironment {
  public:
    explicit LogEnvironment(const std::filesystem::path& file) {
        ::setenv("EARSHOT_EVENT_LOG", file.c_str(), 1);
    }
    ~LogEnvironment() { ::unsetenv("EARSHOT_EVENT_LOG"); }
    LogEnvironment(const LogEnvironment&) = delete;
    LogEnvironment& operator=(const LogEnvironment&) = delete;
};

// The demo, and silence after it in which everything ends.
juce::AudioBuffer<float> demoAndSilence() {
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    juce::AudioBuffer<float> audio(demo.getNumChannels(), demo.getNumSamples() + static_cast<int>(25 * rate));
    audio.clear();
    for (int channel = 0; channel < demo.getNumChannels(); ++channel)
        audio.copyFrom(channel, 0, demo, channel, 0, demo.getNumSamples());
    return audio;
}

} // namespace

TEST_CASE("notes, OSC messages and the event log tell of the same events", "[slow]") {
    const test::ModelEnvironment environment;
    const test::TemporaryDirectory folder;
    const LogEnvironment logged(folder / "events.csv");
    test::OscInbox inbox;
    Notes notes;
    std::vector<Line> lines;
    {
        plugin::EarshotProcessor processor;
        ui::OutputSettings outputs;
        outputs.osc = true;
        outputs.oscPort = inbox.port();
        outputs.midi.set(0, {99, 16});
        processor.outputs().set(outputs);
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        test::setParameter(processor, ui::parameter::mergeGap, 1.0f); // no pause is shorter than the hop
        test::setParameter(processor, ui::parameter::hold, 0.0f);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 512);
        juce::AudioBuffer<float> audio = demoAndSilence();
        test::playThrough(
            processor, audio, [] { return 512; },
            [&](const juce::MidiBuffer& midi, int) { notes.take(midi); });
        processor.releaseResources();
        REQUIRE(processor.outputs().problem().isEmpty());
    }
    const std::string log = test::readBytes(folder / "events.csv");
    INFO(log);
    lines = linesOf(log);
    REQUIRE(lines.size() >= 5);
    REQUIRE(log.rfind("file,onset_s", 0) == 0);
    REQUIRE(log.find("\n# " + std::to_string(lines.size()) + " events in ") != std::string::npos);
    std::set<std::string> labels;
    for (const Line& line : lines) labels.insert(line.label);
    for (const char* label : {"Speech", "Flute", "Tom", "Clarinet"}) REQUIRE(labels.count(label) == 1);

    const auto messages = inbox.waitFor(lines.size());
    REQUIRE(messages.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        REQUIRE(messages[i].getAddressPattern().toString() == "/earshot/event");
        REQUIRE(messages[i].size() == 9);
        REQUIRE(messages[i][0].getString().toStdString() == lines[i].label);
        REQUIRE(messages[i][1].getFloat32() == Approx(lines[i].onset).margin(0.01));
        REQUIRE(messages[i][2].getFloat32() == Approx(lines[i].offset).margin(0.01));
        REQUIRE(messages[i][3].getFloat32() == Approx(lines[i].peak).margin(0.01));
        REQUIRE(messages[i][4].getString().toStdString() == lines[i].instance);
        REQUIRE(exactTime(messages[i], 5) == Approx(lines[i].onset).margin(0.0006));
        REQUIRE(exactTime(messages[i], 7) == Approx(lines[i].offset).margin(0.0006));
    }

    REQUIRE(notes.sounding.empty());
    REQUIRE(notes.count() == static_cast<int>(lines.size()));
    for (const Line& line : lines) {
        const auto note =
            line.classIndex == 0 ? formats::MidiNote{99, 16} : formats::MidiMap::defaultNote(line.classIndex);
        INFO(line.label);
        REQUIRE(--notes.begun[{note.channel, note.note}] >= 0);
    }
}

TEST_CASE("a bounce has the same notes at any speed of the host, as late as a live stream has them",
          "[slow]") {
    const test::ModelEnvironment environment;
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    constexpr int seconds = 16; // a speaker from 2 s to 7 s, and a flute from 9 s to 14 s
    struct Note {
        double at = 0.0; // seconds
        bool on = false;
        int note = 0;
        bool operator==(const Note&) const = default;
    };
    const auto bounced = [&](int pausedMs) {
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        test::setParameter(processor, ui::parameter::hold, 0.0f);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 512);
        juce::AudioBuffer<float> audio(demo.getNumChannels(), seconds * static_cast<int>(rate));
        for (int channel = 0; channel < audio.getNumChannels(); ++channel)
            audio.copyFrom(channel, 0, demo, channel, 0, audio.getNumSamples());
        std::vector<Note> notes;
        test::playThrough(
            processor, audio,
            [&] {
                juce::Thread::sleep(pausedMs);
                return 512;
            },
            [&](const juce::MidiBuffer& midi, int at) {
                for (const auto metadata : midi) {
                    const juce::MidiMessage message = metadata.getMessage();
                    notes.push_back(
                        {(at + metadata.samplePosition) / rate, message.isNoteOn(), message.getNoteNumber()});
                }
            });
        processor.releaseResources();
        return notes;
    };
    const std::vector<Note> fast = bounced(0);
    REQUIRE(fast == bounced(2));
    REQUIRE(fast.size() >= 4);
    REQUIRE(fast[0].on);
    REQUIRE(fast[0].at < 3.0);
    REQUIRE(fast[2].on);
    REQUIRE(fast[2].at > 9.0);
    REQUIRE(fast[2].at < 10.2);
}

TEST_CASE("the tail that a host is told of lets each note end", "[slow]") {
    const test::ModelEnvironment environment;
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    for (const float hold : {0.0f, 10.0f}) {
        CAPTURE(hold);
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        test::setParameter(processor, ui::parameter::hold, hold);
        test::setParameter(processor, ui::parameter::mergeGap, 1.0f);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 512);
        Notes notes;
        const auto play = [&](juce::AudioBuffer<float> audio) {
            test::playThrough(
                processor, audio, [] { return 512; },
                [&](const juce::MidiBuffer& midi, int) { notes.take(midi); });
        };
        const auto start = static_cast<int>(9.0 * rate); // the flute ends at 13.8 s
        juce::AudioBuffer<float> flute(demo.getNumChannels(), static_cast<int>(4.8 * rate));
        for (int channel = 0; channel < flute.getNumChannels(); ++channel)
            flute.copyFrom(channel, 0, demo, channel, start, flute.getNumSamples());
        play(flute);
        REQUIRE(notes.sounds(fluteClass));
        juce::AudioBuffer<float> tail(2, static_cast<int>(processor.getTailLengthSeconds() * rate));
        tail.clear();
        play(tail);
        REQUIRE(notes.sounding.empty());
        juce::MidiBuffer midi;
        processor.endNotes(midi);
        REQUIRE(midi.isEmpty());
    }
}

TEST_CASE("activations come once a column, in order, likeliest first", "[slow]") {
    const test::ModelEnvironment environment;
    test::OscInbox inbox;
    std::int64_t columns = 0;
    {
        plugin::EarshotProcessor processor;
        ui::OutputSettings outputs;
        outputs.osc = true;
        outputs.oscActivation = true;
        outputs.oscPort = inbox.port();
        processor.outputs().set(outputs);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 512);
        juce::AudioBuffer<float> audio = test::readAudio(test::demoFile());
        test::playThrough(
            processor, audio, [] { return 512; }, [](const juce::MidiBuffer&, int) {});
        processor.releaseResources();
        streaming::History history;
        processor.bounce()->copySince(history);
        columns = history.timeline->columns();
    }
    std::vector<juce::OSCMessage> activations;
    for (const auto& message : inbox.waitFor(static_cast<std::size_t>(columns)))
        if (message.getAddressPattern().toString() == "/earshot/activation") activations.push_back(message);
    REQUIRE(static_cast<std::int64_t>(activations.size()) >= columns - 8);
    bool anySounds = false;
    float last = -1.0f;
    for (const auto& message : activations) {
        REQUIRE(message.size() % 2 == 0);
        REQUIRE(message[message.size() - 3].getString() == "1");
        REQUIRE(exactTime(message, message.size() - 2) ==
                Approx(static_cast<double>(message[0].getFloat32())).margin(1e-4));
        REQUIRE(message[0].getFloat32() > last);
        last = message[0].getFloat32();
        for (int i = 1; i < message.size() - 3; i += 2) {
            anySounds = true;
            REQUIRE(message[i].getString().isNotEmpty());
            if (i > 1) REQUIRE(message[i + 1].getFloat32() <= message[i - 1].getFloat32());
        }
    }
    REQUIRE(anySounds);
}

TEST_CASE(
    "switching MIDI out off, or bypassing, ends what sounds in the next block, and notes of what goes on "
    "come back",
    "[slow]") {
    const test::ModelEnvironment environment;
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    for (const char* switched : {ui::parameter::midiOut, ui::parameter::bypass}) {
        Notes notes;
        plugin::EarshotProcessor processor;
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        processor.setNonRealtime(true);
        processor.prepareToPlay(rate, 512);
        // A long hold keeps notes sounding once they began.
        test::setParameter(processor, ui::parameter::hold, 10.0f);
        juce::MidiBuffer midi;
        constexpr int block = 512;
        int at = 0;
        const auto playBlock = [&] {
            juce::AudioBuffer<float> audio(demo.getNumChannels(), block);
            for (int channel = 0; channel < audio.getNumChannels(); ++channel)
                audio.copyFrom(channel, 0, demo, channel, at, block);
            midi.clear();
            processor.processBlock(audio, midi);
            notes.take(midi);
            at += block;
        };
        while (at + block <= demo.getNumSamples() && notes.sounding.empty()) playBlock();
        REQUIRE_FALSE(notes.sounding.empty());
        const auto before = notes.sounding;
        test::setParameter(processor, switched, switched == ui::parameter::bypass ? 1.0f : 0.0f);
        juce::AudioBuffer<float> silence(2, 512);
        silence.clear();
        midi.clear();
        processor.processBlock(silence, midi);
        for (const auto metadata : midi) REQUIRE(metadata.getMessage().isNoteOff());
        REQUIRE_FALSE(midi.isEmpty());
        notes.take(midi);
        REQUIRE(notes.sounding.empty());

        test::setParameter(processor, switched, switched == ui::parameter::bypass ? 0.0f : 1.0f);
        for (const int back = at; at < back + static_cast<int>(1.0 * rate);) playBlock();
        REQUIRE(notes.sounding == before);
        // A sound that began while MIDI out was off gets its note, too.
        test::setParameter(processor, ui::parameter::midiOut, 0.0f);
        while (at < static_cast<int>(11.0 * rate)) playBlock(); // a flute sounds from 9 s on
        REQUIRE(notes.sounding.empty());
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        while (at < static_cast<int>(12.0 * rate)) playBlock();
        REQUIRE(notes.sounds(fluteClass));
        REQUIRE(notes.sounding != before);
    }
}

TEST_CASE("a sound that ended during a bypass has no note after it", "[slow]") {
    const test::ModelEnvironment environment;
    const juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    Notes notes;
    plugin::EarshotProcessor processor;
    test::setParameter(processor, ui::parameter::midiOut, 1.0f);
    processor.setNonRealtime(true);
    processor.prepareToPlay(rate, 512);
    const auto play = [&](int at) { // negative: silence
        juce::AudioBuffer<float> audio(demo.getNumChannels(), 512);
        audio.clear();
        for (int channel = 0; channel < audio.getNumChannels() && at >= 0; ++channel)
            audio.copyFrom(channel, 0, demo, channel, at, 512);
        juce::MidiBuffer midi;
        processor.processBlock(audio, midi);
        notes.take(midi);
    };
    for (int at = static_cast<int>(8.0 * rate); at < static_cast<int>(12.0 * rate); at += 512) play(at);
    REQUIRE_FALSE(notes.sounding.empty()); // a flute from 9 s to 14 s
    test::setParameter(processor, ui::parameter::bypass, 1.0f);
    play(-1);
    test::setParameter(processor, ui::parameter::bypass, 0.0f);
    for (int i = 0; i < static_cast<int>(3.0 * rate); i += 512) {
        play(-1);
        REQUIRE(notes.sounding.empty());
    }
}

TEST_CASE("OSC has exact times where a float has not, at the position of a week and of a month", "[slow]") {
    const test::ModelEnvironment environment;
    juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    for (const double start : {604800.0, 2592000.0, -30.0}) {
        CAPTURE(start);
        test::OscInbox inbox;
        const test::TemporaryDirectory folder;
        const LogEnvironment logged(folder / "events.csv");
        std::int64_t columns = 0;
        {
            plugin::EarshotProcessor processor;
            test::TestPlayHead head;
            head.playing = true;
            head.seconds = start;
            processor.setPlayHead(&head);
            ui::OutputSettings outputs;
            outputs.osc = outputs.oscActivation = true;
            outputs.oscPort = inbox.port();
            outputs.instance = "Hall, left";
            processor.outputs().set(outputs);
            test::setParameter(processor, ui::parameter::mergeGap, 1.0f); // one event of speech
            processor.setNonRealtime(true);
            processor.prepareToPlay(rate, 512);
            juce::AudioBuffer<float> audio(demo.getNumChannels(), static_cast<int>(8.2 * rate)); // a speaker
            for (int channel = 0; channel < audio.getNumChannels(); ++channel)
                audio.copyFrom(channel, 0, demo, channel, 0, audio.getNumSamples());
            test::playThrough(
                processor, audio, [] { return 512; },
                [&](const juce::MidiBuffer&, int) { head.seconds += 512 / rate; });
            processor.releaseResources();
            streaming::History history;
            processor.bounce()->copySince(history);
            columns = history.timeline->columns();
        }
        const auto cells = juce::StringArray::fromTokens(
            juce::String(test::readBytes(folder / "events.csv")).fromFirstOccurrenceOf("live,", true, false),
            ",", "\"");
        REQUIRE(cells[3] == "Speech");
        const double onset = cells[1].getDoubleValue();
        REQUIRE(onset == Approx(start + 2.0).margin(0.5));
        CHECK(test::readBytes(folder / "events.csv").find(",,,\"Hall, left\"") != std::string::npos);
        std::set<double> times;
        int activations = 0;
        for (const auto& message : inbox.waitFor(static_cast<std::size_t>(columns + 1))) {
            if (message.getAddressPattern().toString() == "/earshot/activation") {
                ++activations;
                times.insert(exactTime(message, message.size() - 2));
                CHECK(message[message.size() - 3].getString() == "Hall, left");
            } else {
                CHECK(message[4].getString() == "Hall, left");
                CHECK(std::abs(exactTime(message, 5) - onset) < 0.0006);
            }
        }
        CHECK(activations >= columns - 8);
        CHECK(static_cast<int>(times.size()) == activations);
    }
}

TEST_CASE("instances have the lowest free numbers, the track's name where the host gives it, and the user's",
          "[unit]") {
    const auto nameOf = [](const plugin::EventOutputs& outputs) { return outputs.instance().toStdString(); };
    juce::AudioProcessorGraph processor;
    plugin::Parameters parameters(processor);
    plugin::MidiOut midi;
    plugin::EventOutputs first(parameters, midi);
    const std::string number = nameOf(first);
    {
        const plugin::EventOutputs second(parameters, midi);
        CHECK(std::stoi(nameOf(second)) == std::stoi(number) + 1);
    }
    const plugin::EventOutputs third(parameters, midi);
    CHECK(std::stoi(nameOf(third)) == std::stoi(number) + 1);
    first.setTrackName("Drums");
    CHECK(nameOf(first) == "Drums");
    ui::OutputSettings settings;
    settings.instance = "Hall";
    first.set(settings);
    CHECK(nameOf(first) == "Hall");
    settings.instance = {};
    first.set(settings);
    first.setTrackName("  ");
    CHECK(nameOf(first) == number);
}
