// The worker's end of its private way to the parent.
#pragma once

#include <string>

#include "values/message.h"

namespace judge {

class Channel {
  public:
    explicit Channel(int descriptor) : descriptor_(descriptor) {}

    // Ends the process where nobody listens: the parent is gone, or the plugin has closed the descriptor.
    void send(const Message& message) const;

    void phase(Activity activity, const std::string& text) const { send(Phase{activity, text}); }

  private:
    int descriptor_;
};

}  // namespace judge
