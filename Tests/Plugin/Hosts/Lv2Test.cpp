// The built LV2 in a host of our own: what hosts do that JUCE's does not.
#include "Lv2Host.h"
#include "Support/Catch.h"
#include "Support/RealtimeGuard.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

using namespace earshot;
using test::Lv2Host;
using test::lv2Option;

namespace {

void fill(Lv2Host& host, std::uint32_t frames, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (std::size_t channel = 0; channel < 2; ++channel)
        for (std::uint32_t i = 0; i < frames; ++i) host.audio[channel][i] = uniform(random);
}

bool passed(const Lv2Host& host, std::uint32_t frames) {
    for (std::size_t channel = 0; channel < 2; ++channel)
        if (std::memcmp(host.audio[channel].data(), host.audio[channel + Lv2Host::out].data(),
                        sizeof(float) * frames) != 0)
            return false;
    return true;
}

} // namespace

TEST_CASE("an LV2 host may describe its blocks in any way", "[slow]") {
    constexpr const char* longest = LV2_BUF_SIZE__maxBlockLength;
    constexpr const char* nominal = LV2_BUF_SIZE__nominalBlockLength;
    const std::vector<test::Lv2HostTraits::Option> options = {
        lv2Option(longest, LV2_ATOM__Int, std::int32_t{512}),
        lv2Option(longest, LV2_ATOM__Int, std::int64_t{512}), // Audacity 3.2
        lv2Option(longest, LV2_ATOM__Long, std::int64_t{512}),
        lv2Option(longest, LV2_ATOM__Long, std::int32_t{512}),
        lv2Option(longest, LV2_ATOM__Float, 512.0f),
        lv2Option(nominal, LV2_ATOM__Int, std::int32_t{512}),
        lv2Option(nominal, LV2_ATOM__Int, std::int64_t{512}),
        lv2Option(LV2_BUF_SIZE__minBlockLength, LV2_ATOM__Int, std::int32_t{1}), // and no other
        lv2Option(longest, LV2_ATOM__Int, std::int32_t{0}),
        lv2Option(longest, LV2_ATOM__Int, std::int32_t{-512}),
        lv2Option(longest, LV2_ATOM__Int, std::int64_t{1} << 60),
        lv2Option(longest, LV2_ATOM__Float, std::numeric_limits<float>::quiet_NaN()),
        lv2Option(longest, LV2_ATOM__String, std::int64_t{512}),
        lv2Option(longest, LV2_ATOM__Int, std::int16_t{512}),
    };
    for (std::size_t i = 0; i <= options.size(); ++i)
        for (const bool bounded : {true, false}) {
            CAPTURE(i, bounded);
            test::Lv2HostTraits traits{{}, bounded, i < options.size(), true};
            if (i < options.size()) traits.options = {options[i]};
            Lv2Host host(traits);
            REQUIRE(host.runs());
            REQUIRE(host.logged.empty());
            host.activate();
            for (const std::uint32_t frames : {512u, 1u, 333u, 20'000u}) {
                fill(host, frames, frames);
                host.run(frames);
                REQUIRE(passed(host, frames));
            }
        }
}

TEST_CASE("an LV2 that refuses its host says why in the host's log", "[slow]") {
    const Lv2Host host({{}, true, true, false});
    REQUIRE_FALSE(host.runs());
    REQUIRE_THAT(host.logged, ContainsSubstring("urid#map"));
}

TEST_CASE("an LV2 takes blocks of any length, in place too, and allocates nothing", "[slow]") {
    Lv2Host host(Lv2Host::plain(256));
    host.activate();
    for (const std::uint32_t frames : {256u, 257u, 1u, 512u, 0u, 10'000u, 64u, Lv2Host::most}) {
        CAPTURE(frames);
        fill(host, frames, frames);
        host.setPosition(1000);
        host.setParameter("threshold", 0.3f);
        host.prepareBlock();
        std::vector<std::string> calls;
        {
            test::RealtimeGuard guard;
            host.process(frames);
            calls = guard.violations();
        }
        host.takeMessages(frames);
        REQUIRE(passed(host, frames));
        for (const std::string& call : calls) {
            CAPTURE(call);
            CHECK(call.find("alloc") == std::string::npos);
            CHECK(call.find("free") == std::string::npos);
        }
    }
    // Outputs that are the other input.
    fill(host, 3000, 1);
    const std::vector<float> left = host.audio[0], right = host.audio[1];
    host.connect(Lv2Host::out, host.audio[1].data());
    host.connect(Lv2Host::out + 1, host.audio[0].data());
    host.run(3000);
    REQUIRE(std::equal(left.begin(), left.begin() + 3000, host.audio[1].begin()));
    REQUIRE(std::equal(right.begin(), right.begin() + 3000, host.audio[0].begin()));
}

TEST_CASE("the LV2's Bypass and its port `enabled` are one state, told to the host when it changes",
          "[slow]") {
    using Sets = std::vector<std::pair<std::string, float>>;
    const auto play = [](Lv2Host& host) {
        for (int block = 0; block < 20; ++block) host.run(512);
        return std::exchange(host.sets, {});
    };
    float& (*const port)(Lv2Host&) = [](Lv2Host& host) -> float& { return host.controls[2]; };
    Lv2Host host;
    host.activate();
    REQUIRE(play(host) == Sets{});
    const auto listening = host.save();

    port(host) = 0.0f;
    REQUIRE(play(host) == Sets{{"bypass", 1.0f}});
    const auto bypassed = host.save();
    REQUIRE(bypassed != listening);
    port(host) = 1.0f;
    REQUIRE(play(host) == Sets{{"bypass", 0.0f}});
    REQUIRE(host.save() == listening);

    host.setParameter("bypass", 1.0f); // which the host knows
    REQUIRE(play(host) == Sets{});
    REQUIRE(host.save() == bypassed);
    host.setParameter("bypass", 0.0f);
    REQUIRE(play(host) == Sets{});
    REQUIRE(host.save() == listening);

    host.setParameter("bypass", 1.0f);
    REQUIRE(play(host) == Sets{});
    port(host) = 0.0f;
    REQUIRE(play(host) == Sets{});
    port(host) = 1.0f;
    REQUIRE(play(host) == Sets{{"bypass", 0.0f}});

    // A project that was saved with it.
    Lv2Host second;
    second.restore(bypassed);
    second.activate();
    play(second);
    REQUIRE(second.save() == bypassed);
    // Not enabled is bypassed, whatever the project says.
    port(second) = 0.0f;
    second.restore(listening);
    play(second);
    REQUIRE(second.save() == bypassed);
}
