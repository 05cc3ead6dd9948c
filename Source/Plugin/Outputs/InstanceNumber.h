// Numbers the instances of a process, so that they can be told apart where nothing names them. Any thread.
#pragma once

namespace earshot::plugin {

class InstanceNumber {
  public:
    InstanceNumber(); // takes the lowest number that is free, from 1
    ~InstanceNumber();
    InstanceNumber(const InstanceNumber&) = delete;
    InstanceNumber& operator=(const InstanceNumber&) = delete;

    int get() const { return number_; }

  private:
    int number_ = 1;
};

} // namespace earshot::plugin
