#include "Core/Training/Run/RunSources.h"

#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Data/CombinedSource.h"
#include "Core/Training/Data/RecordingSource.h"

#include <algorithm>

namespace earshot::training {

RunSources sourcesOf(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                     const SceneSettings& settings, Split split, std::uint64_t seed) {
    const auto count = [&](auto isOfKind) {
        return static_cast<double>(std::ranges::count_if(store.clips(), [&](const StoredClip& stored) {
            return stored.clip->split == split && isOfKind(stored);
        }));
    };
    RunSources sources;
    std::vector<CombinedSource::Part> parts;
    if (hasScenes(store, split)) {
        sources.scenes = std::make_shared<const SceneMixer>(store, data, shape, settings, split, seed);
        parts.push_back({sources.scenes, count(canBeMixed)});
    }
    if (hasRecordings(store, split))
        parts.push_back({std::make_shared<const RecordingSource>(store, data, shape, settings, split, seed),
                         count(isRecording)});
    if (parts.size() == 1) sources.examples = parts.front().source;
    if (parts.size() > 1) sources.examples = std::make_shared<const CombinedSource>(std::move(parts), seed);
    return sources;
}

} // namespace earshot::training
