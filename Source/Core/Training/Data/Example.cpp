#include "Core/Training/Data/Example.h"

namespace earshot::training {

namespace {

// The finaliser of splitmix64 (Steele, Lea and Flood 2014) after its step: every bit of the state moves every
// bit of the value.
std::uint64_t mixed(std::uint64_t state) {
    state += 0x9e3779b97f4a7c15u;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

} // namespace

std::uint64_t seedFor(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index) {
    return mixed(mixed(mixed(seed) ^ purpose) ^ index);
}

} // namespace earshot::training
