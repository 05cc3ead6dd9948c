// processBlock between RealtimeSanitizer's marks: what allocates, locks or calls the system there is reported
// and ends the program with an error. A user turns every knob meanwhile.
#include "ProcessorRig.h"
#include "Ui/ParameterIds.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <random>
#include <thread>

extern "C" {
// The runtime's names.
void __rtsan_realtime_enter(); // NOLINT(bugprone-reserved-identifier)
void __rtsan_realtime_exit();  // NOLINT(bugprone-reserved-identifier)
}

// The runtime calls exit() where it has found something, while other threads run: nothing may be destroyed
// under them. (A program whose main() returns does not come here.)
extern "C" [[noreturn]] void exit(int code) noexcept { std::_Exit(code); }

using namespace earshot;

namespace {

int run(bool allocate) {
    const test::ModelEnvironment environment;
    juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    plugin::EarshotProcessor processor;
    test::TestPlayHead head;
    head.playing = true;
    processor.setPlayHead(&head);
    test::setParameter(processor, ui::parameter::midiOut, 1.0f);
    test::setParameter(processor, ui::parameter::threshold, 0.05f);
    processor.prepareToPlay(48000.0, 512);
    std::atomic<bool> stop = false;
    std::atomic<int> notes = 0;
    std::thread audio([&] {
        std::mt19937 random(1);
        juce::MidiBuffer midi;
        midi.ensureSize(2048);
        for (int at = 0; !stop; at = (at + 4096) % (demo.getNumSamples() - 4096)) {
            juce::AudioBuffer<float> block(demo.getArrayOfWritePointers(), 2, at,
                                           static_cast<int>(random() % 4096));
            __rtsan_realtime_enter();
            processor.processBlock(block, midi);
            if (allocate) delete new volatile int(1);
            __rtsan_realtime_exit();
            notes += midi.getNumEvents();
            head.seconds += 0.1;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    for (int i = 0; i < 400; ++i) {
        test::setParameter(processor, ui::parameter::hopSeconds, static_cast<float>(i % 9));
        test::setParameter(processor, ui::parameter::bypass, i % 10 == 0 ? 1.0f : 0.0f);
        test::setParameter(processor, ui::parameter::midiOut, i % 8 == 0 ? 0.0f : 1.0f);
        processor.followParameters();
        if (i % 100 == 50) processor.model().loadDefault();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    stop = true;
    audio.join();
    processor.setPlayHead(nullptr);
    processor.releaseResources();
    std::printf("nothing found; %d MIDI events went out\n", notes.load());
    return notes > 0 ? 0 : 1;
}

} // namespace

int main(int argc, char* argv[]) {
    try {
        const juce::ScopedJuceInitialiser_GUI juce;
        return run(argc > 1 && std::strcmp(argv[1], "--allocate") == 0);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "earshot_rtsan: %s\n", error.what());
        return 1;
    }
}
