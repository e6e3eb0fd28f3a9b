#pragma once

#include <sys/resource.h>

#include <csignal>

namespace headscope::test {

/// For as long as it lives, no file of this process can grow beyond `bytes`: a write fails half
/// way, as on a disk that fills up.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        std::signal(SIGXFSZ, handler_);
        ::setrlimit(RLIMIT_FSIZE, &before_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

} // namespace headscope::test
