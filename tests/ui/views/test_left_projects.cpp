#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/ui/views/study_window.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QPushButton>
#include <QStandardPaths>
#include <QStringList>
#include <QToolButton>

namespace test_left_projects {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;
using headscope::test::require;

namespace {

QDir copyFolder() {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
            QStringLiteral("/open")};
}

/// Those in the user's data now.
QStringList copies() {
    QStringList paths;
    for (const QFileInfo& file :
         copyFolder().entryInfoList({QStringLiteral("*.headscope")}, QDir::Files))
        paths << file.filePath();
    return paths;
}

/// The number of a process that is no more.
qint64 deadProcess() {
    QProcess process;
    process.start(QStringLiteral("true"), {});
    process.waitForStarted();
    const qint64 number = process.processId();
    process.waitForFinished();
    return number;
}

} // namespace

/// Copies of work that outlive a sudden end of the window.
class TestLeftProjects : public QObject, protected StudyWindow {
    Q_OBJECT

private slots:
    void init() { QVERIFY(openWindow()); }
    void cleanup() { window_.close(); } // where a test has not

    void aCopyOutlivesASuddenEnd() {
        makeStudy();
        const QString left = leaveACopy(QStringLiteral("%1").arg(deadProcess()));
        QCOMPARE(copies(), QStringList(left)); // that of the window which was closed is gone

        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
        QTest::mouseClick(window_->find<QPushButton>("messageAction"), Qt::LeftButton);
        Document& document = window_->document();
        QTRY_COMPARE_WITH_TIMEOUT(document.ablation().mask().text(), std::string("2.3 4.1"),
                                  kPatience);
        QCOMPARE(document.promptText(), kPrompt);
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(left), kPatience); // its content is in another
        QCOMPARE(copies().size(), 1);
        QVERIFY(require(readProject(copies().first().toStdString())).mask ==
                document.ablation().mask());
        document.ablation().undoStack()->undo(); // what could be undone before the end still can
        QVERIFY(document.ablation().mask().empty());
        document.ablation().undoStack()->redo();
        QCOMPARE(document.ablation().mask().text(), std::string("2.3 4.1"));
        QVERIFY(window_->settled());
    }

    void whatWasLeftIsOfferedUntilItIsDiscarded() {
        makeStudy();
        const QString left = leaveACopy(QStringLiteral("%1").arg(deadProcess()));
        for (const char* close : {"messageClose", ""}) { // later, or without a look at it
            QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
            QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
            if (*close != '\0')
                QTest::mouseClick(window_->find<QToolButton>(close), Qt::LeftButton);
            QVERIFY(window()->close());
            window_.close();
            QVERIFY(QFile::exists(left));
        }
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTRY_VERIFY_WITH_TIMEOUT(isOffered(), kPatience);
        window()->messages().showError(QStringLiteral("Something else."));
        QVERIFY(!isOffered());
        QTest::mouseClick(window_->find<QToolButton>("messageClose"), Qt::LeftButton);
        QVERIFY(isOffered()); // the offer waits for what is more urgent
        QTest::mouseClick(window_->find<QPushButton>("messageOther"), Qt::LeftButton);
        QVERIFY(!QFile::exists(left));
        window_.close();
        QVERIFY(window_.openAgain(QStringLiteral("gpt2-mini-6l")));
        QTest::qWait(300);
        QVERIFY(!isOffered());
    }

    /// Where every start has the same number, as in a container, and beside whatever is opened.
    void whatWasLeftIsOfferedBesideAnything() {
        makeStudy();
        save();
        const QString left = leaveACopy(QString::number(QCoreApplication::applicationPid()));
        const QByteArray content = contentOf(left);
        for (const QString& opened :
             {project_, QStringLiteral("/nowhere/model.h5"), QStringLiteral("/nowhere/a.headscope"),
              samplePath(QStringLiteral("microgpt"))}) {
            WindowUnderTest window;
            QVERIFY(window.startOn(opened));
            const auto offers = [&] {
                return window->messages().text().contains(QStringLiteral("ended before"));
            };
            if (opened.contains(QStringLiteral("nowhere"))) { // an error comes first
                QTRY_VERIFY_WITH_TIMEOUT(
                    window->messages().text().contains(QStringLiteral("nowhere")), kPatience);
                QTest::mouseClick(window.find<QToolButton>("messageClose"), Qt::LeftButton);
            }
            QTRY_VERIFY2_WITH_TIMEOUT(offers(), qPrintable(opened), kPatience);
            window.document().setPromptText(QStringLiteral("Another"));
            QTest::qWait(2000); // longer than until a copy of this window is written
            window.close();
            QCOMPARE(contentOf(left), content);
        }
    }

    /// Two windows of one start, or of two: each has a copy of its own, and no other's.
    void aLiveWindowIsNotLeft() {
        makeStudy();
        QTRY_COMPARE_WITH_TIMEOUT(copies().size(), 1, kPatience);
        WindowUnderTest second;
        QVERIFY(second.start(QStringLiteral("gpt2-mini-6l")));
        second.document().setPromptText(QStringLiteral("Another"));
        QTRY_COMPARE_WITH_TIMEOUT(copies().size(), 2, kPatience);
        QVERIFY(!second->messages().text().contains(QStringLiteral("ended before")));
        second.close();
        QCOMPARE(copies().size(), 1);
    }

private:
    /// Ends the window, of which a copy is left as after kill -9, under another name.
    QString leaveACopy(const QString& name) {
        const LayerHead head{4, 1};
        const auto note = [&] {
            return copies().size() == 1
                       ? require(readProject(copies().first().toStdString())).notes[head].text
                       : std::string();
        };
        const bool is_copied =
            QTest::qWaitFor([&] { return note() == "finds the name"; }, kPatience);
        const QString left = copyFolder().filePath(name + QStringLiteral(".headscope"));
        if (!is_copied || !QFile::copy(copies().value(0), left))
            return {};
        window()->close();
        window_.close();
        return left;
    }
    bool isOffered() { return message().contains(QStringLiteral("ended before it was closed")); }
};

const headscope::test::TestRegistration<TestLeftProjects> registration;

} // namespace test_left_projects

#include "test_left_projects.moc"
