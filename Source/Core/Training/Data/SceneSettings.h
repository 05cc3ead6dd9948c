// The settings of mixed training scenes. Levels are RMS in dB full scale; shares are probabilities, 0 to 1;
// values are drawn evenly from ranges. A plain value.
#pragma once

#include <string>
#include <vector>

namespace earshot::training {

struct SceneSettings {
    double seconds = 0.0; // of makeScene(); 0: one window. Examples are always one window

    int maxEvents = 4;        // in a window; at least one, except in empty scenes; a repeated sound is one
    float emptyShare = 0.08f; // scenes of background only
    float distractorShare = 0.25f; // scenes with one more sound, of no class, unlabelled
    // Events that may begin before the scene or end after it. The others lie within it if they are short
    // enough.
    float edgeShare = 0.3f;
    float partShare = 0.5f;    // long sounds of which only a part is used, with fades
    float repeatShare = 0.35f; // short sounds that come two to four times

    float quietestEvent = -35.0f; // of its sounding part
    float loudestEvent = -8.0f;
    float levelSpread = 12.0f; // dB that other events of a scene lie below its loudest at most

    float minSnr = -3.0f; // dB of the scene's loudest event over the background
    float maxSnr = 35.0f;
    float quietestBackground = -75.0f;
    float loudestBackground = -30.0f;
    float recordedShare = 0.5f;     // backgrounds that are recordings, if the data has some
    float noBackgroundShare = 0.1f; // digital silence between events
    float humShare = 0.08f;         // backgrounds with mains hum
    // Classes that could name the made background. If the background is not far below the events and none of
    // these classes sounds, they count as unknown (Example::known) instead of absent.
    std::vector<std::string> backgroundLabels = {"Noise", "Hum", "Static", "White noise", "Pink noise"};

    // Augmentation. Validation scenes have none.
    float speedShare = 0.7f; // played slower or faster
    float slowest = 0.85f;
    float fastest = 1.18f;
    float tiltShare = 0.6f; // a shelf of at most tiltRange dB up or down
    float tiltRange = 6.0f;
    float lowPassShare = 0.3f; // dull recordings, so that dullness names no class
    float minCut = 4000.0f;    // Hz
    float maxCut = 14000.0f;
    float sceneLowPassShare = 0.1f; // likewise for the whole scene: a dull microphone
    float reverbShare = 0.2f;
    float roomShare = 0.5f;        // of these: recorded rooms, if the data has some
    float layerShare = 0.0f;       // sounds made of two recordings of their class
    float lateShare = 0.0f;        // sounds that begin in the last second, as live notes meet them
    float cleanShare = 0.0f;       // scenes of one sound as it was recorded, without anything else
    float unlabelledShare = 0.25f; // of the sounds, if the data has some that a teacher alone names
    float softShare = 0.5f;        // of a teacher's soft labels in the targets, if there are some
    float cutOffShare = 0.1f; // scenes that end early, in digital silence: recordings shorter than a window
    float filterShare = 0.5f; // FilterAugment, of examples
    float filterRange = 6.0f; // dB up or down

    // SpecAugment
    float stripeShare = 0.5f; // examples with stripes
    int timeStripes = 2;      // at most
    int maxTimeStripe = 64;   // frames
    int melStripes = 2;
    int maxMelStripe = 8; // bands

    // Those of the labels that are among backgroundLabels, in upper or lower case: their indices.
    std::vector<int> backgroundClasses(const std::vector<std::string>& labels) const;

    // Up to two sounds in a window, well above the background: what careful recordings hold.
    static SceneSettings clear();

    // How much sounds differ from their recordings in speed, colour and room: 1 leaves the settings as they
    // are, 2 doubles ranges (octaves, dB) and applies shares twice, 0 leaves sounds unchanged. Above 1, some
    // sounds are layered.
    void vary(float amount);
};

} // namespace earshot::training
