// What a person waits for, in milliseconds: from the start of the process to the first picture, and
// from a key press in the prompt to the picture that shows it.
//   QT_QPA_PLATFORM=offscreen bench_window [MODEL [KEYSTROKES [TOKENS]]]
// With TOKENS, also what every step costs the window on a prompt of about so many tokens.

#include "core/tensor/gemm.h"
#include "tests/support/heartbeat.h"
#include "ui/views/dialogs.h"
#include "ui/views/main_window.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window_commands.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/token_strip.h"
#include "ui/widgets/token_view.h"

#include <QAction>
#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMouseEvent>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
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

/// Where there will be no picture to wait for.
[[noreturn]] void endWith(const QString& error) {
    std::fprintf(stderr, "bench_window: %s\n", qPrintable(error));
    std::quick_exit(1);
}

/// Tells when the window has painted a run that was not there before.
class PictureWatch : public QObject {
public:
    PictureWatch(MainWindow& window, QObject* parent) : QObject(parent) {
        const PromptRunner& runner = window.document().promptRunner();
        connect(&runner, &PromptRunner::resultChanged, this, [this] { pending_ = true; });
        connect(&runner, &PromptRunner::errorChanged, this, [&runner] {
            if (!runner.error().isEmpty())
                endWith(runner.error());
        });
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

/// From an input event until the window has drawn what it has and waits for the next.
double frame(const std::function<void()>& input) {
    const auto start = Clock::now();
    input();
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    return millisecondsSince(start);
}

/// The longest time the window was deaf in each of `count` steps.
std::vector<double> frames(int count, const std::function<void(int)>& input) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const double drawn = frame([&] { input(i); });
        QTest::qSleep(12); // a hand rests between two events, and workers answer meanwhile
        times.push_back(std::max(drawn, frame([] {})));
    }
    return times;
}

void wheel(QWidget& target, QPointF at, int notches) {
    QWheelEvent event(at, target.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&target, &event);
}

QString longText(int words) {
    const QStringList pool =
        QStringLiteral("the cat sat on a mat and then it ran to her").split(QLatin1Char(' '));
    QStringList text;
    unsigned state = 1;
    for (int i = 0; i < words; ++i) {
        state = state * 1664525U + 1013904223U;
        text << pool[static_cast<qsizetype>((state >> 16) % static_cast<unsigned>(pool.size()))];
    }
    return text.join(QLatin1Char(' '));
}

void moveOverHeatmap(MainWindow& window) {
    auto* heatmap = window.findChild<Heatmap*>(QStringLiteral("heatmap"));
    QWidget* plot = heatmap->childAt(heatmap->rect().center());
    const QPoint middle = plot->rect().center();
    const auto point = [&](int i) { return middle + QPoint(i % 37 * 3 - 54, i % 23 * 4 - 44); };
    print("long: hover step", frames(100, [&](int i) { QTest::mouseMove(plot, point(i)); }));
    print("long: zoom in step", frames(20, [&](int) { wheel(*plot, middle, 1); }));
    print("long: zoom out step", frames(20, [&](int) { wheel(*plot, middle, -1); }));
    for (int i = 0; i < 4; ++i)
        wheel(*plot, middle, 1);
    QTest::mousePress(plot, Qt::LeftButton, {}, middle);
    print("long: pan step", frames(60, [&](int i) { QTest::mouseMove(plot, point(i)); }));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, middle);
}

void sendMove(TokenView& view, QPoint at) {
    QMouseEvent event(QEvent::MouseMove, at, view.viewport()->mapToGlobal(at), Qt::NoButton,
                      Qt::NoButton, {});
    QCoreApplication::sendEvent(view.viewport(), &event);
}

/// Hovers over a page of tokens with one head and with as many as have a colour.
void moveOverTokens(MainWindow& window, PatternPage page, const char* name, const char* what) {
    Document& document = window.document();
    window.patternView().showPage(page);
    auto* view = window.findChild<TokenView*>(QString::fromLatin1(name));
    std::vector<LayerHead> heads;
    for (std::size_t head = 0; head < kHeadColours; ++head)
        heads.push_back({document.selection().head().layer, head % document.model()->spec.n_heads});
    const QRect area = view->viewport()->rect().adjusted(20, 20, -20, -20);
    for (const bool several : {false, true}) {
        if (several)
            document.selection().choose(heads, heads.front());
        QTest::qWait(1500);
        print(qPrintable(QStringLiteral("%1: hover, %2")
                             .arg(QString::fromLatin1(what), several ? QStringLiteral("six heads")
                                                                     : QStringLiteral("one head"))),
              frames(100, [&](int i) {
                  sendMove(*view,
                           area.topLeft() + QPoint(i * 37 % area.width(), i * 23 % area.height()));
              }));
        QCoreApplication::sendEvent(view->viewport(),
                                    std::make_unique<QEvent>(QEvent::Leave).get());
        print(qPrintable(QStringLiteral("%1: scroll").arg(QString::fromLatin1(what))),
              frames(30, [&](int i) { view->verticalScrollBar()->setValue(i * 40); }));
        view->verticalScrollBar()->setValue(0);
    }
    document.selection().select(heads.front());
}

void useTokenPages(MainWindow& window) {
    moveOverTokens(window, PatternPage::Text, "tokenText", "text");
    window.patternView().controls().setDirection(TokenDirection::ReadBy);
    moveOverTokens(window, PatternPage::Text, "tokenText", "text, read by");
    moveOverTokens(window, PatternPage::Lines, "tokenLines", "lines");
    window.patternView().showPage(PatternPage::Heatmap);
}

/// From asking for the patterns of all heads until the first of them are drawn.
double firstOfAllHeads(MainWindow& window) {
    window.patternView().showPage(PatternPage::Heatmap);
    QTest::qWait(300);
    auto* mosaic = window.findChild<HeadMosaic*>(QStringLiteral("allHeads"));
    const auto start = Clock::now();
    window.patternView().showPage(PatternPage::AllHeads);
    while (mosaic->cell(0, 0).thumbnail.isNull() || mosaic->cell(0, 0).faded)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
    const double first = millisecondsSince(start);
    window.patternView().showPage(PatternPage::Heatmap);
    return first;
}

/// Every page: what opening it, coming back to it and another head cost while it is in front.
void usePages(MainWindow& window) {
    PatternView& patterns = window.patternView();
    std::printf("%-34s %6.1f ms\n", "all heads: first picture", firstOfAllHeads(window));
    print("patterns: another page",
          frames(20, [&](int i) { patterns.showPage(static_cast<PatternPage>(i % 6)); }));
    patterns.showPage(PatternPage::Heatmap);
    const QStringList analyses{QStringLiteral("AllScores"), QStringLiteral("Attribution"),
                               QStringLiteral("Circuits"),  QStringLiteral("Similarity"),
                               QStringLiteral("Examples"),  QStringLiteral("PromptSet"),
                               QStringLiteral("Prune")};
    for (const QString& analysis : analyses) {
        auto* open = window.findChild<QAction*>(QStringLiteral("action") + analysis);
        const QByteArray name = analysis.toLower().toUtf8();
        std::printf("%-34s %6.1f ms\n", (name + ": opening").constData(),
                    frame([&] { open->trigger(); }));
        QTest::qWait(3000); // what it computes is there
        print((name + ": another head").constData(), frames(20, [&](int i) {
                  window.document().selection().select({0, static_cast<std::size_t>(i % 2)});
              }));
    }
    print("another page", frames(40, [&](int) { window.pages().step(1); }));
    while (window.pages().size() > 1) {
        window.pages().step(1);
        window.pages().closeCurrent();
    }
}

void useLongPrompt(MainWindow& window, PictureWatch& watch, int words) {
    Document& document = window.document();
    const auto start = Clock::now();
    const double asked = frame([&] { document.setPromptText(longText(words)); });
    headscope::test::Heartbeat heartbeat;
    watch.waitForPicture();
    std::printf("%-34s %zu\n", "long: tokens", document.promptRunner().result()->prompt.ids.size());
    std::printf("%-34s %6.1f ms\n", "long: taking the text", asked);
    std::printf("%-34s %6.0f ms\n", "long: text to first picture", millisecondsSince(start));
    std::printf("%-34s %6.1f ms\n", "long: longest deaf time meanwhile", heartbeat.longest());
    QTest::qWait(2000);
    std::printf("%-34s %6.1f ms\n", "long: all heads, first picture", firstOfAllHeads(window));
    moveOverHeatmap(window);
    useTokenPages(window);
    print("long: another head", frames(20, [&](int i) {
              document.selection().select({0, i % 2U});
          }));
    print("long: locking a row",
          frames(20, [&](int i) { document.selection().lockRow(100 + 7 * i); }));
    auto* strip = window.findChild<TokenStrip*>(QStringLiteral("tokenStrip"));
    print("long: scrolling the tokens",
          frames(30, [&](int) { wheel(*strip, strip->rect().center(), -1); }));
    int width = 1440;
    print("long: resizing the window", frames(20, [&](int) { window.resize(width -= 9, 900); }));
    auto* prompt = window.findChild<QLineEdit*>(QStringLiteral("promptEdit"));
    print("long: key press to picture", typeAndWait(*prompt, watch, 10));
    print("long: typing, until drawn",
          frames(10, [&](int i) { QTest::keyClick(prompt, "the cat sat "[i % 12]); }));
}

} // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    QStandardPaths::setTestModeEnabled(true);
    const QString model = argc > 1 ? QString::fromLocal8Bit(argv[1])
                                   : QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/gpt2-mini-6l.h5");
    if (!QFileInfo::exists(model))
        endWith(QStringLiteral("There is no '%1'; give a model file or folder.").arg(model));
    const int keystrokes = argc > 2 ? QByteArray(argv[2]).toInt() : 60;

    Dialogs dialogs;
    MainWindow window(dialogs, windowCommands);
    PictureWatch watch(window, &window);
    window.resize(1440, 900);
    window.show();
    window.start({model, QStringLiteral("When Mary and John went to the store, John gave a"), {}});
    watch.waitForPicture();
    const double first_picture = millisecondsSinceExec();

    // The probe of all heads runs in the background right after the start; typing is timed alone.
    window.document().headScorer().worker()->cancel();
    QTest::qWait(1000);
    auto* prompt = window.findChild<QLineEdit*>(QStringLiteral("promptEdit"));
    std::printf("%s, %s\n", qPrintable(model), blasDescription().c_str());
    std::printf("%-34s %6.0f ms\n", "process start to first picture", first_picture);
    print("key press to picture", typeAndWait(*prompt, watch, keystrokes));
    std::printf("%-34s %zu\n", "tokens at the end",
                window.document().promptRunner().result()->prompt.ids.size());
    useTokenPages(window);
    usePages(window);
    if (argc > 3)
        useLongPrompt(window, watch, QByteArray(argv[3]).toInt());
    return 0;
}
