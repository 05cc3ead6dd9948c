// The desktop's scale in XSETTINGS, whatever bytes a settings daemon stores.
#include "Plugin/Window/SystemScale.h"
#include "Support/Catch.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace earshot;
using plugin::windowScalingFactor;

namespace {

using Bytes = std::vector<std::uint8_t>;

// Writes settings as a daemon does.
struct Settings {
    explicit Settings(bool bigEndianBytes)
        : bigEndian(bigEndianBytes) {
        bytes = {static_cast<std::uint8_t>(bigEndian), 0, 0, 0};
        number(7, 4);
        number(0, 4);
    }

    void number(std::uint32_t value, int size) {
        for (int i = 0; i < size; ++i)
            bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (bigEndian ? size - 1 - i : i)));
    }
    void text(const std::string& text) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        while (bytes.size() % 4 != 0) bytes.push_back(0);
    }
    void begin(std::uint32_t type, const std::string& name) {
        ++bytes[bigEndian ? 11 : 8]; // their number
        number(type, 1);
        number(0, 1);
        number(static_cast<std::uint32_t>(name.size()), 2);
        text(name);
        number(3, 4);
    }
    void integer(const std::string& name, int value) {
        begin(0, name);
        number(static_cast<std::uint32_t>(value), 4);
    }
    void word(const std::string& name, const std::string& value) {
        begin(1, name);
        number(static_cast<std::uint32_t>(value.size()), 4);
        text(value);
    }
    void colour(const std::string& name) {
        begin(2, name);
        for (int i = 0; i < 4; ++i) number(0xFFFF, 2);
    }

    bool bigEndian;
    Bytes bytes;
};

Bytes usual(bool bigEndian, int scale) {
    Settings settings(bigEndian);
    settings.integer("Xft/DPI", 196608);
    settings.word("Net/ThemeName", "Adwaita");
    settings.colour("Net/Colour");
    settings.word("Gtk/FontName", "Sans 10");
    settings.integer("Gdk/WindowScalingFactor", scale);
    settings.integer("Gdk/UnscaledDPI", 98304);
    return settings.bytes;
}

} // namespace

TEST_CASE("the window scaling factor is found among other settings, in either order of bytes", "[unit]") {
    for (const bool bigEndian : {false, true})
        for (const int scale : {1, 2, 3, -5}) CHECK(windowScalingFactor(usual(bigEndian, scale)) == scale);
    CHECK_FALSE(windowScalingFactor({}));
    Settings none(false);
    none.word("Gdk/WindowScalingFactor", "2"); // of another type
    none.integer("Xft/DPI", 98304);
    CHECK_FALSE(windowScalingFactor(none.bytes));
}

TEST_CASE("settings that are cut or damaged give no scale, or the one they hold", "[unit]") {
    const auto whole = usual(false, 2);
    int found = 0;
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        const auto scale =
            windowScalingFactor(Bytes(whole.begin(), whole.begin() + static_cast<int>(length)));
        CHECK((!scale || *scale == 2));
        found += scale ? 1 : 0;
    }
    CHECK(found > 0);
    CHECK(found < static_cast<int>(whole.size()));
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        auto damaged = usual(round % 2 == 0, 2);
        for (int i = 0; i < 4; ++i)
            damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random() % 256);
        windowScalingFactor(damaged); // the sanitizers watch
    }
    Bytes many(12, 0xFF); // four thousand million settings
    CHECK_FALSE(windowScalingFactor(many));
}

TEST_CASE("a desktop without an X server has no scale and no windows", "[unit]") {
    const plugin::Desktop desktop;
    CHECK(desktop.scale() >= 1);
    CHECK(desktop.scale() <= plugin::Desktop::maxScale);
    CHECK_FALSE(desktop.sizeOf(0xFFFFFFF0u));
    desktop.resize(0xFFFFFFF0u, {10, 10});
}
