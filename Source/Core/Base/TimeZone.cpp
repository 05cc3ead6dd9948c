#include "Core/Base/TimeZone.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <vector>

namespace earshot {

namespace {

constexpr int hourSeconds = 3600;
constexpr int daySeconds = 24 * hourSeconds;
constexpr int maxZoneOffset = 26 * hourSeconds; // beyond any zone

// When clocks change: a day of the year, and seconds from its midnight.
struct ChangeRule {
    enum class Kind { weekday, dayOfYear, dayWithoutLeap };
    Kind kind = Kind::weekday;
    int month = 1; // 1 to 12
    int week = 1;  // 1 to 5; 5 is the last
    int day = 0;   // of the week from Sunday, or of the year
    int time = 2 * hourSeconds;

    // Seconds since 1970 on the clock before the change.
    std::int64_t in(int year) const;
};

std::int64_t ChangeRule::in(int year) const {
    namespace c = std::chrono;
    c::sys_days date = c::sys_days(c::year(year) / c::January / 1);
    if (kind == Kind::weekday) {
        const auto ofMonth = c::year(year) / c::month(static_cast<unsigned>(month));
        const c::weekday weekday(static_cast<unsigned>(day));
        date = week == 5 ? c::sys_days(ofMonth / weekday[c::last])
                         : c::sys_days(ofMonth / weekday[static_cast<unsigned>(week)]);
    } else {
        const bool skipsLeapDay = kind == Kind::dayWithoutLeap && c::year(year).is_leap() && day >= 60;
        date += c::days(kind == Kind::dayWithoutLeap ? day - 1 + (skipsLeapDay ? 1 : 0) : day);
    }
    return c::seconds(date.time_since_epoch()).count() + time;
}

// The rule for all times after those in a zone's file, as "CET-1CEST,M3.5.0,M10.5.0/3".
struct Footer {
    int standard = 0; // seconds ahead of UTC
    int summer = 0;
    bool changes = false;
    ChangeRule begin, end; // of summer time

    int offsetAt(std::int64_t utc) const;
};

int Footer::offsetAt(std::int64_t utc) const {
    if (!changes) return standard;
    namespace c = std::chrono;
    const c::sys_seconds local{c::seconds(utc + standard)};
    const int year = static_cast<int>(c::year_month_day(c::floor<c::days>(local)).year());
    const auto from = begin.in(year)-standard, to = end.in(year)-summer;
    const bool isSummer = from < to ? utc >= from && utc < to : utc < to || utc >= from;
    return isSummer ? summer : standard;
}

class FooterReader {
  public:
    explicit FooterReader(std::string_view text)
        : text_(text) {}

    std::optional<Footer> read() {
        Footer footer;
        if (!name() || !offset(footer.standard)) return std::nullopt;
        footer.standard = -footer.standard; // POSIX counts westwards
        if (text_.empty()) return footer;
        if (!name()) return std::nullopt;
        footer.summer = footer.standard + hourSeconds;
        if (!text_.empty() && text_.front() != ',') {
            if (!offset(footer.summer)) return std::nullopt;
            footer.summer = -footer.summer;
        }
        footer.changes = true;
        if (!rule(footer.begin) || !rule(footer.end) || !text_.empty()) return std::nullopt;
        return footer;
    }

