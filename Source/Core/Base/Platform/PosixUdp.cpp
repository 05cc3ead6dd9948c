#include "Core/Base/Platform/Udp.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace earshot::platform {

UdpSender::UdpSender(const std::string& host, int port) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
        code != 0) {
        problem_ = ::gai_strerror(code);
        return;
    }
    // Receivers mostly wait on IPv4 alone, to which "localhost" need not lead first.
    const addrinfo* chosen = found;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next)
        if (each->ai_family == AF_INET) {
            chosen = each;
            break;
        }
    const int descriptor = ::socket(chosen->ai_family, chosen->ai_socktype, chosen->ai_protocol);
    if (descriptor < 0 || ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ||
        ::connect(descriptor, chosen->ai_addr, chosen->ai_addrlen) != 0)
        problem_ = std::strerror(errno);
    ::freeaddrinfo(found);
    socket_ = descriptor;
}

UdpSender::~UdpSender() {
    if (socket_ >= 0) ::close(static_cast<int>(socket_));
}

bool UdpSender::send(std::string_view bytes) {
    if (socket_ < 0) return false;
    auto sent = ::send(static_cast<int>(socket_), bytes.data(), bytes.size(), MSG_DONTWAIT);
    // The answer to an earlier datagram that nobody waited for: this one was not sent yet.
    if (sent < 0 && errno == ECONNREFUSED)
        sent = ::send(static_cast<int>(socket_), bytes.data(), bytes.size(), MSG_DONTWAIT);
    const bool isSent = sent >= 0 || errno == ECONNREFUSED;
    problem_ = isSent ? std::string() : std::strerror(errno);
    return isSent;
}

} // namespace earshot::platform
