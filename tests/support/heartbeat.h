#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace headscope::test {

/// How long the thread of a window could not have answered a person.
class Heartbeat {
public:
    Heartbeat() {
        clock_.start();
        timer_.callOnTimeout([this] { beat(); });
        timer_.start(kInterval);
    }

    /// The longest time since it was asked last, in milliseconds.
    double longest() {
        beat();
        return std::exchange(longest_, 0.0);
    }

private:
    static constexpr int kInterval = 2; // milliseconds

    void beat() {
        const double passed = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
        longest_ = std::max(longest_, passed - kInterval);
        clock_.restart();
    }

    QTimer timer_;
    QElapsedTimer clock_;
    double longest_ = 0.0;
};

} // namespace headscope::test
