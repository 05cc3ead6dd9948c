#include "Core/Base/Platform/Udp.h"

#include <winsock2.h>
#include <ws2tcpip.h>

namespace earshot::platform {

namespace {

std::string failureText() { return "Windows error " + std::to_string(WSAGetLastError()); }

} // namespace

UdpSender::UdpSender(const std::string& host, int port) {
    WSADATA data{};
    WSAStartup(MAKEWORD(2, 2), &data);
    addrinfo wanted{};
    wanted.ai_family = AF_INET;
    wanted.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) {
        problem_ = failureText();
        return;
    }
    const SOCKET opened = ::socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (opened == INVALID_SOCKET ||
        ::connect(opened, found->ai_addr, static_cast<int>(found->ai_addrlen)) != 0)
        problem_ = failureText();
    freeaddrinfo(found);
    socket_ = static_cast<std::intptr_t>(opened);
}

UdpSender::~UdpSender() {
    if (socket_ >= 0) closesocket(static_cast<SOCKET>(socket_));
    WSACleanup();
}

bool UdpSender::send(std::string_view bytes) {
    if (socket_ < 0) return false;
    const bool isSent =
        ::send(static_cast<SOCKET>(socket_), bytes.data(), static_cast<int>(bytes.size()), 0) >= 0;
    problem_ = isSent ? std::string() : failureText();
    return isSent;
}

} // namespace earshot::platform
