#include "Core/Evaluation/Matching.h"

#include <cstdint>

namespace earshot::evaluation {

namespace {

constexpr std::size_t nobody = SIZE_MAX;

class Matching {
  public:
    Matching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount)
        : edges_(edges)
        , leftOf_(rightCount, nobody)
        , rightOf_(edges.size(), nobody)
        , reachedFrom_(rightCount, nobody)
        , reachedIn_(rightCount, nobody) {}

    // A path from a left vertex without a partner to a right one without, changing sides over pairs.
    bool augment(std::size_t start) {
        queue_.assign(1, start);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            const std::size_t left = queue_[next];
            for (const std::size_t right : edges_[left]) {
                if (reachedIn_[right] == start) continue;
                reachedIn_[right] = start;
                reachedFrom_[right] = left;
                if (leftOf_[right] == nobody) {
                    pairAlong(right);
                    return true;
                }
                queue_.push_back(leftOf_[right]);
            }
        }
        return false;
    }

  private:
    // Back from the path's end: each right vertex takes the left one it was reached from.
    void pairAlong(std::size_t right) {
        while (right != nobody) {
            const std::size_t left = reachedFrom_[right];
            const std::size_t freed = rightOf_[left];
            leftOf_[right] = left;
            rightOf_[left] = right;
            right = freed;
        }
    }

    std::span<const std::vector<std::size_t>> edges_;
    std::vector<std::size_t> leftOf_;      // by right vertex
    std::vector<std::size_t> rightOf_;     // by left vertex
    std::vector<std::size_t> reachedFrom_; // by right vertex: the left one before it on the path
    std::vector<std::size_t> reachedIn_;   // by right vertex: the search that reached it last
    std::vector<std::size_t> queue_;
};

} // namespace

std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount) {
    Matching matching(edges, rightCount);
    std::size_t pairs = 0;
    for (std::size_t left = 0; left < edges.size(); ++left) pairs += matching.augment(left) ? 1u : 0u;
    return pairs;
}

} // namespace earshot::evaluation
