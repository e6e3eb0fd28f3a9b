// What the row busy_window disturbs: a window on MODEL opens the paths that follow, one after the
// other: models, projects and folders of HeadVis. After each it prints the longest time in
// milliseconds in which it could not have answered a person, and what its message bar says.
//   QT_QPA_PLATFORM=offscreen reliability_window MODEL PATH…

#include "tests/support/heartbeat.h"
#include "ui/views/dialogs.h"
#include "ui/views/main_window.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/project_keeper.h"
#include "ui/views/window_commands.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPushButton>
#include <QTest>

#include <cstdio>

namespace {

using namespace headscope::ui;

constexpr int kQuiet = 500;      // milliseconds without work after which a path is open, or refused
constexpr int kPatience = 60000; // milliseconds

/// Answers what a person would have chosen.
class AnsweredDialogs : public Dialogs {
public:
    QString examplesToOpen(QWidget*, const QString&) override { return folder; }
    SaveAnswer askToSave(QWidget*, const QString&) override { return SaveAnswer::Discard; }

    QString folder;
};

bool isBusy(MainWindow& window) {
    Document& document = window.document();
    return document.loader()->isBusy() || document.promptRunner().worker()->isBusy() ||
           document.headScorer().worker()->isBusy() ||
           document.headScorer().promptReader()->isBusy() || document.labelTester().isReading() ||
           document.notes().isReading() || window.patternView().isReading() ||
           window.project().isOpening();
}

/// False: it still works after a minute.
bool isQuiet(MainWindow& window) {
    QElapsedTimer all;
    QElapsedTimer quiet;
    all.start();
    quiet.start();
    while (quiet.elapsed() < kQuiet && all.elapsed() < kPatience) {
        QTest::qWait(5);
        if (isBusy(window))
            quiet.restart();
    }
    return all.elapsed() < kPatience;
}

void open(MainWindow& window, AnsweredDialogs& dialogs, const QString& path) {
    if (!QFileInfo(path).isDir())
        return window.openPath(path);
    dialogs.folder = path;
    window.findChild<QPushButton*>(QStringLiteral("exampleFolder"))->click();
}

} // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
    QCoreApplication::setApplicationName(QStringLiteral("HeadscopeTest"));
    QStringList paths = QCoreApplication::arguments().mid(1);
    if (paths.isEmpty())
        return 2;
    AnsweredDialogs dialogs;
    MainWindow window(dialogs, windowCommands);
    StartOptions options;
    options.model = paths.takeFirst();
    window.show();
    window.start(options);
    if (!isQuiet(window))
        return 1;
    window.findChild<QAction*>(QStringLiteral("actionExamples"))->trigger();
    if (!isQuiet(window))
        return 1;
    headscope::test::Heartbeat heartbeat;
    for (const QString& path : paths) {
        window.messages().endMessage();
        static_cast<void>(heartbeat.longest());
        open(window, dialogs, path);
        if (!isQuiet(window))
            return 1;
        std::printf("%.0f ms: %s\n", heartbeat.longest(),
                    qPrintable(window.messages().text().simplified()));
        std::fflush(stdout);
    }
    window.close();
}
