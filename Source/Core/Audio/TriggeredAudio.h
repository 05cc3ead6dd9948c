// AudioMoth recordings whose quiet stretches were left out: with an amplitude threshold or a frequency
// trigger the recorder writes NAME T.WAV, in which a block of 512 bytes stands for each stretch. Its first 32
// samples are 1 or -1, the bits of the number of left-out blocks of 512 bytes, lowest first; the other 224
// are zeros. AudioMoth-Utils (expander.js, "readEncodedBlock") reads them so. One thread at a time.
#pragma once

#include "Core/Audio/InputFile.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace earshot::audio {

// Finds such blocks in mono samples of 16 bits, wherever they begin: a copy by another program moves them.
class LeftOutFinder {
  public:
    static constexpr std::int64_t blockSamples = 256;

    // Calls found(first, blocks) for each: its first sample, and how many blocks it stands for.
    using Found = std::function<void(std::int64_t first, std::int64_t blocks)>;
    void push(std::span<const std::int16_t> samples, const Found& found = {});
    bool hasFound() const { return found_; }

  private:
    std::int64_t samples_ = 0; // so far
    std::uint32_t bits_ = 0;   // of the last samples, the newest on top
    int signs_ = 0;            // how many of the last samples were 1 or -1, zeros after them left out
    int zeros_ = 0;            // how many zeros follow them
    bool found_ = false;

    void end(const Found& found);
};

// Whether the name or the header of a recording says that AudioMoth left quiet stretches out.
bool namesTriggeredAudio(InputFile& input);

// Puts the silence back into a mono WAV of 16 bits: from here on `input` reads as the recording with all of
// its time, and a header that counts it. Reads all of the file once. Returns false for other files. Throws
// Error when the blocks count more time than a recording can have.
bool putSilenceBack(InputFile& input);

// For a recording that has such blocks, but is no WAV in which silence can be put back.
std::string leftOutMessage(const std::string& name);

} // namespace earshot::audio
