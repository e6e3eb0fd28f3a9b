#include "tests/support/runner.h"

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QTest>

namespace test_start {

namespace {

struct Outcome {
    int exit_code = -1; ///< -1: did not start, crashed or hung
    QString out;
    QString err;
};

/// headscope as a program of its own, where there is no screen and none is named.
Outcome runWithoutScreen(const QStringList& arguments) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(QString::fromLatin1(name));
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(HEADSCOPE_APP), arguments);
    if (!process.waitForFinished() || process.exitStatus() != QProcess::NormalExit)
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QStringList allMatches(const QString& text, const QString& pattern) {
    QStringList found;
    for (const QRegularExpressionMatch& match : QRegularExpression(pattern).globalMatch(text))
        found += match.captured(1);
    found.sort();
    return found;
}

QString sample(const char* name) {
    return QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/") + QString::fromLatin1(name);
}

} // namespace

/// What headscope does before there is a window.
class TestStart : public QObject {
    Q_OBJECT

private slots:
    void helpAndVersionNeedNoScreen() {
        const Outcome version = runWithoutScreen({QStringLiteral("--version")});
        QCOMPARE(version.exit_code, 0);
        QCOMPARE(version.out, QStringLiteral("Headscope " HEADSCOPE_VERSION "\n"));
        const Outcome help = runWithoutScreen({QStringLiteral("-h")});
        QCOMPARE(help.exit_code, 0);
        QVERIFY(help.out.contains(QStringLiteral(".gguf")));
    }

    void withoutAScreenThereIsOneSentence() {
        const Outcome outcome = runWithoutScreen({sample("microgpt.h5")});
        QCOMPARE(outcome.exit_code, 1);
        QCOMPARE(outcome.out, QString());
        QCOMPARE(outcome.err.count(QLatin1Char('\n')), 1);
        QVERIFY(outcome.err.startsWith(QStringLiteral("headscope: there is no screen")));
    }

    /// It would open where nobody sees it.
    void aPromptMayLookLikeAnOption() {
        for (const char* prompt : {"--help", "-v", "--figure"}) {
            const Outcome outcome = runWithoutScreen(
                {sample("microgpt.h5"), QStringLiteral("--text"), QString::fromLatin1(prompt)});
            QCOMPARE(outcome.exit_code, 1);
            QVERIFY(outcome.err.startsWith(QStringLiteral("headscope: there is no screen")));
        }
    }

    void theManualListsTheOptions() {
        QStringList options = allMatches(runWithoutScreen({QStringLiteral("--help")}).out,
                                         QStringLiteral("(--[a-z-]+)"));
        QVERIFY(options.removeDuplicates() == 0);
        QVERIFY(options.contains(QStringLiteral("--figure")));
        QFile file(QStringLiteral(HEADSCOPE_MAN_PAGES "/headscope.1"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QString manual = QString::fromUtf8(file.readAll());
        manual.remove(QLatin1Char('\\'));
        const qsizetype begin = manual.indexOf(QStringLiteral(".SH OPTIONS"));
        const qsizetype end = manual.indexOf(QStringLiteral(".SH ENVIRONMENT"));
        QVERIFY(begin > 0 && end > begin);
        QCOMPARE(allMatches(manual.mid(begin, end - begin), QStringLiteral("(--[a-z-]+)[ \n]")),
                 options);
    }

    void aFigureIsOfOneModel() {
        const Outcome outcome =
            runWithoutScreen({sample("microgpt.h5"), sample("notebook.h5"),
                              QStringLiteral("--figure"), QStringLiteral("never-written.svg")});
        QCOMPARE(outcome.exit_code, 1);
        QVERIFY(outcome.err.endsWith(
            QStringLiteral("headscope: --figure draws one model; name one.\n")));
        QVERIFY(!QFile::exists(QStringLiteral("never-written.svg")));
    }

    void aFigureNeedsAPath() {
        const Outcome outcome =
            runWithoutScreen({sample("microgpt.h5"), QStringLiteral("--figure"), QString()});
        QCOMPARE(outcome.exit_code, 1);
        QVERIFY(!outcome.err.isEmpty());
    }
};

const headscope::test::TestRegistration<TestStart> registration;

} // namespace test_start

#include "test_start.moc"
