// Time zones by name: offsets from UTC, and the zones of the system's own database, which its updates keep
// right. Immutable: any thread. References: RFC 8536 (TZif), POSIX.1-2017 section 8.3 (TZ).
#pragma once

#include "Core/Base/WallTime.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace earshot {

class TimeZone {
  public:
    // "UTC", "+02:00" or "Europe/Berlin". Throws earshot::Error that says what is right if there is no such
    // zone. database: the folder with the zones' files.
    explicit TimeZone(const std::string& name, const std::filesystem::path& database = systemDatabase());
    static std::filesystem::path systemDatabase(); // "/usr/share/zoneinfo"

    const std::string& name() const { return name_; }
    // Seconds by which its clocks are ahead of UTC at that time, in seconds since 1970 in UTC.
    int offsetAt(std::int64_t utc) const;
    // The same moment on a clock of this zone. A time without an offset is taken for one of this zone: of the
    // hour that the clocks show twice the first, and in the hour that they leave out as if they had not been
    // changed.
    WallTime on(const WallTime& time) const;

  private:
    struct Rules;

    std::string name_;
    int fixed_ = 0;                      // seconds, if there are no rules
    std::shared_ptr<const Rules> rules_; // shared by copies
};

} // namespace earshot
