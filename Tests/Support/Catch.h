// Catch2 2.13 (Debian 12) and 3.x under one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
using Catch::Detail::Approx;
// NOLINTNEXTLINE(readability-identifier-naming): Catch2 3.x's own name
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif
