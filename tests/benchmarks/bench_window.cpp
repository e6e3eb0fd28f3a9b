// What a person waits for, in milliseconds: from the start of the process to the first picture, and
// from a key press in the prompt to the picture that shows it.
//   QT_QPA_PLATFORM=offscreen bench_window [MODEL [KEYSTROKES]]

#include "core/tensor/gemm.h"
#include "ui/views/dialogs.h"
#include "ui/views/main_window.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QLineEdit>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

using namespace headscope;
using namespace headscope::ui;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// How long this process has existed; /proc counts in ticks of 10 ms.
double millisecondsSinceExec() {
    QFile stat(QStringLiteral("/proc/self/stat"));
    QFile uptime(QStringLiteral("/proc/uptime"));
    if (!stat.open(QIODevice::ReadOnly) || !uptime.open(QIODevice::ReadOnly))
        return 0.0;
    const QByteArray fields = stat.readAll();
    // Field 22, counted from the one after the process name in parentheses, which is field 3.
    const double started = fields.mid(fields.lastIndexOf(')') + 2).split(' ').at(19).toDouble() /
                           static_cast<double>(sysconf(_SC_CLK_TCK));
    return (uptime.readAll().split(' ').first().toDouble() - started) * 1000.0;
}

/// Tells when the window has painted a run that was not there before.
class PictureWatch : public QObject {
public:
    PictureWatch(MainWindow& window, QObject* parent) : QObject(parent) {
        connect(&window.document(), &Document::resultChanged, this, [this] { pending_ = true; });
        window.installEventFilter(this);
    }

    void waitForPicture() {
        painted_ = false;
        while (!painted_)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        // The request is handled right after this filter; the timer fires behind it.
        if (event->type() == QEvent::UpdateRequest && pending_) {
            pending_ = false;
            QTimer::singleShot(0, this, [this] { painted_ = true; });
        }
        return false;
    }

private:
    bool pending_ = false;
    bool painted_ = false;
};

void print(const char* what, std::vector<double> times) {
    std::ranges::sort(times);
    std::printf("%-34s median %6.1f ms   90%% %6.1f ms   worst %6.1f ms   (%zu times)\n", what,
                times[times.size() / 2], times[times.size() * 9 / 10], times.back(), times.size());
}

std::vector<double> typeAndWait(QLineEdit& prompt, PictureWatch& watch, int keystrokes) {
    std::vector<double> times;
    for (int i = 0; i < keystrokes; ++i) {
        const auto start = Clock::now();
        QTest::keyClick(&prompt, "the cat sat "[i % 12]);
        watch.waitForPicture();
        times.push_back(millisecondsSince(start));
    }
    return times;
}

} // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QString model = argc > 1 ? QString::fromLocal8Bit(argv[1])
                                   : QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/gpt2-mini-6l.h5");
    const int keystrokes = argc > 2 ? QByteArray(argv[2]).toInt() : 60;

    Dialogs dialogs;
    MainWindow window(dialogs);
    PictureWatch watch(window, &window);
    window.resize(1440, 900);
    window.show();
    window.start({model, QStringLiteral("When Mary and John went to the store, John gave a"), {}});
    watch.waitForPicture();
    const double first_picture = millisecondsSinceExec();

    // The probe of all heads runs in the background right after the start; typing is timed alone.
    while (window.document().scorer()->isBusy())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    auto* prompt = window.findChild<QLineEdit*>(QStringLiteral("promptEdit"));
    std::printf("%s, %s\n", qPrintable(model), blasDescription().c_str());
    std::printf("%-34s %6.0f ms\n", "process start to first picture", first_picture);
    print("key press to picture", typeAndWait(*prompt, watch, keystrokes));
    std::printf("%-34s %zu\n", "tokens at the end", window.document().result()->prompt.ids.size());
    return 0;
}
