// The scale that the desktop asks of windows, where no host names one: XSETTINGS' Gdk/WindowScalingFactor,
// which the app follows by JUCE. Message thread. Reference:
// https://specifications.freedesktop.org/xsettings-spec
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace earshot::plugin {

// The window scaling factor in the property _XSETTINGS_SETTINGS; null if there is none or the bytes are no
// settings. Pure.
std::optional<int> windowScalingFactor(std::span<const std::uint8_t> settings);

// A connection to the X server, which survives windows that are gone. It does nothing where there is none, as
// on Wayland alone, macOS and Windows.
class Desktop {
  public:
    Desktop();
    ~Desktop();
    Desktop(const Desktop&) = delete;
    Desktop& operator=(const Desktop&) = delete;

    int scale() const; // 1 to maxScale
    static constexpr int maxScale = 8;

    // Physical pixels.
    struct Size {
        int width = 0;
        int height = 0;
        bool operator==(const Size&) const = default;
    };
    std::optional<Size> sizeOf(std::uint32_t window) const; // null: it is gone
    void resize(std::uint32_t window, Size size) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::plugin
