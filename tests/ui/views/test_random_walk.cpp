#include "core/base/random.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/heatmap.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QTimer>
#include <QWheelEvent>

#include <utility>

namespace test_random_walk {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

constexpr int kSteps = 2000;
constexpr int kLongestPause = 4; // milliseconds
constexpr std::size_t kLongestPrompt = 200;

/// A walk goes on for so long after its steps.
int secondsAtLeast() {
    return qEnvironmentVariableIntValue("HEADSCOPE_WALK_SECONDS");
}

/// Somebody who clicks, points, types and scrolls anywhere without a thought, and faster than the
/// window computes. Steps are taken from the event loop, so that they reach menus and dialogs that
/// run a loop of their own.
class RandomWalk : public QObject {
public:
    /// `to_open` are the answers to the question for a file.
    RandomWalk(WindowUnderTest& window, QStringList to_open, std::uint64_t seed)
        : window_(window), to_open_(std::move(to_open)), random_(seed) {}

    void start() { QTimer::singleShot(0, this, &RandomWalk::step); }
    bool isDone() const { return steps_ >= kSteps && end_.hasExpired(); }

private:
    void step() {
        if (isDone())
            return leaveNestedLoops();
        ++steps_;
        // First, because what this step does may run a loop of its own.
        QTimer::singleShot(static_cast<int>(random_.below(kLongestPause + 1)), this,
                           &RandomWalk::step);
        switch (random_.below(12)) {
        case 0:
            return trigger();
        case 1:
        case 2:
            return type();
        case 3:
            return scroll();
        case 4:
            return press();
        case 5:
        case 6:
        case 7:
            return point();
        case 8:
            return changeAnswers();
        default:
            return click();
        }
    }

    template <class T>
    T oneOf(std::initializer_list<T> choices) {
        return *(choices.begin() + random_.below(choices.size()));
    }

    static void leaveNestedLoops() {
        while (QWidget* popup = QApplication::activePopupWidget())
            popup->close();
        while (QWidget* modal = QApplication::activeModalWidget())
            modal->close();
    }

    template <class List>
    auto oneIn(const List& list) {
        return list[static_cast<qsizetype>(random_.below(static_cast<std::size_t>(list.size())))];
    }

    Qt::KeyboardModifiers modifiers() {
        return oneOf({Qt::NoModifier, Qt::NoModifier, Qt::NoModifier, Qt::ControlModifier,
                      Qt::ShiftModifier});
    }

    /// What takes the user's clicks: a menu, a modal dialog, or any window.
    QWidget* topLevel() {
        if (QWidget* popup = QApplication::activePopupWidget())
            return popup;
        if (QWidget* modal = QApplication::activeModalWidget())
            return modal;
        QWidgetList visible;
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (widget->isVisible() && widget->windowType() != Qt::ToolTip)
                visible.append(widget);
        return visible.isEmpty() ? nullptr : oneIn(visible);
    }

    QWidget* anyWidget() {
        QWidget* top = topLevel();
        if (!top)
            return nullptr;
        QWidgetList visible{top};
        for (QWidget* child : top->findChildren<QWidget*>())
            if (child->isVisible())
                visible.append(child);
        return oneIn(visible);
    }

    QPoint anyPoint(const QWidget* widget) {
        const auto coordinate = [this](int size) {
            return static_cast<int>(random_.below(static_cast<std::size_t>(std::max(1, size))));
        };
        return {coordinate(widget->width()), coordinate(widget->height())};
    }

    void click() {
        const QPointer<QWidget> widget = anyWidget();
        if (!widget)
            return;
        const auto button = random_.below(8) == 0 ? Qt::RightButton : Qt::LeftButton;
        const Qt::KeyboardModifiers held = modifiers();
        const QPoint at = anyPoint(widget);
        if (random_.below(6) == 0)
            return QTest::mouseDClick(widget, button, held, at);
        QTest::mousePress(widget, button, held, at);
        // A press may open a menu, in whose loop the walk went on and closed what was pressed.
        QTest::mouseRelease(widget ? widget.data() : &*window_, button, held, at);
    }

    void point() {
        if (QWidget* widget = anyWidget())
            QTest::mouseMove(widget, anyPoint(widget));
    }

    void scroll() {
        QWidget* widget = anyWidget();
        if (!widget)
            return;
        const QPoint at = anyPoint(widget);
        QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, oneOf({-120, 120})}, Qt::NoButton,
                          modifiers(), Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void press() {
        QWidget* focus = QApplication::focusWidget();
        if (QWidget* popup = QApplication::activePopupWidget())
            focus = popup;
        if (!focus)
            return;
        const auto key = oneOf({Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home,
                                Qt::Key_End, Qt::Key_Escape, Qt::Key_Space, Qt::Key_Return,
                                Qt::Key_Tab, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Delete});
        QTest::keyClick(focus, key, modifiers());
    }

