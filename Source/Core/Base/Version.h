// Which Earshot this is. Pure functions: any thread.
#pragma once

#include <string_view>

namespace earshot {

std::string_view version(); // "0.3.0"

// The commit that was built, as "3f2a91c0de", with "+" behind it if files differed from the commit. Empty
// where the sources were no git repository.
std::string_view commit();

// "0.3.0 (3f2a91c0de)", or "0.3.0" without a commit.
std::string_view versionAndCommit();

} // namespace earshot