  private:
    bool take(char c) {
        if (text_.empty() || text_.front() != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    // The name of the time, which nothing here needs.
    bool name() {
        const auto end = text_.starts_with('<') ? text_.find('>') : text_.find_first_of("+-,0123456789");
        if (end == 0 || (text_.starts_with('<') && end == std::string_view::npos)) return false;
        text_.remove_prefix(std::min(text_.size(), text_.starts_with('<') ? end + 1 : end));
        return true;
    }
    bool number(int low, int high, int& value) {
        constexpr std::size_t digits = 3;
        std::size_t count = 0;
        for (value = 0; count < digits && count < text_.size() && text_[count] >= '0' && text_[count] <= '9';
             ++count)
            value = value * 10 + (text_[count] - '0');
        text_.remove_prefix(count);
        return count > 0 && value >= low && value <= high;
    }
    // Hours, perhaps with minutes and seconds, perhaps with a sign.
    bool offset(int& seconds) {
        const bool isMinus = take('-');
        if (!isMinus) take('+');
        int hours = 0, minutes = 0, rest = 0;
        if (!number(0, 167, hours) || (take(':') && !number(0, 59, minutes)) ||
            (take(':') && !number(0, 59, rest)))
            return false;
        seconds = (hours * 60 + minutes) * 60 + rest;
        if (isMinus) seconds = -seconds;
        return true;
    }
    bool rule(ChangeRule& rule) {
        if (!take(',')) return false;
        if (take('M')) {
            if (!number(1, 12, rule.month) || !take('.') || !number(1, 5, rule.week) || !take('.') ||
                !number(0, 6, rule.day))
                return false;
        } else {
            rule.kind = take('J') ? ChangeRule::Kind::dayWithoutLeap : ChangeRule::Kind::dayOfYear;
            if (!number(rule.kind == ChangeRule::Kind::dayOfYear ? 0 : 1, 365, rule.day)) return false;
        }
        return !take('/') || offset(rule.time);
    }

    std::string_view text_;
};

// Big-endian numbers of a zone's file. Reading past the end makes it invalid.
class ZoneBytes {
  public:
    explicit ZoneBytes(std::string_view bytes)
        : bytes_(bytes) {}

    std::int64_t number(std::size_t width) {
        const auto digits = bytes(width);
        // The sign of 32-bit numbers extends to all 64 bits.
        std::uint64_t value = !digits.empty() && static_cast<signed char>(digits[0]) < 0 ? ~0ull : 0ull;
        for (const char c : digits) value = (value << 8) | static_cast<unsigned char>(c);
        return static_cast<std::int64_t>(value);
    }
    std::string_view bytes(std::size_t count) {
        ok_ = ok_ && count <= bytes_.size();
        if (!ok_) return {};
        const auto taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }
    std::string_view rest() const { return bytes_; }
    bool ok() const { return ok_; }

  private:
    std::string_view bytes_;
    bool ok_ = true;
};

struct ZoneCounts {
    char version = 0;
    std::size_t utc = 0, standard = 0, leaps = 0, times = 0, types = 0, characters = 0;
};

std::optional<ZoneCounts> readCounts(ZoneBytes& file) {
    constexpr std::size_t unused = 15;
    constexpr std::int64_t maxCount = 1 << 16;
    ZoneCounts counts;
    if (file.bytes(4) != "TZif") return std::nullopt;
    const auto version = file.bytes(1);
    counts.version = version.empty() ? '\0' : version[0];
    file.bytes(unused);
    for (std::size_t* count :
         {&counts.utc, &counts.standard, &counts.leaps, &counts.times, &counts.types, &counts.characters}) {
        const auto value = file.number(4);
        if (!file.ok() || value < 0 || value > maxCount) return std::nullopt;
        *count = static_cast<std::size_t>(value);
    }
    return counts;
}

} // namespace

struct TimeZone::Rules {
    std::vector<std::int64_t> times; // of changes, seconds since 1970 in UTC, ascending
    std::vector<int> offsets;        // from each change on
    int first = 0;                   // before the first
    std::optional<Footer> footer;    // after the last

