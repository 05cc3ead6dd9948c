// Sends datagrams to one receiver (PosixUdp.cpp, WindowsUdp.cpp). One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace earshot::platform {

class UdpSender {
  public:
    // Looks the name up, which may wait for the network. problem() says why nothing can be sent.
    UdpSender(const std::string& host, int port);
    ~UdpSender();
    UdpSender(const UdpSender&) = delete;
    UdpSender& operator=(const UdpSender&) = delete;

    // Returns false if the system refuses the datagram. A receiver that is not there is no failure.
    bool send(std::string_view bytes);
    const std::string& problem() const { return problem_; } // of the last call; empty: none

  private:
    std::intptr_t socket_ = -1;
    std::string problem_;
};

} // namespace earshot::platform
