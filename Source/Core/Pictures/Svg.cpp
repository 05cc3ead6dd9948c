#include "Core/Pictures/Svg.h"

#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace earshot::pictures {

namespace {

constexpr std::string_view ellipsis = "\xe2\x80\xa6";

std::vector<Utf8Character> characters(std::string_view text) {
    std::vector<Utf8Character> parts;
    while (!text.empty()) parts.push_back(takeCharacter(text));
    return parts;
}

// Returns an approximate width in ems.
double characterWidth(const Utf8Character& character) {
    if (character.bytes == ellipsis) return 0.85;
    // From U+2000 on these are mostly ideographs, Hangul and emoji.
    if (character.bytes.size() > 1) return character.code.value_or(0) >= 0x2000 ? 1.05 : 0.66;
    const char c = character.bytes[0];
    constexpr std::string_view narrow = "iIjl.,:;'|!`", slim = "frt()[]{}-/\\\" ", wide = "mwM%",
                               widest = "W@";
    if (narrow.find(c) != std::string_view::npos) return 0.29;
    if (slim.find(c) != std::string_view::npos) return 0.4;
    if (wide.find(c) != std::string_view::npos) return 0.92;
    if (widest.find(c) != std::string_view::npos) return 1.06;
    return c >= 'A' && c <= 'Z' ? 0.71 : 0.62;
}

double widthOf(std::span<const Utf8Character> parts, const Type& type) {
    double ems = 0.0;
    for (const auto& part : parts) ems += characterWidth(part);
    return ems * type.size * (type.bold ? 1.05 : 1.0);
}

// Refuses characters that XML cannot hold, and those that change the direction of the text around them:
// U+202A to U+202E, U+2066 to U+2069.
bool isRefused(std::optional<char32_t> code) {
    return !code || *code < 0x20 || *code == 0x7f || *code == 0xfffe || *code == 0xffff ||
           (*code >= 0x202a && *code <= 0x202e) || (*code >= 0x2066 && *code <= 0x2069);
}

// Keeps as much of the front (and of the back if keepsBack) as fits beside the ellipsis.
std::string cut(std::string_view text, const Type& type, double width, bool keepsBack) {
    const auto parts = characters(text);
    if (widthOf(parts, type) <= width) return std::string(text);
    double room = width - textWidth(ellipsis, type);
    std::size_t front = 0, back = parts.size();
    for (bool fromFront = true; front < back; fromFront = !fromFront || !keepsBack) {
        room -= widthOf(std::span(fromFront ? &parts[front] : &parts[back - 1], 1), type);
        if (room < 0.0) break;
        fromFront ? ++front : --back;
    }
    if (!keepsBack) back = parts.size();
    while (front > 0 && parts[front - 1].code == U' ') --front;
    std::string result;
    for (std::size_t i = 0; i < front; ++i) result += parts[i].bytes;
    result += ellipsis;
    for (std::size_t i = back; i < parts.size(); ++i) result += parts[i].bytes;
    return result;
}

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

std::string escaped(std::string_view text) {
    std::string held;
    for (const auto& [part, code] : characters(text)) held += isRefused(code) ? "?" : part;
    return markupText(held, Quotes::escaped);
}

double textWidth(std::string_view text, const Type& type) { return widthOf(characters(text), type); }

std::string cutAtEnd(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, false);
}

std::string cutInside(std::string_view text, const Type& type, double width) {
    return cut(text, type, width, true);
}

Svg::Svg(int width, int height, std::uint32_t background) {
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

void Svg::fill(const Box& box, std::uint32_t colour, double opacity) {
    out_ += fmt::format(R"(<rect {} fill="#{:06x}"{}/>)", placed(box), colour, opacityText("fill", opacity)) +
            "\n";
}

void Svg::outline(const Box& box, double corner, double line, std::uint32_t colour, double opacity,
                  std::string_view tip) {
    const Box inner{box.x + line / 2.0, box.y + line / 2.0, box.width - line, box.height - line};
    // An invisible fill makes the tip appear inside the outline as well.
    out_ += fmt::format(R"(<rect {} rx="{}" fill="{}" stroke="#{:06x}" stroke-width="{}"{})", placed(inner),
                        number(corner), tip.empty() ? "none" : "transparent", colour, number(line),
                        opacityText("stroke", opacity));
    out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(tip));
}

void Svg::text(double x, double y, std::string_view text, const Type& type, std::uint32_t colour, Align align,
               std::string_view tip) {
    out_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}"{}{} fill="#{:06x}">)", number(x), number(y),
                        number(type.size), type.bold ? R"( font-weight="600")" : "",
                        align == Align::right ? R"( text-anchor="end")" : "", colour);
    if (!tip.empty()) out_ += fmt::format("<title>{}</title>", escaped(tip));
    out_ += escaped(text) + "</text>\n";
}

void Svg::path(std::string_view data, std::uint32_t colour) {
    out_ += fmt::format(R"(<path d="{}" fill="#{:06x}"/>)", data, colour) + "\n";
}

void Svg::image(const Box& box, std::string_view png) {
    out_ += fmt::format(R"(<image {} preserveAspectRatio="none" xlink:href="data:image/png;base64,{}"/>)",
                        placed(box), base64(png)) +
            "\n";
}

std::string Svg::finish() { return std::move(out_) + "</svg>\n"; }

} // namespace earshot::pictures
