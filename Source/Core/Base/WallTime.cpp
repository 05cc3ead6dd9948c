#include "Core/Base/WallTime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <regex>
#include <vector>

namespace earshot {

namespace {

constexpr int minYear = 1970;
constexpr int maxYear = 2099;
constexpr int maxOffset = 15 * 3600; // seconds
// Years 0 to 9999, so that every year is written with four digits.
constexpr std::int64_t minMilliseconds = -62'167'219'200'000;
constexpr std::int64_t maxMilliseconds = 253'402'300'799'999;
constexpr std::size_t maxTimeText = 1024; // bytes that are searched; no path that holds a time is longer

std::int64_t writtenMilliseconds(const WallTime& time) {
    return std::clamp(time.milliseconds, minMilliseconds, maxMilliseconds);
}

bool isDecimalDigit(char c) { return c >= '0' && c <= '9'; }

// Each form has the groups year, separator, month, day, hour, separator, minute, second, decimals of a
// second, milliseconds.
std::vector<std::regex> makeForms() {
    const std::string compactDate = R"((\d{4})()(\d\d)(\d\d))";
    const std::string separatedDate = R"((\d{4})([-_./:])(\d\d)\2(\d\d))";
    const std::string shortDate = R"((\d\d)()(\d\d)(\d\d))";
    const std::string gap = R"((?:[-_ Tt$@./]{1,3}|[ _-]at[ _-]))";
    const std::string decimals = R"((?:[.,](\d{1,9}))?)";
    const std::string compactTime = R"((\d\d)()(\d\d)(\d\d)(?:[.,](\d{1,9})|_?(\d{3})(?!\d))?(?!\d))";
    const std::string separatedTime = R"((\d\d)([-:_.])(\d\d)\6(\d\d))" + decimals + R"(()(?!\d))";
    const std::string shortTime = R"((\d\d)(:)(\d\d)()()()(?!\d))";
    const std::string spokenTime = R"((\d\d)([hH])(\d\d)[m:]?(\d\d)?()()(?!\d))";
    const std::string basicTime = R"([Tt](\d\d)()(\d\d)()()()(?!\d))";
    // As in 2026-10-25-birdnet-02:30:00.
    const std::string farTime = R"([^0-9/]{1,16}(\d\d)(:)(\d\d):(\d\d))" + decimals + R"(()(?!\d))";
    std::vector<std::regex> forms;
    for (const std::string& date : {compactDate, separatedDate})
        for (const std::string& time :
             {gap + compactTime, gap + separatedTime, gap + spokenTime, gap + shortTime, basicTime, farTime})
            forms.emplace_back(date + time);
    forms.emplace_back(compactDate + compactTime);
    forms.emplace_back(shortDate + compactTime);
    forms.emplace_back(shortDate + "[-_ Tt$@./]{1,3}" + compactTime);
    return forms;
}

int digitsIn(const std::csub_match& digits) {
    int value = 0;
    for (const char c : digits.str()) value = value * 10 + (c - '0');
    return value;
}

int thousandths(std::string digits) {
    digits.resize(3, '0');
    return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

std::optional<WallTime> timeIn(const std::cmatch& match) {
    enum : std::size_t {
        year = 1,
        month = 3,
        day = 4,
        hour = 5,
        minute = 7,
        second = 8,
        decimals = 9,
        thousand = 10
    };
    constexpr int century = 2000;
    WallFields fields{.year = digitsIn(match[year]),
                      .month = digitsIn(match[month]),
                      .day = digitsIn(match[day]),
                      .hour = digitsIn(match[hour]),
                      .minute = digitsIn(match[minute]),
                      .second = digitsIn(match[second])};
    if (match[year].length() == 2) fields.year += century;
    for (const std::size_t group : {decimals, thousand})
        if (match[group].length() > 0) fields.millisecond = thousandths(match[group].str());
    return wallTimeOf(fields);
}

// The first time of that form.
std::optional<FoundTime> findForm(std::string_view text, const std::regex& form) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    std::cmatch match;
    for (const char* from = begin; std::regex_search(from, end, match, form); from = match[0].first + 1) {
        if (match[0].first != begin && isDecimalDigit(match[0].first[-1])) continue;
        if (const auto time = timeIn(match))
            return FoundTime{*time, static_cast<std::size_t>(match[0].first - begin),
                             static_cast<std::size_t>(match[0].second - begin)};
    }
    return std::nullopt;
}

struct FoundOffset {
    int seconds = 0;
    std::size_t length = 0;
};

// The offset with which the text begins.
std::optional<FoundOffset> takeOffset(std::string_view text) {
    static const std::regex utc(R"((?:Z|z|[ _]?\(?UTC\)?)(?![A-Za-z0-9+-]))");
    static const std::regex signedHours(R"( ?([-+])(\d\d)(?::?(\d\d))?(?!\d))");
    std::cmatch match;
    const auto begins = [&](const std::regex& form) {
        return std::regex_search(text.data(), text.data() + text.size(), match, form,
                                 std::regex_constants::match_continuous);
    };
    if (begins(utc)) return FoundOffset{0, static_cast<std::size_t>(match.length())};
    if (!begins(signedHours)) return std::nullopt;
    // Hours alone are written with a plus: "-01" is a count in most names.
    const bool isMinus = match[1] == "-";
    if (isMinus && match[3].length() == 0) return std::nullopt;
    const int minutes = digitsIn(match[3]);
    const int seconds = (digitsIn(match[2]) * 60 + minutes) * 60;
    if (minutes % 15 != 0 || seconds >= maxOffset || minutes >= 60) return std::nullopt;
    return FoundOffset{isMinus ? -seconds : seconds, static_cast<std::size_t>(match.length())};
}

} // namespace

std::optional<WallTime> wallTimeOf(const WallFields& fields, std::optional<int> offset) {
    namespace c = std::chrono;
    if (fields.year < minYear || fields.year > maxYear || fields.month < 1 || fields.day < 1)
        return std::nullopt;
    const c::year_month_day date(c::year(fields.year), c::month(static_cast<unsigned>(fields.month)),
                                 c::day(static_cast<unsigned>(fields.day)));
    const bool isTime = fields.hour >= 0 && fields.hour < 24 && fields.minute >= 0 && fields.minute < 60 &&
                        fields.second >= 0 && fields.second < 60 && fields.millisecond >= 0 &&
                        fields.millisecond < 1000;
    if (!date.ok() || !isTime || (offset && std::abs(*offset) > maxOffset)) return std::nullopt;
    const std::int64_t midnight = c::milliseconds(c::sys_days(date).time_since_epoch()).count();
    const int seconds = (fields.hour * 60 + fields.minute) * 60 + fields.second;
    return WallTime{midnight + std::int64_t{seconds} * 1000 + fields.millisecond, offset};
}

WallFields fieldsOf(const WallTime& time) {
    namespace c = std::chrono;
    const c::milliseconds whole(writtenMilliseconds(time));
    const auto midnight = c::floor<c::days>(whole);
    const c::year_month_day date{c::sys_days(midnight)};
    const auto rest = static_cast<int>((whole - midnight).count());
    return {.year = static_cast<int>(date.year()),
            .month = static_cast<int>(static_cast<unsigned>(date.month())),
            .day = static_cast<int>(static_cast<unsigned>(date.day())),
            .hour = rest / 3'600'000,
            .minute = rest / 60'000 % 60,
            .second = rest / 1000 % 60,
            .millisecond = rest % 1000};
}

WallTime later(const WallTime& time, double seconds) {
    constexpr double furthest = 1e11; // seconds, 3000 years
    const double some = std::isfinite(seconds) ? std::clamp(seconds, -furthest, furthest) : 0.0;
    return {time.milliseconds + std::llround(some * 1000.0), time.offset};
}

double secondsBetween(const WallTime& from, const WallTime& to) {
    const auto offset = from.offset && to.offset ? *to.offset - *from.offset : 0;
    return static_cast<double>(to.milliseconds - from.milliseconds) / 1000.0 - offset;
}

std::string dateText(const WallTime& time, char separator) {
    const auto fields = fieldsOf(time);
    return fmt::format("{:04}{}{:02}{}{:02}", fields.year, separator, fields.month, separator, fields.day);
}

std::string timeText(const WallTime& time, bool milliseconds) {
    const auto fields = fieldsOf(time);
    auto text = fmt::format("{:02}:{:02}:{:02}", fields.hour, fields.minute, fields.second);
    return milliseconds ? text + fmt::format(".{:03}", fields.millisecond) : text;
}

std::string offsetText(int seconds) {
    const int minutes = std::abs(seconds) / 60;
    return fmt::format("{}{:02}:{:02}", seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string isoText(const WallTime& time) {
    auto text = dateText(time) + "T" + timeText(time, true);
    return time.offset ? text + offsetText(*time.offset) : text;
}

std::optional<FoundTime> findWallTime(std::string_view text) {
    static const auto forms = makeForms();
    text = text.substr(0, maxTimeText);
    std::optional<FoundTime> first;
    for (const std::regex& form : forms)
        if (const auto found = findForm(text, form); found && (!first || found->begin < first->begin))
            first = found;
    if (!first) return std::nullopt;
    if (const auto offset = takeOffset(text.substr(first->end))) {
        first->time.offset = offset->seconds;
        first->end += offset->length;
    }
    return first;
}

std::optional<WallTime> parseWallTime(std::string_view text) {
    const auto found = findWallTime(text);
    if (!found || found->begin > 0 || found->end != text.size()) return std::nullopt;
    return found->time;
}

std::optional<int> parseOffset(std::string_view text) {
    static const std::regex form(R"(([-+])(\d\d?)(?::?(\d\d))?)");
    if (text == "Z" || text == "UTC") return 0;
    std::cmatch match;
    if (!std::regex_match(text.data(), text.data() + text.size(), match, form)) return std::nullopt;
    const int minutes = digitsIn(match[3]);
    const int seconds = (digitsIn(match[2]) * 60 + minutes) * 60;
    if (minutes >= 60 || seconds >= maxOffset) return std::nullopt;
    return match[1] == "-" ? -seconds : seconds;
}

} // namespace earshot
