// The worker's end of its private way to the parent.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "values/message.h"

namespace judge {

class Channel {
  public:
    Channel(int descriptor, uint64_t key);

    // Ends the process with kChannelGone where nobody would hear it: the parent is gone, or the plugin has closed the
    // descriptor or put another file in its place. A child that the plugin forked, and that comes back from solve as
    // the plugin does, ends here too: what it found would be told twice.
    void send(const Message& message) const;

    void phase(Activity activity, const std::string& text) const { send(Phase{activity, text}); }

  private:
    bool is_ours() const;

    int descriptor_;
    uint64_t key_;
    pid_t process_;
    struct stat file_ {};  // that the descriptor stood for at first
};

}  // namespace judge
