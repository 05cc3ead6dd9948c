#include "Core/Pictures/PictureTools.h"

#include "Core/Base/Unicode.h"

#include <png.h>

#include <cstdint>
#include <regex>
#include <stdexcept>

namespace earshot::test {

namespace {

bool isText(const std::string& text) {
    static const std::regex plain(R"re((?:[^<>&]|&(?:amp|lt|gt|quot);)*)re");
    return text.size() > 100'000 || std::regex_match(text, plain);
}

} // namespace

std::string xmlFault(std::string_view xml) {
    static const std::regex tag(R"re(/?[a-z]+(?: [a-z:-]+="[^"<>&]*(?:&quot;[^"<>&]*)*")*/?)re",
                                std::regex::icase);
    std::vector<std::string> open;
    constexpr std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    if (!xml.starts_with(declaration)) return "no declaration";
    std::size_t at = declaration.size();
    while (at < xml.size()) {
        const std::size_t begin = xml.find('<', at);
        const std::string between(xml.substr(at, begin == std::string_view::npos ? begin : begin - at));
        if (!isText(between)) return "bare markup in " + between;
        if (begin == std::string_view::npos) break;
        const std::size_t end = xml.find('>', begin);
        if (end == std::string_view::npos) return "a tag without an end";
        std::string inside(xml.substr(begin + 1, end - begin - 1));
        // Regular expressions would recurse through an image.
        if (const auto data = inside.find("base64,"); data != std::string::npos)
            inside.erase(data, inside.rfind('"') - data);
        if (!std::regex_match(inside, tag)) return "malformed tag " + inside;
        const std::string name = inside.substr(0, inside.find_first_of(" /", 1));
        if (name.starts_with("/")) {
            if (open.empty() || "/" + open.back() != name) return "unexpected " + name;
            open.pop_back();
        } else if (!inside.ends_with("/")) {
            open.push_back(name);
        }
        at = end + 1;
    }
    if (!open.empty()) return "open: " + open.back();
    std::string line;
    for (const char c : std::string(xml) + "\n") {
        if (c != '\n') {
            line += c;
            continue;
        }
        if (displayName(std::filesystem::path(line)) != line) return "no text: " + line;
        line.clear();
    }
    return {};
}

std::vector<std::string> embeddedPngs(std::string_view svg) {
    constexpr std::string_view mark = "data:image/png;base64,";
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::string> files;
    for (auto at = svg.find(mark); at != std::string_view::npos; at = svg.find(mark, at)) {
        at += mark.size();
        std::string bytes;
        std::uint32_t bits = 0;
        int held = 0;
        for (; svg[at] != '"'; ++at) {
            if (svg[at] == '=') continue;
            bits = bits << 6 | static_cast<std::uint32_t>(digits.find(svg[at]));
            held += 6;
            if (held >= 8) {
                held -= 8;
                bytes += static_cast<char>(bits >> held & 255u);
            }
        }
        files.push_back(std::move(bytes));
    }
    return files;
}

pictures::ColourImage decodePng(const std::string& file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0)
        throw std::runtime_error(image.message);
    image.format = PNG_FORMAT_RGB;
    pictures::ColourImage result{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    result.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
    if (png_image_finish_read(&image, nullptr, result.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error(image.message);
    return result;
}

} // namespace earshot::test
