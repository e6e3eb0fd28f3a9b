#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/export/report_values.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/window/messages.h"
#include "ui/widgets/heatmap.h"
#include "ui/workers/job_runner.h"

#include <QAction>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include <optional>

namespace test_export_report {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Presses the key and waits for the file; empty when the window says that there is none.
QString writtenReport(WindowUnderTest& window, const QString& path) {
    window.dialogs.to_save = path;
    if (!QTest::qWaitFor([&window] { return !window->patternView().isReading(); }, kPatience))
        return {};
    QTest::keyClick(&*window, Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
    auto* message = window.find<MessageBar>("messageBar");
    const QString said = QStringLiteral("Written: ") + path;
    QFile file(path);
    if (!QTest::qWaitFor([&] { return message->text() == said; }, kPatience) ||
        !file.open(QIODevice::ReadOnly))
        return {};
    return QString::fromUtf8(file.readAll());
}

/// The line that is offered to repeat something.
QString commandIn(const QString& html, const QString& begin) {
    const QRegularExpression line(QStringLiteral("<pre>(%1[^<]*)</pre>").arg(begin));
    QString command = line.match(html).captured(1);
    return command.replace(QStringLiteral("&#39;"), QStringLiteral("'"));
}

/// What headscope-cli prints, called with this line in the folder of the sample models.
QString answerTo(QString command) {
    command.replace(0, static_cast<int>(qstrlen("headscope-cli")), QStringLiteral(HEADSCOPE_CLI));
    QProcess shell;
    shell.setWorkingDirectory(QStringLiteral(HEADSCOPE_SAMPLE_MODELS));
    shell.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), command});
    return shell.waitForFinished(kPatience) && shell.exitCode() == 0
               ? QString::fromUtf8(shell.readAllStandardOutput())
               : QString();
}

} // namespace

