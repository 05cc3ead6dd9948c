#include "Failures/FaultReport.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include <unistd.h>

namespace earshot::faults {

namespace {

// Where this program lies in memory, whose addresses count from there.
std::size_t programStart() {
    std::ifstream maps("/proc/self/maps");
    std::size_t start = 0;
    maps >> std::hex >> start;
    return start;
}

// A function's name without its arguments.
std::string shortened(std::string name) {
    for (const std::string_view noise :
         {"earshot::", "(anonymous namespace)::", "__cxx11::", "[abi:cxx11]", "\n"})
        for (std::size_t at = 0; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
    std::string kept;
    int depth = 0;
    for (const char c : name) {
        if (c == '<' || c == '(') ++depth;
        if (depth == 0) kept += c;
        if (c == '>' || c == ')') --depth;
    }
    return kept;
}

// The functions of this program on the way to the call, by addr2line where it is installed.
std::string stackText(std::span<void* const> stack) {
    std::ostringstream addresses;
    const auto base = programStart();
    for (void* const address : stack)
        addresses << " 0x" << std::hex << reinterpret_cast<std::size_t>(address) - base - 1;
    const std::string command = "addr2line -s -f -C -e /proc/" + std::to_string(::getpid()) + "/exe " +
                                addresses.str() + " 2>/dev/null";
    std::string text;
    if (FILE* lines = ::popen(command.c_str(), "r")) {
        std::array<char, 4000> line{};
        for (int i = 0; std::fgets(line.data(), static_cast<int>(line.size()), lines) != nullptr; ++i) {
            std::string name = shortened(line.data());
            if (i % 2 == 0 && !name.starts_with("??") && !name.starts_with("faults::") && name != "read")
                text += "      " + name + '\n';
        }
        ::pclose(lines);
    }
    return text;
}

} // namespace

std::string describe(const Point& point) {
    std::ostringstream text;
    text << point.function << " (" << name(point.failure) << "), thread " << point.thread << ", call "
         << point.call;
    return text.str();
}

bool endsProgram(std::span<void* const> stack) {
    for (void* const address : stack) {
        const std::string name = functionAt(address);
        if (name.empty() || name.find("faults") != std::string::npos || name.starts_with("_Zn")) continue;
        return std::ranges::any_of(fatalCalls(), [&](const Excluded& each) {
            return name.find(each.function) != std::string::npos;
        });
    }
    return false;
}

void FaultReport::add(const Point& point, const std::string& text, std::span<void* const> stack) {
    ++count_;
    // The same message for other numbers is the same fault.
    std::string same;
    for (const char c : text)
        if (std::isdigit(static_cast<unsigned char>(c)) == 0 || !same.ends_with('#'))
            same += std::isdigit(static_cast<unsigned char>(c)) == 0 ? c : '#';
    if (auto& group = groups_[same]; ++group.count == 1 && groups_.size() <= shown_)
        group.text = "  FAULT: " + describe(point) + "\n    " + text + '\n' + stackText(stack);
}

void FaultReport::print() const {
    for (const auto& [same, group] : groups_)
        if (!group.text.empty())
            std::cout << group.text << "      (" << group.count << " like this)\n";
        else
            std::cout << "  FAULT: " << same << " (" << group.count << ")\n";
}

} // namespace earshot::faults