    /// Some letters into one of the two prompts.
    void type() {
        auto* edit = window_.find<QLineEdit>(oneOf({"promptEdit", "comparePrompt"}));
        if (!edit->isVisible() || !edit->isEnabled() || QApplication::activeModalWidget() ||
            QApplication::activePopupWidget())
            return;
        if (edit->text().size() > static_cast<qsizetype>(kLongestPrompt))
            edit->clear();
        edit->setCursorPosition(
            static_cast<int>(random_.below(static_cast<std::size_t>(edit->text().size()) + 1)));
        QTest::keyClicks(
            edit, oneOf({QStringLiteral(" Anna"), QStringLiteral("her "), QStringLiteral("x"),
                         QStringLiteral("7!"), QStringLiteral("the store, the store")}));
        if (random_.below(3) == 0)
            for (int i = 0; i < 8; ++i)
                QTest::keyClick(edit, Qt::Key_Backspace);
    }

    void trigger() {
        if (QApplication::activeModalWidget() || QApplication::activePopupWidget())
            return;
        QList<QAction*> enabled;
        for (QAction* action : window_->menuBar()->findChildren<QAction*>())
            if (action->isEnabled() && action->isVisible() && !action->menu() &&
                !action->objectName().startsWith(QStringLiteral("sample_"))) // of the source tree
                enabled.append(action);
        oneIn(enabled)->trigger();
    }

    void changeAnswers() { window_.dialogs.to_open = oneIn(to_open_); }

    WindowUnderTest& window_;
    QStringList to_open_;
    Random random_;
    int steps_ = 0;
    QDeadlineTimer end_{secondsAtLeast() * 1000};
};

/// Quit is one of the commands a walk may choose, from a menu or the palette: the window hears that
/// it shall close, and stays for the rest of the walk.
class StaysOpen : public QObject {
public:
    explicit StaysOpen(QWidget& window) { window.installEventFilter(this); }

    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::Close)
            return false;
        event->ignore();
        return true;
    }
};

} // namespace

class TestRandomWalk : public QObject {
    Q_OBJECT

private slots:
    void nothingBreaks_data() {
        QTest::addColumn<int>("seed");
        QTest::addColumn<QString>("sample");
        QTest::addColumn<bool>("compares");
        bool is_number = false;
        const int own = qEnvironmentVariableIntValue("HEADSCOPE_WALK_SEED", &is_number);
        QTest::newRow("two prompts")
            << (is_number ? own : 1) << QStringLiteral("gpt2-mini-6l") << true;
        QTest::newRow("a small model")
            << (is_number ? own : 2) << QStringLiteral("microgpt") << false;
    }

    /// A sample that was opened by way of a menu may have been saved beside itself.
    void cleanup() {
        QDir samples(QStringLiteral(HEADSCOPE_SAMPLE_MODELS));
        for (const QString& copy : samples.entryList({QStringLiteral("*-copy.h5")}))
            samples.remove(copy);
    }

    /// HEADSCOPE_WALK_SEED walks elsewhere, HEADSCOPE_WALK_SECONDS longer.
    void nothingBreaks() {
        QFETCH(int, seed);
        QFETCH(QString, sample);
        QFETCH(bool, compares);
        const TemporarySettings settings;
        const QString path = copied(settings, sample); // files may be written beside the model
        const QString other = copied(settings, QStringLiteral("attn-only-2l"));
        WindowUnderTest window;
        window.dialogs.to_save = settings.path(QStringLiteral("walk"));
        QVERIFY(window.startOn(path));
        if (compares)
            window.document().comparison().turnOn();
        const StaysOpen stays_open(*window);
        RandomWalk walk(window, {QString(), path, other, settings.path(QStringLiteral("none.h5"))},
                        static_cast<std::uint64_t>(seed));
        walk.start();
        QTRY_VERIFY_WITH_TIMEOUT(walk.isDone(), 5 * kPatience + secondsAtLeast() * 1000);
        QVERIFY(window->isVisible());

        // The window answers as ever.
        window.document().comparison().turnOff();
        window.document().open(path);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto model = window.document().model();
                return model && model->name == sample.toStdString() && window.settled() &&
                       window.document().promptRunner().result();
            },
            kPatience));
        window.find<QAction>("actionOneHead")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.find<Heatmap>("heatmap")->content().cells, kPatience);
        QCOMPARE(window.find<Heatmap>("heatmap")->content().cells->rows(),
                 window.document().promptRunner().result()->prompt.ids.size());
    }

private:
    static QString copied(const TemporarySettings& settings, const QString& sample) {
        const QString path = settings.path(sample + QStringLiteral(".h5"));
        return QFile::copy(samplePath(sample), path) ? path : QString();
    }
};

const headscope::test::TestRegistration<TestRandomWalk> registration;

} // namespace test_random_walk

#include "test_random_walk.moc"
