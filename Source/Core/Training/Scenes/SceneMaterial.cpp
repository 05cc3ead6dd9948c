#include "Core/Training/Scenes/SceneMaterial.h"

#include "Core/Base/Error.h"
#include "Core/Training/Data/ClipRoles.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace earshot::training {

SceneMaterial::SceneMaterial(const ClipStore& store, const DataSet& data, Split split,
                             const std::vector<std::string>& backgroundLabels)
    : sampleRate_(store.sampleRate())
    , pools_(data.labels.size()) {
    std::map<std::pair<int, std::string>, std::vector<const StoredClip*>> groups;
    for (const auto& stored : store.clips()) {
        const Clip& clip = *stored.clip;
        if (clip.split != split || !canBeMixed(stored)) continue;
        groups[{clip.labels.empty() ? -1 : clip.labels.front(), clip.group}].push_back(&stored);
    }
    for (auto& [key, clips] : groups) {
        Pool& pool = key.first < 0 ? distractors_ : pools_[static_cast<std::size_t>(key.first)];
        pool.push_back(std::move(clips));
    }
    for (int label = 0; label < classes(); ++label) {
        if (!pools_[static_cast<std::size_t>(label)].empty()) drawn_.push_back(label);
        const std::string name = lowerCase(data.labels[static_cast<std::size_t>(label)]);
        if (std::ranges::any_of(backgroundLabels,
                                [&](const auto& other) { return lowerCase(other) == name; }))
            backgroundClasses_.push_back(label);
    }
    if (drawn_.empty())
        throw Error("there are no recordings of a single class to mix scenes of; add some, or label what "
                    "sounds when (file,onset,offset,label)");
}

const StoredClip& SceneMaterial::drawFrom(const Pool& pool, Dice& dice) {
    const auto& group = pool[dice.below(pool.size())];
    return *group[dice.below(group.size())];
}

const StoredClip& SceneMaterial::drawClip(Dice& dice) const {
    return drawClipOf(drawn_[dice.below(drawn_.size())], dice);
}

const StoredClip& SceneMaterial::drawClipOf(int label, Dice& dice) const {
    return drawFrom(pools_[static_cast<std::size_t>(label)], dice);
}

const StoredClip* SceneMaterial::drawDistractor(Dice& dice) const {
    return distractors_.empty() ? nullptr : &drawFrom(distractors_, dice);
}

} // namespace earshot::training
