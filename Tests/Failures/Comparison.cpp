#include "Failures/Comparison.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace earshot::faults {

namespace {

namespace fs = std::filesystem;

bool isTemporary(std::string_view name) {
    const auto file = name.substr(name.rfind('/') + 1);
    return file.starts_with(".earshot") || file.ends_with(".part") || file.ends_with(".partial") ||
           file.ends_with(".tmp");
}

std::string contentOf(const Tree& tree, const std::string& name) {
    const auto found = tree.find(name);
    return found == tree.end() ? "(missing)" : found->second;
}

} // namespace

std::string Comparison::check(const Point& point, const Outcome& outcome, const Tree& now,
                              std::string& faults) const {
    checkFiles(outcome, now, faults);
    switch (outcome.kind) {
    case Outcome::success:
        if (outcome.said() != reference_.found.said()) {
            for (const auto& line : newFailures(outcome)) checkMessage(point, line, faults);
            return "listed";
        }
        if (outcome.text != reference_.found.text)
            faults += "; it succeeded, and found something else than it should";
        for (const auto& name : wrongFiles(now))
            faults += "; it succeeded, and " + name + " is not what it should be";
        return "tolerated";
    case Outcome::memory:
        if (point.isFileCall()) faults += "; a file call failed, and it says that memory is short";
        return "memory";
    case Outcome::error:
        checkMessage(point, std::string(outcome.said()), faults);
        return "refused";
    case Outcome::foreign:
        faults += "; an exception of another kind: " + std::string(outcome.said());
        return "foreign";
    }
    return "";
}

void Comparison::checkAgain(const Outcome& again, std::string& faults) const {
    if (again.kind != Outcome::success) {
        faults += "; done again, it fails: " + std::string(again.said());
        return;
    }
    if (again.said() != reference_.found.said() || again.text != reference_.found.text)
        faults += "; done again, it finds something else: " + std::string(again.said());
    const Tree now = treeOf(".");
    for (const auto& name : wrongFiles(now)) faults += "; done again, " + name + " differs";
    for (const auto& [name, bytes] : now)
        if (reference_.namesAgain.count(name) == 0) faults += "; done again, " + name + " stays behind";
}

std::vector<std::string> Comparison::wrongFiles(const Tree& now) const {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : reference_.after)
        if (!isJournal(name) && reference_.unsteady.count(name) == 0 && contentOf(now, name) != bytes)
            names.push_back(name);
    return names;
}

std::vector<std::string> Comparison::newFailures(const Outcome& outcome) const {
    std::set<std::string> known;
    std::istringstream before{std::string(reference_.found.said())};
    for (std::string line; std::getline(before, line);) known.insert(line);
    std::vector<std::string> found;
    std::istringstream lines{std::string(outcome.said())};
    for (std::string line; std::getline(lines, line);)
        if (known.count(line) == 0) found.push_back(line);
    return found;
}

void Comparison::checkMessage(const Point& point, const std::string& message, std::string& faults) const {
    const auto wrong = [&](const char* why) {
        faults += "; the message " + std::string(why) + ": " + message;
    };
    if (message.find('\n') != std::string::npos) wrong("has several lines");
    if (!point.isFileCall()) {
        if (message.find("memory") == std::string::npos) wrong("says nothing of the memory that is short");
        return;
    }
    if (message.find("; ") == std::string::npos) wrong("says nothing of what to do");
    bool named = false;
    for (const Tree* tree : {&reference_.before, &reference_.after})
        for (const auto& [name, bytes] : *tree)
            named =
                named || message.find(fs::path(name).filename().string()) != std::string::npos ||
                (name.ends_with('/') && message.find(name.substr(0, name.size() - 1)) != std::string::npos);
    if (!named) wrong("names no file");
    if (message.find(".partial") != std::string::npos || message.find(".part:") != std::string::npos)
        wrong("names a temporary file");
}

bool Comparison::isWhole(const std::string& name, const std::string& bytes) const {
    if (const auto after = reference_.after.find(name);
        after != reference_.after.end() && after->second == bytes)
        return true;
    const auto given = reference_.whole.find(name);
    return given != reference_.whole.end() && given->second.count(hashOf(bytes)) != 0;
}

void Comparison::checkFiles(const Outcome& outcome, const Tree& now, std::string& faults) const {
    for (const auto& [name, bytes] : reference_.before) {
        if (isJournal(name)) continue;
        const auto found = now.find(name);
        if (found == now.end()) {
            if (reference_.after.count(name) != 0 && !mayGo(name)) faults += "; " + name + " is lost";
        } else if (found->second != bytes && !isWhole(name, found->second) && !mayDiffer(name, outcome)) {
            faults += "; " + name + " is neither the old one nor the new one";
        }
    }
    for (const auto& [name, bytes] : now)
        if (reference_.before.count(name) == 0 && !isJournal(name) && !isTemporary(name) &&
            !name.ends_with('/') && !isWhole(name, bytes) && !mayDiffer(name, outcome))
            faults += "; " + name + " is not whole";
}

bool Comparison::mayGo(const std::string& name) const {
    if (scenario_.oldModel == nullptr || name == scenario_.oldModel) return false;
    return name.starts_with(fs::path(scenario_.oldModel).stem().string() + ".");
}

bool Comparison::mayDiffer(const std::string& name, const Outcome& outcome) const {
    if (reference_.unsteady.count(name) != 0) return true;
    if (outcome.kind == Outcome::foreign || outcome.said() == reference_.found.said()) return false;
    if (scenario_.joinsInputs && outcome.kind == Outcome::success) return true;
    const auto file = fs::path(name).filename().string();
    if (file.starts_with("events.") || file == "failed.csv") return true;
    // What could be read of a recording is kept, but never in place of what was there.
    if (reference_.before.count(name) != 0) return false;
    return std::ranges::any_of(newFailures(outcome), [&](const std::string& line) {
        return name.find(line.substr(0, line.find(": "))) != std::string::npos;
    });
}

} // namespace earshot::faults
