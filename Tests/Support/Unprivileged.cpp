#include "Support/Unprivileged.h"

#include <exception>

#include <grp.h>
#include <unistd.h>

namespace earshot::test {

namespace {

constexpr uid_t nobody = 65534;
constexpr uid_t root = 0;

} // namespace

Unprivileged::Unprivileged()
    : wasRoot_(::geteuid() == root) {
    if (!wasRoot_) return;
    groups_.resize(static_cast<std::size_t>(::getgroups(0, nullptr)));
    const int count = ::getgroups(static_cast<int>(groups_.size()), groups_.data());
    groups_.resize(static_cast<std::size_t>(count < 0 ? 0 : count));
    // The saved user stays root, for the way back.
    if (::setgroups(0, nullptr) != 0 || ::setresgid(nobody, nobody, root) != 0 ||
        ::setresuid(nobody, nobody, root) != 0)
        return; // holds() says so
}

Unprivileged::~Unprivileged() {
    if (!wasRoot_) return;
    const bool back = ::setresuid(root, root, root) == 0 && ::setresgid(root, root, root) == 0 &&
                      ::setgroups(groups_.size(), groups_.data()) == 0;
    if (!back && ::geteuid() != root) std::terminate(); // all later tests would run as another user
}

bool Unprivileged::holds() const { return ::geteuid() != root; }

} // namespace earshot::test