    static std::optional<Rules> read(std::string_view bytes);
    bool readBlock(ZoneBytes& file, const ZoneCounts& counts, std::size_t width);
    int offsetAt(std::int64_t utc) const;
};

bool TimeZone::Rules::readBlock(ZoneBytes& file, const ZoneCounts& counts, std::size_t width) {
    for (std::size_t i = 0; i < counts.times; ++i) times.push_back(file.number(width));
    const auto indices = file.bytes(counts.times);
    std::vector<int> types;
    for (std::size_t i = 0; i < counts.types; ++i) {
        const auto offset = file.number(4);
        file.bytes(2); // whether it is summer time, and its name
        if (offset < -maxZoneOffset || offset > maxZoneOffset) return false;
        types.push_back(static_cast<int>(offset));
    }
    file.bytes(counts.characters + counts.leaps * (width + 4) + counts.standard + counts.utc);
    if (!file.ok() || types.empty() || !std::ranges::is_sorted(times)) return false;
    first = types.front();
    for (const char index : indices) {
        const auto type = static_cast<std::size_t>(static_cast<unsigned char>(index));
        if (type >= types.size()) return false;
        offsets.push_back(types[type]);
    }
    return true;
}

std::optional<TimeZone::Rules> TimeZone::Rules::read(std::string_view bytes) {
    ZoneBytes file(bytes);
    Rules rules;
    const auto counts = readCounts(file);
    if (!counts || !rules.readBlock(file, *counts, 4)) {
        // Slim files leave the first block without types.
        if (!counts || counts->types != 0 || !file.ok()) return std::nullopt;
    }
    if (counts->version < '2') return rules;
    rules = {};
    const auto wide = readCounts(file);
    if (!wide || !rules.readBlock(file, *wide, 8)) return std::nullopt;
    auto footer = file.rest();
    if (!footer.starts_with('\n') || !footer.ends_with('\n') || footer.size() < 2) return rules;
    footer = footer.substr(1, footer.size() - 2);
    if (!footer.empty()) rules.footer = FooterReader(footer).read();
    return rules;
}

int TimeZone::Rules::offsetAt(std::int64_t utc) const {
    if (!times.empty() && utc < times.front()) return first;
    if (footer && (times.empty() || utc >= times.back())) return footer->offsetAt(utc);
    if (times.empty()) return first;
    const auto next = std::ranges::upper_bound(times, utc) - times.begin();
    return offsets[static_cast<std::size_t>(next - 1)];
}

std::filesystem::path TimeZone::systemDatabase() { return "/usr/share/zoneinfo"; }

TimeZone::TimeZone(const std::string& name, const std::filesystem::path& database)
    : name_(name) {
    if (const auto offset = parseOffset(name)) {
        fixed_ = *offset;
        return;
    }
    constexpr std::size_t maxName = 64;
    constexpr std::uint64_t maxBytes = 1 << 20;
    const auto wrong = [&](const std::string& why) {
        return Error("\"" + printable(name) + "\": " + why +
                     "; use a name such as Europe/Berlin, or an offset such as +02:00");
    };
    const bool isName = !name.empty() && name.size() <= maxName && name.front() != '/' &&
                        name.find("..") == std::string::npos && std::ranges::all_of(name, [](char c) {
                            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                   (c >= '0' && c <= '9') || c == '/' || c == '_' || c == '-' || c == '+';
                        });
    std::error_code failure;
    if (!isName || !std::filesystem::is_regular_file(database / name, failure))
        throw wrong(std::filesystem::is_directory(database, failure)
                        ? "is not the name of a time zone"
                        : "this system has no database of time zones (" + displayName(database) + ")");
    auto rules = Rules::read(readWholeFile(database / name, maxBytes, "time zone"));
    if (!rules) throw wrong("its file " + displayName(database / name) + " is not a time zone");
    rules_ = std::make_shared<const Rules>(*std::move(rules));
}

int TimeZone::offsetAt(std::int64_t utc) const { return rules_ ? rules_->offsetAt(utc) : fixed_; }

WallTime TimeZone::on(const WallTime& time) const {
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds(time.milliseconds)).count();
    if (time.offset) {
        const int offset = offsetAt(seconds - *time.offset);
        return {time.milliseconds + std::int64_t{offset - *time.offset} * 1000, offset};
    }
    const int before = offsetAt(seconds - daySeconds), after = offsetAt(seconds + daySeconds);
    const bool isAfter = offsetAt(seconds - before) != before && offsetAt(seconds - after) == after;
    return {time.milliseconds, isAfter ? after : before};
}

} // namespace earshot
