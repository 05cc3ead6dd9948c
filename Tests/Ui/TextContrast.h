// How well text can be read. A view is painted without its glyphs, and each glyph's colour is compared with
// the pixels that would be behind it, so that no pair of colours can be forgotten. Message thread.
#pragma once

#include <juce_gui_basics/juce_gui_basics.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace earshot::test {

// Relative luminance and contrast ratio (1 to 21) as WCAG 2.1 defines them.
inline double luminance(juce::Colour colour) {
    const auto linear = [](std::uint8_t value) {
        const double v = value / 255.0;
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.getRed()) + 0.7152 * linear(colour.getGreen()) +
           0.0722 * linear(colour.getBlue());
}

inline double contrast(juce::Colour a, juce::Colour b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

struct Glyph {
    juce::Point<int> at; // pixels of the view
    double contrast = 0.0;
};

// Paints as JUCE does, except for glyphs, which it reads.
class GlyphReader : public juce::LowLevelGraphicsSoftwareRenderer {
  public:
    explicit GlyphReader(const juce::Image& image)
        : juce::LowLevelGraphicsSoftwareRenderer(image)
        , image_(image) {}

#if JUCE_MAJOR_VERSION >= 8
    void drawGlyphs(juce::Span<const std::uint16_t>, juce::Span<const juce::Point<float>> positions,
                    const juce::AffineTransform& transform) override {
        for (const auto& position : positions)
            read(juce::AffineTransform::translation(position).followedBy(transform));
    }
#else
    void drawGlyph(int, const juce::AffineTransform& transform) override { read(transform); }
#endif

    std::vector<Glyph> glyphs;

  private:
    void read(const juce::AffineTransform& transform) {
        if (stack->clip == nullptr) return;
        // About where a small letter stands, on its base line.
        const float height = stack->font.getHeight();
        const juce::Rectangle<float> letter(0.0f, -0.5f * height, 0.4f * height, 0.5f * height);
        const auto pixels = letter.transformedBy(stack->transform.getTransformWith(transform))
                                .getSmallestIntegerContainer()
                                .getIntersection(stack->clip->getClipBounds())
                                .getIntersection(image_.getBounds());
        if (pixels.isEmpty()) return;
        std::vector<double> contrasts;
        for (int y = pixels.getY(); y < pixels.getBottom(); ++y)
            for (int x = pixels.getX(); x < pixels.getRight(); ++x) {
                const auto behind = image_.getPixelAt(x, y);
                contrasts.push_back(contrast(behind.overlaidWith(stack->fillType.colour), behind));
            }
        // A line or an edge behind a letter leaves it readable.
        const auto quarter = contrasts.begin() + static_cast<std::ptrdiff_t>(contrasts.size() / 4);
        std::ranges::nth_element(contrasts, quarter);
        glyphs.push_back({pixels.getCentre(), *quarter});
    }

    juce::Image image_;
};

inline std::vector<Glyph> glyphsOf(juce::Component& view) {
    const juce::Image image(juce::Image::RGB, view.getWidth(), view.getHeight(), true,
                            juce::SoftwareImageType());
    GlyphReader reader(image);
    juce::Graphics graphics(reader);
    view.paintEntireComponent(graphics, true);
    return std::move(reader.glyphs);
}

} // namespace earshot::test
