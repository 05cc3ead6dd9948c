#include "ProcessorRig.h"
#include "Support/Catch.h"
#include "Support/RealtimeGuard.h"
#include "Support/Skip.h"
#include "Ui/ParameterIds.h"

#include <atomic>
#include <random>
#include <string>
#include <thread>

using namespace earshot;

TEST_CASE("processBlock does nothing that an audio thread must not do, whatever happens around it",
          "[slow]") {
    if (!test::RealtimeGuard::available())
        return test::skip("the guard stands in for glibc's functions, as sanitizers do");
    const test::ModelEnvironment environment;
    std::mt19937 random(9);
    juce::AudioBuffer<float> demo = test::readAudio(test::demoFile());
    for (const double rate : {8000.0, 44100.0, 48000.0, 192000.0}) {
        plugin::EarshotProcessor processor;
        test::TestPlayHead head;
        head.playing = true;
        head.rate = rate;
        processor.setPlayHead(&head);
        test::setParameter(processor, ui::parameter::midiOut, 1.0f);
        test::setParameter(processor, ui::parameter::threshold, 0.05f); // many notes
        processor.setRateAndBufferSizeDetails(rate, 512);
        processor.prepareToPlay(rate, 512);
        // A user at the controls meanwhile.
        std::atomic<bool> stop = false;
        std::atomic<int> notes = 0;
        std::thread audio([&] {
            juce::MidiBuffer midi;
            midi.ensureSize(2048); // as JUCE's wrappers do
            std::mt19937 sizes(10);
            for (int block = 0; !stop; ++block) {
                const int samples = static_cast<int>(sizes() % 4096);
                juce::AudioBuffer<float> buffer(2, samples);
                for (int channel = 0; channel < 2; ++channel)
                    for (int i = 0; i < samples; ++i)
                        buffer.setSample(channel, i,
                                         demo.getSample(channel, (block * 2048 + i) % demo.getNumSamples()));
                if (sizes() % 20 == 0) head.seconds = static_cast<double>(sizes() % 100);
                std::vector<std::string> calls;
                {
                    test::RealtimeGuard guard;
                    processor.processBlock(buffer, midi);
                    calls = guard.violations();
                }
                notes += midi.getNumEvents();
                if (!calls.empty()) {
                    UNSCOPED_INFO("block " << block << " at " << rate);
                    CHECK(calls == std::vector<std::string>{});
                    break;
                }
                head.seconds += samples / rate;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        for (int i = 0; i < 150 || (notes == 0 && i < 3000); ++i) { // a slow machine takes longer to hear
            test::setParameter(processor, ui::parameter::threshold,
                               static_cast<float>(random() % 30) / 100.0f);
            test::setParameter(processor, ui::parameter::hopSeconds, static_cast<float>(random() % 9));
            test::setParameter(processor, ui::parameter::bypass, random() % 10 == 0 ? 1.0f : 0.0f);
            test::setParameter(processor, ui::parameter::midiOut, random() % 8 != 0 ? 1.0f : 0.0f);
            processor.followParameters();
            if (i % 40 == 20) processor.model().loadDefault();
            if (i % 50 == 25) processor.prepareToPlay(rate, 512); // a rude host: while audio runs
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        stop = true;
        audio.join();
        CHECK(notes > 0);
        processor.setPlayHead(nullptr);
        processor.releaseResources();
    }
}
