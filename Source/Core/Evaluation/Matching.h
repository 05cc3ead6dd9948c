// A largest one-to-one matching of a bipartite graph. Pure function: any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace earshot::evaluation {

// edges[i]: the right vertices (below rightCount) that left vertex i may be paired with. Returns the number
// of pairs. By augmenting paths (Berge 1957), searched breadth first so that long chains need no deep
// recursion.
std::size_t largestMatching(std::span<const std::vector<std::size_t>> edges, std::size_t rightCount);

} // namespace earshot::evaluation
