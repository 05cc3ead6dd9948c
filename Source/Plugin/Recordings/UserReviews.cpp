#include "Plugin/Recordings/UserReviews.h"

#include "Core/Base/Csv.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Numbers.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Plugin/Base/UserLists.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr std::uint64_t maxReviewBytes = 32U << 20U;
constexpr const char* reviewHeader = "onset_s,offset_s,channel,label,review";

// Null: the line is no judgement.
std::optional<ui::Judgement> judgementOf(const std::string& line) {
    const auto rows = parseCsv(line);
    if (rows.size() != 1 || rows[0].size() != 5) return std::nullopt;
    const auto& row = rows[0];
    const auto onset = parseNumber(row[0]), offset = parseNumber(row[1]), channel = parseNumber(row[2]);
    const bool right = row[4] == "right";
    constexpr double maxChannel = 1e6;
    if (!onset || !offset || !(*offset > *onset) || !channel || *channel < 0.0 || *channel > maxChannel ||
        row[3].empty() || (!right && row[4] != "wrong"))
        return std::nullopt;
    return ui::Judgement{row[3], *onset, *offset, static_cast<int>(*channel), right};
}

std::string lineOf(const ui::Judgement& judgement) {
    return fmt::format("{},{},{},{},{}", judgement.onset, judgement.offset, judgement.channel,
                       csvField(judgement.label), judgement.right ? "right" : "wrong");
}

} // namespace

juce::File UserReviews::fileOf(const juce::File& recording) {
    constexpr int maxName = 80;
    const auto path = recording.getFullPathName().toStdString();
    const auto name = juce::File::createLegalFileName(recording.getFileName()).substring(0, maxName);
    return configFolder().getChildFile("Reviews").getChildFile(
        name + "-" + juce::String(fmt::format("{:016x}", fnv1a(path))) + ".csv");
}

ui::Judgements UserReviews::judgements() {
    if (open_() != recording_) read();
    return judgements_;
}

void UserReviews::read() {
    recording_ = open_();
    forgetWritten();
    if (const auto found = unwritten_.find(recording_.getFullPathName()); found != unwritten_.end()) {
        std::tie(judgements_, others_) = found->second;
        unreadable_.clear();
        return;
    }
    others_.clear();
    unreadable_.clear();
    std::vector<ui::Judgement> judgements;
    if (recording_ != juce::File()) readFile(judgements);
    std::ranges::stable_sort(judgements, {}, ui::placeOf);
    judgements_ = std::make_shared<const std::vector<ui::Judgement>>(std::move(judgements));
}

void UserReviews::readFile(std::vector<ui::Judgement>& judgements) {
    const auto file = fileOf(recording_);
    if (!file.exists()) {
        others_ = {"# " + printable(recording_.getFullPathName().toStdString()), reviewHeader};
        return;
    }
    try {
        for (auto& line : readLines(file.getFullPathName().toStdString(), maxReviewBytes, "review"))
            if (auto judgement = judgementOf(line))
                judgements.push_back(std::move(*judgement));
            else
                others_.push_back(std::move(line));
    } catch (const Error& error) {
        logCaught("reading a review");
        unreadable_ = "The review cannot be read: " + ui::toText(error.what());
    }
}

juce::String UserReviews::set(const ui::Judgements& judgements) {
    if (open_() != recording_) read();
    if (recording_ == juce::File()) return "Open a recording to review its events";
    if (unreadable_.isNotEmpty()) return unreadable_;
    disk_.add([file = fileOf(recording_).getFullPathName().toStdString(), others = others_, judgements,
               unstored = unstored_] {
        std::string text;
        for (const auto& line : others) text += line + "\n";
        for (const auto& judgement : *judgements) text += lineOf(judgement) + "\n";
        juce::String why;
        try {
            writeWholeFile(file, text, WholeFile::MissingFolders::made);
        } catch (const WriteError& error) {
            logCaught("storing a review");
            why = "The review could not be saved: " + ui::toText(error.what());
        }
        unstored->with([&](juce::String& kept) { kept = why; });
    });
    judgements_ = judgements;
    forgetWritten();
    unwritten_.insert_or_assign(recording_.getFullPathName(), std::pair(judgements, others_));
    return {};
}

void UserReviews::forgetWritten() {
    if (!disk_.busy()) unwritten_.clear();
}

} // namespace earshot::plugin
