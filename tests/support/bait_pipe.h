#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace headscope::ui::test {

/// A named pipe that nothing should read. What opens it to read would wait for ever: here it gets
/// the end of the file instead, and is remembered.
class BaitPipe {
public:
    explicit BaitPipe(const QString& path) : path_(QFile::encodeName(path)) {
        ::mkfifo(path_.constData(), 0600);
        writer_ = std::thread([this] {
            while (!is_over_) {
                const int end = ::open(path_.constData(), O_WRONLY | O_CLOEXEC); // waits for one
                was_read_ = was_read_ || !is_over_;
                ::close(end);
            }
        });
    }
    ~BaitPipe() {
        is_over_ = true;
        const int end = ::open(path_.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        writer_.join();
        ::close(end);
    }
    BaitPipe(const BaitPipe&) = delete;
    BaitPipe& operator=(const BaitPipe&) = delete;

    bool wasRead() const { return was_read_; }

private:
    QByteArray path_;
    std::atomic<bool> is_over_ = false;
    std::atomic<bool> was_read_ = false;
    std::thread writer_;
};

} // namespace headscope::ui::test
