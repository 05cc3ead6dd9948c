// Clips that are one recording in several versions: as MP3, softer, padded with silence, resampled. They
// count as one source, because a sound that is found in a copy of what it was learnt from is not found again.
//
// Two clips are near copies if their samples correlate after level and shift (the store has brought them to
// one rate): max |sum a(t) b(t + shift)| / sqrt(sum a^2 sum b^2), with the envelope of the correlation, so
// that a shift by a part of a sample does not matter. Only clips with like spectra and like envelopes are
// correlated, and of each clip its first seconds of sound, so that thousands take seconds. Any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace earshot::training {

struct NearCopy {
    std::size_t copy = 0, original = 0; // indices of the clips; original < copy
};

// Each clip at most once as a copy. mayBe(a, b): whether the two are worth a comparison, as those of one
// source are not. proceed: called between comparisons; false ends the search with what was found.
std::vector<NearCopy> findNearCopies(std::span<const StoredClip* const> clips, int sampleRate,
                                     const std::function<bool(std::size_t, std::size_t)>& mayBe,
                                     const std::function<bool()>& proceed);

// Of the clips of `data` that are among `examples`, gives each near copy of one with the same labels its
// group, and lists it as a problem.
void joinNearCopies(DataSet& data, std::span<const StoredClip* const> examples, int sampleRate,
                    const std::function<bool()>& proceed);

} // namespace earshot::training
