#include "Core/Audio/Repairs.h"

#include "Core/Audio/OggPages.h"
#include "Core/Audio/VocBlocks.h"

#include <utility>

namespace earshot::audio {

namespace {

void repairOgg(InputFile& input, Repairs& repairs) {
    cutOggZeros(input);
    if (const auto flac = unwrapOggFlac(input); flac != OggFlac::none) {
        repairs.joined = flac == OggFlac::joined;
        repairs.cut = flac == OggFlac::cut;
        return;
    }
    repairs.cut = !oggEndIsThere(input);
    repairs.wrongPositions = oggPositionsLie(input);
    if (repairs.wrongPositions) countOggPackets(input);
    if (auto marked = markOggEnd(input)) repairs.corrections = std::move(*marked);
}

} // namespace

Repairs repair(InputFile& input) {
    Repairs repairs;
    if (oggPageAt(input, 0))
        repairOgg(input, repairs);
    else
        joinVocBlocks(input);
    repairs.flac = measureFlac(input);
    if (repairs.flac) {
        const auto& [counted, present, bits, at] = *repairs.flac;
        repairs.cut = repairs.cut || !present;
        // One that counts more may be the first of several in one file.
        if (present && *present > counted) repairs.corrections.push_back(repairs.flac->correction(input));
        return repairs;
    }
    repairs.counted = findCountedAudio(input);
    if (repairs.counted) repairs.corrections = repairs.counted->corrections;
    return repairs;
}

} // namespace earshot::audio
