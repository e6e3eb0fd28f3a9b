#include "tests/support/runner.h"
#include "tests/ui/views/pasted.h"
#include "ui/tables/head_text.h"
#include "ui/views/similarity/similarity_dialog.h"

#include <QLabel>

namespace test_history_script {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

QString textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestHistoryScript : public QObject {
    Q_OBJECT

private slots:
    void whatWasDoneIsDoneAgain() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        runPrompt(window, QStringLiteral("it's \"odd\" 🙂"));
        document.ablation().toggleHeads({{4, 1}, {0, 2}}, QStringLiteral("two"));
        QVERIFY(window.hasRun());
        const OpenedDialog<SimilarityDialog> dialog(window, "actionSimilarity", "similarityDialog");
        QVERIFY(QTest::qWaitFor(
            [&] { return document.history().steps().back().what == "Head similarity"; },
            kPatience));

        const QString shell = saved(window, settings, QStringLiteral("done.sh"));
        QVERIFY2(shell.startsWith(QStringLiteral("#!/bin/sh\n")), qPrintable(shell));
        QVERIFY(shell.contains(QStringLiteral("# Opened gpt2-mini-6l\n")));
        QVERIFY(shell.contains(QStringLiteral("# Ran the prompt with 0.2 4.1 ablated\n")));
        Paste paste;
        QGuiApplication::clipboard()->setText(
            QStringLiteral("sh -e '%1'").arg(settings.path(QStringLiteral("done.sh"))));
        const QString out = QString::fromUtf8(paste.run());
        QVERIFY2(paste.error().isEmpty(), qPrintable(paste.error() + shell));
        const RunResult& result = *document.promptRunner().result();
        QVERIFY2(out.contains(QString::number(*result.full_loss, 'f', 4)), qPrintable(out));
        QVERIFY2(out.contains(QString::number(*result.masked_loss, 'f', 4)), qPrintable(out));

        const QString python = saved(window, settings, QStringLiteral("done.py"));
        QVERIFY2(python.contains(QStringLiteral("ablate=[(0, 2), (4, 1)]")), qPrintable(python));
        QCOMPARE(python.count(QStringLiteral("headscope.open(")), 1);
        if (!kHasPython)
            return;
        QGuiApplication::clipboard()->setText(python);
        QVERIFY2(paste.python(QStringLiteral("run.loss")).is_number(), qPrintable(paste.error()));
        QVERIFY(isClose(numberOf(paste.python(QStringLiteral("run.loss"))), *result.masked_loss));
    }

    /// Text that is being typed leaves one run, not one for every letter.
    void typingLeavesOneRun() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const std::size_t before = window.document().history().steps().size();
        for (const char* const text : {"a", "an", "ann", "anna"})
            runPrompt(window, QString::fromLatin1(text));
        const auto& steps = window.document().history().steps();
        QVERIFY(steps.size() <= before + 1);
        QVERIFY(shellLines(*steps.back().calls).find("--text anna") != std::string::npos);
    }

    void itIsBounded() {
        const TemporarySettings settings;
        History history;
        for (int step = 0; step < 600; ++step)
            history.add(QStringLiteral("step %1").arg(step), Calls());
        history.add(QStringLiteral("step 599"), Calls());
        QCOMPARE(history.steps().size(), History::kMostSteps);
        QCOMPARE(history.steps().front().what, std::string("step 100"));
    }

    void whatCannotBeRepeatedIsAComment() {
        const TemporarySettings settings;
        History history;
        history.add(QStringLiteral("one\ntwo"), Error{ErrorCode::Unsupported, "No command."});
        const QString path = settings.path(QStringLiteral("none.sh"));
        QVERIFY(bool(history.save(path)));
        QVERIFY(
            textOf(path).contains(QStringLiteral("# one\n# two\n# Not repeated: No command.\n")));
        QVERIFY(!history.save(settings.path(QStringLiteral("none.txt"))));
        QVERIFY(!history.save(settings.path(QStringLiteral("missing/none.sh"))));
        QVERIFY(!QFile::exists(settings.path(QStringLiteral("none.txt"))));
    }

private:
    static void runPrompt(WindowUnderTest& window, const QString& text) {
        window.document().setPromptText(text);
        QVERIFY(window.hasRun());
    }
    static QString saved(WindowUnderTest& window, const TemporarySettings& settings,
                         const QString& name) {
        window.dialogs.to_save = settings.path(name);
        window.find<QAction>("actionSaveHistory")->trigger();
        return textOf(settings.path(name));
    }
};

const headscope::test::TestRegistration<TestHistoryScript> registration;

} // namespace test_history_script

#include "test_history_script.moc"
