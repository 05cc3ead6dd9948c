#include "Core/Pictures/Svg.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace earshot::pictures {

namespace {

std::string base64(std::string_view bytes) {
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (at + i < bytes.size() ? static_cast<std::uint8_t>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            text += at + i <= bytes.size() ? digits[group >> (18 - 6 * i) & 63u] : '=';
    }
    return text;
}

std::string opacityText(std::string_view name, double opacity) {
    return opacity < 1.0 ? fmt::format(R"( {}-opacity="{}")", name, number(opacity)) : std::string();
}

std::string placed(const Box& box) {
    return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", number(box.x), number(box.y),
                       number(box.width), number(box.height));
}

} // namespace

std::string number(double value) {
    const long long hundredths = std::llround(value * 100.0);
    if (hundredths % 100 == 0) return std::to_string(hundredths / 100);
    std::string text = fmt::format("{:.2f}", static_cast<double>(hundredths) / 100.0);
    if (text.back() == '0') text.pop_back();
    return text;
}

Svg::Svg(int width, int height, std::string_view background) {
    out_ =
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" )"
                    R"(width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
                    R"(font-family="Inter, 'Helvetica Neue', Arial, sans-serif">)"
                    "\n",
                    width, height);
    fill({0.0, 0.0, static_cast<double>(width), static_cast<double>(height)}, background);
}

void Svg::describe(std::string_view text) { out_ += fmt::format("<title>{}</title>\n", escaped(text)); }

void Svg::fill(const Box& box, std::string_view colour, double opacity) {
    out_ +=
        fmt::format(R"(<rect {} fill="{}"{}/>)", placed(box), colour, opacityText("fill", opacity)) + "\n";
}

void Svg::outline(const Box& box, double corner, double line, std::string_view colour, double opacity,
                  std::string_view tip) {
    const Box inner{box.x + line / 2.0, box.y + line / 2.0, box.width - line, box.height - line};
    // An invisible filling, so that the tip is found inside as well.
    out_ += fmt::format(R"(<rect {} rx="{}" fill="{}" stroke="{}" stroke-width="{}"{})", placed(inner),
                        number(corner), tip.empty() ? "none" : "transparent", colour, number(line),
                        opacityText("stroke", opacity));
    out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(tip));
}

void Svg::text(double x, double y, std::string_view text, const Type& type, std::string_view colour,
               Align align, std::string_view tip) {
    out_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}"{}{} fill="{}">)", number(x), number(y),
                        number(type.size), type.bold ? R"( font-weight="600")" : "",
                        align == Align::right ? R"( text-anchor="end")" : "", colour);
    if (!tip.empty()) out_ += fmt::format("<title>{}</title>", escaped(tip));
    out_ += escaped(text) + "</text>\n";
}

void Svg::path(std::string_view data, std::string_view colour) {
    out_ += fmt::format(R"(<path d="{}" fill="{}"/>)", data, colour) + "\n";
}

void Svg::image(const Box& box, std::string_view png) {
    out_ += fmt::format(R"(<image {} preserveAspectRatio="none" xlink:href="data:image/png;base64,{}"/>)",
                        placed(box), base64(png)) +
            "\n";
}

std::string Svg::finish() { return std::move(out_) + "</svg>\n"; }

} // namespace earshot::pictures
