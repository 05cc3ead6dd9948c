#include "Core/Training/Data/DataSetSplits.h"

#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Training/Data/Example.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::uint64_t splitPurpose = 0x53504c4954; // for seedFor

struct Group {
    std::vector<std::size_t> clips;
    std::map<int, int> clipsOf; // by class
    bool open = false;          // its split is not decided yet
    bool valid = false;
    std::uint64_t lot = 0; // the order in which groups are drawn
};

// Sounds of no class are divided too, like those of a class.
constexpr int noClass = -1;

class Splitter {
  public:
    Splitter(std::vector<Clip>& clips, const std::vector<bool>& decided, int labels,
             const SplitChoice& choice, std::vector<Problem>& problems)
        : clips_(clips)
        , decided_(decided)
        , labels_(labels)
        , choice_(choice)
        , problems_(problems)
        , groupCounts_(static_cast<std::size_t>(labels) + 1, 0) {}

    void run() {
        collect();
        for (auto& [name, group] : groups_) decide(name, group);
        // Starts with the class that has the fewest groups: later ones have more choice.
        std::vector<int> classes(static_cast<std::size_t>(labels_ + 1));
        std::iota(classes.begin(), classes.end(), noClass);
        std::ranges::stable_sort(classes, {}, [this](int label) { return groupCounts_.at(slot(label)); });
        for (const int label : classes) draw(label);
        for (auto& [name, group] : groups_)
            for (const auto index : group.clips)
                if (group.open) clips_[index].split = group.valid ? Split::valid : Split::train;
    }

  private:
    static std::size_t slot(int label) { return static_cast<std::size_t>(label - noClass); }

    // Groups that are left out do not take part.
    void collect() {
        for (std::size_t i = 0; i < clips_.size(); ++i) {
            if (decided_[i] && clips_[i].split == Split::unused) continue;
            Group& group = groups_[clips_[i].group];
            group.clips.push_back(i);
            if (clips_[i].labels.empty() && clips_[i].kind != ClipKind::unlabelled) ++group.clipsOf[noClass];
            for (const int label : clips_[i].labels) ++group.clipsOf[label];
        }
        for (auto& [name, group] : groups_) {
            // A group's lot does not depend on other groups.
            group.lot = seedFor(choice_.seed, splitPurpose, fnv1a(name));
            for (const auto& [label, count] : group.clipsOf) ++groupCounts_[slot(label)];
        }
        trainGroups_ = groupCounts_;
    }

    // If the data names a split, it holds for the whole group.
    void decide(const std::string& name, Group& group) {
        bool inTrain = false, inValid = false;
        for (const auto index : group.clips)
            if (decided_[index]) (clips_[index].split == Split::valid ? inValid : inTrain) = true;
        group.open = !inTrain && !inValid;
        if (inValid && !inTrain) makeValid(group);
        if (group.open) return;
        if (inTrain && inValid)
            problems_.push_back({printable(name),
                                 "this group is in train and in valid; all of it goes to train, "
                                 "or what is learnt by heart would pass for understood",
                                 false});
        for (const auto index : group.clips) clips_[index].split = group.valid ? Split::valid : Split::train;
    }

    std::vector<Group*> groupsOf(int label) {
        std::vector<Group*> found;
        for (auto& [name, group] : groups_)
            if (group.clipsOf.count(label) != 0) found.push_back(&group);
        return found;
    }

    void makeValid(Group& group) {
        group.valid = true;
        for (const auto& [label, count] : group.clipsOf) --trainGroups_[slot(label)];
    }

    // Every class of the group keeps another group for training.
    bool canSpare(const Group& group) const {
        return std::ranges::all_of(group.clipsOf,
                                   [this](const auto& entry) { return trainGroups_[slot(entry.first)] > 1; });
    }

    void draw(int label) {
        auto groups = groupsOf(label);
        int all = 0, valid = 0;
        for (const Group* group : groups) {
            all += group->clipsOf.at(label);
            if (group->valid) valid += group->clipsOf.at(label);
        }
        const double wanted = choice_.validShare * all;
        std::erase_if(groups, [](const Group* group) { return !group->open || group->valid; });
        std::ranges::stable_sort(groups, {}, &Group::lot);
        for (Group* group : groups) {
            // Takes the group if that comes nearer to the wanted share.
            const int clips = group->clipsOf.at(label);
            if (valid + 0.5 * clips > wanted || !canSpare(*group)) continue;
            makeValid(*group);
            valid += clips;
        }
        if (valid > 0 || wanted <= 0.0) return;
        // If all groups are too large for the share, takes the smallest, because a class without validation
        // clips could not be scored.
        std::ranges::stable_sort(groups, {},
                                 [label](const Group* group) { return group->clipsOf.at(label); });
        const auto smallest =
            std::ranges::find_if(groups, [this](const Group* group) { return canSpare(*group); });
        if (smallest != groups.end()) makeValid(**smallest);
    }

    std::vector<Clip>& clips_;
    const std::vector<bool>& decided_;
    int labels_;
    SplitChoice choice_;
    std::vector<Problem>& problems_;
    std::map<std::string, Group> groups_; // by name
    std::vector<int> groupCounts_;        // by class (slot), of all groups
    std::vector<int> trainGroups_;        // likewise, of those not in valid
};

} // namespace

void assignSplits(std::vector<Clip>& clips, const std::vector<bool>& decided, int labels,
                  const SplitChoice& choice, std::vector<Problem>& problems) {
    Splitter(clips, decided, labels, choice, problems).run();
}

} // namespace earshot::training
