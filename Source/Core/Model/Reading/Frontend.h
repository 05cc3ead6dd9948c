// The rate, the hop and the mel bands of a checkpoint's frontend, which no shape shows. Pure functions, but
// for reading the mel matrix: one thread at a time.
//
// Published settings: 32 kHz with a hop of 320 samples (HTS-AT for AudioSet, ESC-50 and DESED), 16 kHz with
// 160 (Speech Commands V2), 48 kHz with 480 (LAION-CLAP), all with an FFT of 1024 samples and 64 Slaney bands
// from 50 to 14000 Hz; and Microsoft CLAP, which takes 44.1 kHz with a hop of 320 through the matrix of 32
// kHz.
#pragma once

#include "Core/Model/Reading/ConfigReader.h"

#include <optional>
#include <string_view>

namespace earshot::model {

// The rate (Hz) and the hop (samples) of the authors' models of a kind.
struct PublishedFrontend {
    int sampleRate = 0, hopSize = 0;
};
PublishedFrontend publishedFrontend(std::string_view kind);

// Recovers the settings of the mel matrix of the network that findNetworks() chooses. Returns nothing if
// there is no such matrix or network. Throws earshot::Error if the matrix cannot be read.
std::optional<MelSettings> readMelSettings(Checkpoint& checkpoint);

// Completes layout.config and layout.origins. Where nothing shows the rate, the names of the classes decide
// whether it is that of Speech Commands V2, and their number alone if nobody names them. Expects kind and mel
// in the layout, and the FFT size, bands and classes in its config.
void completeFrontend(CheckpointLayout& layout, const Checkpoint& checkpoint, const PartialConfig& stated);

} // namespace earshot::model