class TestExportReport : public QObject {
    Q_OBJECT

private slots:
    void itSaysWhatTheWindowShows() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        const Model& model = *window.document().model();
        const QStringList parts{QStringLiteral("<h1>gpt2-mini-6l</h1>"),
                                QString::fromStdString(model.sha256),
                                QStringLiteral("gpt2 · 6 layers × 8 heads"),
                                QStringLiteral("<li class=\"special\"><small>0</small> "
                                               "<bdi>&lt;|endoftext|&gt;</bdi>"),
                                QStringLiteral("The prompt starts with BOS."),
                                QStringLiteral("Most probable next tokens"),
                                QStringLiteral("<h2>Head L4 H1</h2>"),
                                QStringLiteral("<caption>Types of L4 H1</caption>"),
                                QStringLiteral("L4 H1 raises "),
                                QStringLiteral("<td class=\"selected\">"),
                                QStringLiteral("<pre>headscope-cli heads gpt2-mini-6l.h5</pre>"),
                                QStringLiteral("The unembedding is the token embedding (tied)."),
                                QStringLiteral("All thresholds of types are the default.")};
        for (const QString& part : parts)
            QVERIFY2(html.contains(part), qPrintable(part));
        QCOMPARE(html.count(QStringLiteral("<svg")), 1);
        QVERIFY(html.contains(window->patternView().heatmap().content().title.toHtmlEscaped()));
        QVERIFY(!html.contains(QStringLiteral("<h3>Ablated heads</h3>")));
    }

    void theSameWindowGivesTheSameBytes() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const QString once = writtenReport(window, settings.path(QStringLiteral("a.html")));
        const QString again = writtenReport(window, settings.path(QStringLiteral("b.html")));
        QVERIFY(!once.isEmpty());
        QVERIFY(once == again);
    }

    void ablatedHeadsAreNamedWithTheirEffect() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        window.document().ablation().toggleHead({4, 1});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().promptRunner().result()->mask.size() == 1,
                                 kPatience);
        QVERIFY(window.settled());
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(html.contains(QStringLiteral("1 head ablated: L4 H1. Outputs of ablated heads are "
                                             "replaced by zeros.")));
        QVERIFY(html.contains(QStringLiteral("KL divergence from the whole model, mean over the "
                                             "positions of the prompt: ")));
        QVERIFY(html.contains(QStringLiteral(">heads ablated</th>")));
        QVERIFY(html.contains(QStringLiteral("<span class=\"off\">ablated</span>")));
        QVERIFY(html.contains(QStringLiteral(" --ablate 4.1</pre>")));
        QVERIFY(html.contains(QStringLiteral("L4 H1 is ablated.")));
    }

    void theCommandGivesTheSameLoss() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        const QString answer =
            answerTo(commandIn(html, QStringLiteral("headscope-cli run gpt2-mini-6l.h5")));
        const auto number = [](const QString& text, const QString& before) {
            const QRegularExpression found(before + QStringLiteral("([0-9.]+) nats per token"));
            return found.match(text).captured(1);
        };
        const QString loss = number(html, QStringLiteral("Loss "));
        QVERIFY2(!loss.isEmpty(), qPrintable(html));
        QCOMPARE(QString::number(number(answer, QStringLiteral("loss +")).toDouble(), 'f', 3),
                 loss);
    }

    void theHeatmapIsThatOfTheWindowOnAnyPage() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.find<QAction>("actionValueWeighted")->trigger();
        window->patternView().showPage(PatternPage::Text);
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        const HeatmapContent& content = window->patternView().heatmap().content();
        QVERIFY(content.note.contains(QStringLiteral("‖v_k W_O‖")));
        QVERIFY(html.contains(content.note.toHtmlEscaped() + QStringLiteral("</figcaption>")));
        QVERIFY(html.contains(QStringLiteral("Colour: value-weighted attention.")));
    }

    void whatIsInSightIsSaid() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const QString sentence = QStringLiteral(" are in sight.");
        const QString all = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(!all.isEmpty() && !all.contains(sentence));
        QTest::keyClick(window.find<Heatmap>("heatmap"), Qt::Key_Plus);
        const QString part = writtenReport(window, settings.path(QStringLiteral("b.html")));
        QVERIFY(part.contains(sentence));
    }

    void whatIsComparedIsSaid() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        document.comparison().turnOn();
        document.comparison().setPromptText(QStringLiteral("When Anna and John"));
        const auto has_run = [&document] {
            const auto& other = document.comparison().compared().other;
            return other && other->prompt.text == "When Anna and John";
        };
        QTRY_VERIFY_WITH_TIMEOUT(has_run(), kPatience);
        document.showSide(Side::B);
        QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(html.contains(
            QStringLiteral("Heatmap and reading are of B, the prompt “When Anna and John”.")));
        QVERIFY(html.contains(QStringLiteral("Loss and predictions of B, no head ablated:")));
        QVERIFY(html.contains(QStringLiteral(" --text &#39;When Anna and John&#39;</pre>")));
        document.showSide(Side::Difference);
        html = writtenReport(window, settings.path(QStringLiteral("b.html")));
        QVERIFY(html.contains(QStringLiteral("The heatmap shows what B, the prompt “When Anna and "
                                             "John”, has more than A")));
    }

    /// B is in sight but has not run, as its text cannot be read.
    void aSideThatHasNotRunIsLeftOut() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        for (const Side side : {Side::B, Side::Difference}) {
            window.document().comparison().turnOn();
            window.document().comparison().setPromptText(QStringLiteral("anna"));
            window.document().showSide(side); // before it has run
            const ReportDraft draft = reportDraft(window.document(), window->patternView());
            QVERIFY(!window.document().shown().result);
            QCOMPARE(draft.report.model_name, std::string("microgpt"));
            window.document().comparison().turnOff();
        }
    }

    void everyKindOfModelHasAReport_data() {
        QTest::addColumn<QString>("expected");
        QTest::newRow("bert-mini-4l") << QStringLiteral("The prompt starts with BOS.");
        QTest::newRow("llama-mini-gqa-4l") << QStringLiteral("Most probable next tokens");
        QTest::newRow("notebook") << QStringLiteral("it shows attention only.</p>");
    }
    void everyKindOfModelHasAReport() {
        QFETCH(QString, expected);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QString::fromLatin1(QTest::currentDataTag())));
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(html.contains(expected));
        QCOMPARE(html.count(QStringLiteral("<svg")), 1);
    }

    void promptAndNameAreNoMarkup() {
        const TemporarySettings settings;
        const QString path = settings.path(QStringLiteral("a \"b\" <c>.h5"));
        QVERIFY(QFile::copy(samplePath(QStringLiteral("gpt2-mini-6l")), path));
        WindowUnderTest window;
        StartOptions options;
        options.model = path;
        options.text = QStringLiteral("<script>alert(1)</script>");
        QVERIFY(window.start(options));
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(html.contains(QStringLiteral("<h1>a &quot;b&quot; &lt;c&gt;</h1>")));
        QVERIFY(
            html.contains(QStringLiteral("&lt;script&gt;alert(1)&lt;/script&gt;</blockquote>")));
        QVERIFY(!html.contains(QStringLiteral("<script"), Qt::CaseInsensitive));
        QVERIFY(!html.contains(QStringLiteral("<c>")));
    }

    void movedThresholdsAreNamed() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.document().setThreshold(HeadTypeId::Induction, 0.875);
        const QString html = writtenReport(window, settings.path(QStringLiteral("a.html")));
        QVERIFY(
            html.contains(QStringLiteral("<th scope=\"row\">Induction</th>\n<td>0.88 in place")));
    }

    void whatTheWindowDoesNotHaveIsSaid() {
        const TemporarySettings settings;
        WindowUnderTest window;
        window->show();
        std::optional<ReportDraft> taken;
        QString name;
        QObject::connect(&window.document(), &Document::modelChanged, &*window, [&] {
            taken = reportDraft(window.document(), window->patternView());
            name = reportName(window.document());
        });
        window.document().open(samplePath(QStringLiteral("microgpt")));
        QTRY_VERIFY_WITH_TIMEOUT(taken, kPatience);
        const ReportDraft& draft = *taken; // before anything has run
        QCOMPARE(name, QStringLiteral("microgpt_report"));
        QVERIFY(!draft.result);
        QCOMPARE(draft.report.prompt.error().message, "The prompt has not been run yet.");
        QCOMPARE(draft.report.grid.error().message,
                 "The types of the heads have not been measured yet.");
        QVERIFY(draft.report.head && !draft.report.head->figure && !draft.report.head->types);
    }

    void theNameSaysPromptAndHead() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        window.document().selection().select({4, 1});
        const QRegularExpression name(QStringLiteral("^gpt2-mini-6l_[0-9a-f]{8}_L04H01_report$"));
        QVERIFY2(name.match(reportName(window.document())).hasMatch(),
                 qPrintable(reportName(window.document())));
    }

    void aFailureIsSaid() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.dialogs.to_save = QStringLiteral("/nowhere/at/all.html");
        window.find<QAction>("actionReport")->trigger();
        auto* message = window.find<MessageBar>("messageBar");
        QTRY_VERIFY_WITH_TIMEOUT(message->text().contains(QStringLiteral("/nowhere/at")),
                                 kPatience);
    }

    void anAnswerWithoutAFileWritesNone() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.dialogs.to_save.clear();
        window.find<QAction>("actionReport")->trigger();
        QVERIFY(window->findChildren<JobRunner*>(QString(), Qt::FindDirectChildrenOnly).isEmpty());
    }
};

const headscope::test::TestRegistration<TestExportReport> registration;

} // namespace test_export_report

#include "test_export_report.moc"
