// Tests of permissions, which root has all of: while one of these lives, the program is nobody, if it was
// root. What belongs to root is then out of reach as it is for users; folders of the test stay its own if
// they were made before with others' permissions.
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
