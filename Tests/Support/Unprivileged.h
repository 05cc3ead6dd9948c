// For tests of permissions, which root ignores. While an object lives, a program of root runs as nobody, so
// files of root are out of reach as they are for users. Folders of the test stay accessible if they were
// created before with permissions for others.
//
//     fs::permissions(file, fs::perms::none);
//     const test::Unprivileged user;
//     if (!user.holds()) return test::skip("root cannot become another user here");
#pragma once

#include <vector>

#include <sys/types.h>

namespace earshot::test {

class Unprivileged {
  public:
    Unprivileged();
    ~Unprivileged();
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

    // False: the program is still root.
    bool holds() const;

  private:
    bool wasRoot_;
    std::vector<gid_t> groups_;
};

} // namespace earshot::test
