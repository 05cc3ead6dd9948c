#include "Core/Audio/AudioWriter.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/SixteenBit.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace earshot::audio {

void writeFlac(WholeFile& file, std::span<const float> mono, int sampleRate) {
    if (mono.empty())
        throw Error(displayName(file.target()) + ": there are no samples to write; mark a longer stretch");
    std::vector<std::int16_t> samples(mono.size());
    std::ranges::transform(mono, samples.begin(), toSixteenBit);
    file.write(encodeFlac(samples, sampleRate));
}

void writeFlac(const std::filesystem::path& target, std::span<const float> mono, int sampleRate) {
    WholeFile file(target);
    writeFlac(file, mono, sampleRate);
    file.commit();
}

} // namespace earshot::audio
