#include "core/export/report.h"
#include "tests/support/runner.h"

#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

namespace test_report {

using namespace headscope;

namespace {

Table sampleTable(const std::string& caption) {
    Table table;
    table.caption = caption;
    table.columns = {{.key = "head", .title = "head"},
                     {.key = "score", .title = "score", .decimals = 2},
                     {.key = "low", .title = "95 % from", .decimals = 2}};
    table.rows = {{LayerHead{0, 1}, 0.625, Value()}};
    return table;
}

ReportGrid sampleGrid() {
    ReportGrid grid;
    grid.types = {{'I', "induction", "#0072b2", "#ffffff"}};
    ReportCell labelled;
    labelled.labels = {{0, ".62"}};
    labelled.is_selected = true;
    ReportCell ablated;
    ablated.is_ablated = true;
    ReportCell removed;
    removed.is_removed = true;
    grid.layers = {{ablated, labelled}, {removed, ReportCell()}};
    grid.notes = {"Measured on this."};
    grid.labels = sampleTable("Heads that have a type");
    return grid;
}

Report sampleReport() {
    const std::string svg = "<?xml version=\"1.0\"?>\n<svg width=\"10mm\" viewBox=\"0 0 2 2\">"
                            "<rect width=\"2\" height=\"2\"/></svg>\n";
    return {"tiny",
            {{"Parameters", "12"}},
            ReportPrompt{"Hi you",
                         "The prompt starts with BOS.",
                         {{"<BOS>", true}, {"Hi", false}, {"·you", false}},
                         {"Loss 1.000 nats per token"},
                         sampleTable("Most probable next tokens"),
                         {"1 head ablated: L0 H0."}},
            ReportHead{"L0 H1",
                       ReportFigure{svg, "A heatmap.", "Attention of L0 H1"},
                       sampleTable("Types of L0 H1"),
                       {"‹Hi› 1 reads ‹<BOS>› 0"}},
            sampleGrid(),
            {{{"Everything:", "headscope-cli run 'tiny.h5'"}}, {{"induction", "0.20"}}, {"Tied."}}};
}

QString htmlOf(const Report& report) {
    return QString::fromStdString(reportHtml(report));
}

/// The page as XML, in which the elements that HTML never closes are closed.
QString asXml(QString html) {
    html.remove(QStringLiteral("<!DOCTYPE html>"));
    static const QRegularExpression never_closed(QStringLiteral("<meta([^>]*)>"));
    return html.replace(never_closed, QStringLiteral("<meta\\1/>"));
}

/// Why the elements are not closed in the order that they are opened; empty where all is well.
QString nestingError(const QString& html) {
    QXmlStreamReader reader(asXml(html));
    while (!reader.atEnd())
        reader.readNext();
    return reader.errorString();
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void everyPartIsThere() {
        const QString html = htmlOf(sampleReport());
        const char* const parts[] = {
            "<h1>tiny</h1>",
            "<th scope=\"row\">Parameters</th>",
            "<blockquote dir=\"auto\">Hi you</blockquote>",
            "<li class=\"special\"><small>0</small> <bdi>&lt;BOS&gt;</bdi>",
            "<li><small>2</small> <bdi>·you</bdi></li>",
            "<p>The prompt starts with BOS.</p>",
            "<p>Loss 1.000 nats per token</p>",
            "<caption>Most probable next tokens</caption>",
            "<p>1 head ablated: L0 H0.</p>",
            "<h2>Head L0 H1</h2>",
            "<caption>Types of L0 H1</caption>",
            "<figcaption>Attention of L0 H1</figcaption>",
            "<p>‹Hi› 1 reads ‹&lt;BOS&gt;› 0</p>",
            "<caption>Heads that have a type</caption>",
            "<p>Measured on this.</p>",
            "<pre>headscope-cli run &#39;tiny.h5&#39;</pre>",
            "<caption>Thresholds that are not the default</caption>",
            "<p>Tied.</p>"};
        for (const char* part : parts)
            QVERIFY2(html.contains(QString::fromUtf8(part)), part);
    }

    void elementsAreNested() { QCOMPARE(nestingError(htmlOf(sampleReport())), QString()); }

    void theFigureIsInside() {
        const QString html = htmlOf(sampleReport());
        QVERIFY(!html.contains(QStringLiteral("<?xml")));
        QVERIFY(html.contains(QStringLiteral("<svg role=\"img\" aria-label=\"A heatmap.\" "
                                             "width=\"10mm\" viewBox=\"0 0 2 2\">"
                                             "<rect width=\"2\" height=\"2\"/></svg>")));
    }

    void theGridHasACellForEachHead() {
        const QString html = htmlOf(sampleReport());
        QVERIFY(html.contains(QStringLiteral(
            "<th scope=\"row\">L0</th>\n<td><span class=\"off\">ablated</span></td>\n"
            "<td class=\"selected\"><span class=\"label\" style=\"background:#0072b2;"
            "color:#ffffff\">I .62</span></td>\n</tr>\n<tr>\n<th scope=\"row\">L1</th>\n"
            "<td class=\"gap\"></td>\n<td></td>\n</tr>")));
        QVERIFY(html.contains(QStringLiteral("<th scope=\"col\">H1</th>")));
        QVERIFY(html.contains(QStringLiteral("I</span>induction</li>")));
    }

    void numbersAreAlignedAndGapsAreSaid() {
        const QString html = htmlOf(sampleReport());
        QVERIFY(html.contains(QStringLiteral(
            "<th scope=\"row\">0.1</th>\n<td class=\"number\">0.62</td>\n<td>–</td>\n")));
        QVERIFY(html.contains(QStringLiteral("<th scope=\"col\" class=\"number\">score</th>")));
    }

    /// What comes from files and prompts is in every text of a report.
    void nothingIsTakenForMarkup() {
        const std::string evil = "\"'><script>alert(1)</script>&";
        Report report = sampleReport();
        report.model_name = evil;
        report.facts = {{evil, evil}};
        report.prompt->text = evil;
        report.prompt->bos = evil;
        report.prompt->tokens = {{evil, true}};
        report.prompt->outcome = {evil};
        report.prompt->predictions->caption = evil;
        report.prompt->predictions->columns[0].title = evil;
        report.prompt->predictions->rows = {{evil, evil, evil}};
        report.prompt->ablation = {evil};
        report.head->name = evil;
        report.head->figure->alternative = evil;
        report.head->figure->caption = evil;
        report.head->readings = {evil};
        report.grid->types = {{'<', evil, evil, evil}};
        report.grid->layers[0][1].labels[0].score = evil;
        report.grid->notes = {evil};
        report.source = {{{evil, evil}}, {{evil, evil}}, {evil}};
        const QString html = htmlOf(report);
        QVERIFY(!html.contains(QStringLiteral("<script"), Qt::CaseInsensitive));
        QCOMPARE(nestingError(html), QString());
        QCOMPARE(html.count(QStringLiteral("alert(1)")),
                 html.count(
                     QStringLiteral("&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;")));
        QVERIFY(html.count(QStringLiteral("alert(1)")) > 25);
    }

    void whatIsNoTextIsWrittenOut() {
        Report report = sampleReport();
        report.prompt->text = std::string("a\0b\x1b\xff\n\tc\u202e", 11);
        const QString html = htmlOf(report);
        QVERIFY2(html.contains(QStringLiteral("a\\u{0}b\\u{1b}\\xFF\n\tc\\u{202e}</blockquote>")),
                 qPrintable(html.mid(html.indexOf(QStringLiteral("<blockquote")), 120)));
    }

    void itNeedsNothingFromOutside() {
        const QString html = htmlOf(sampleReport());
        const char* const loading[] = {"<script", "<link", "<img",    "<iframe", "<a ",    "http:",
                                       "https:",  "url(",  "@import", " src=",   " href=", " on"};
        for (const char* what : loading) {
            QString page = html;
            page.remove(QStringLiteral(" on this.")); // a sentence
            QVERIFY2(!page.contains(QString::fromLatin1(what)), what);
        }
        QVERIFY(html.contains(QStringLiteral("content=\"default-src 'none'; ")));
    }

    void whatIsMissingIsSaidInASentence() {
        Report report = sampleReport();
        report.prompt = Error{ErrorCode::NotFound, "No run & no prompt."};
        report.head->figure = Error{ErrorCode::NotFound, "No figure."};
        report.head->types = Error{ErrorCode::NotFound, "No types."};
        report.grid = Error{ErrorCode::NotFound, "No scores."};
        report.source.thresholds.clear();
        QString html = htmlOf(report);
        QCOMPARE(nestingError(html), QString());
        QVERIFY(html.contains(
            QStringLiteral("<h2>Prompt</h2>\n<p class=\"missing\">No run &amp; no prompt.</p>")));
        QVERIFY(html.contains(QStringLiteral("<p class=\"missing\">No figure.</p>")));
        QVERIFY(html.contains(QStringLiteral("<p class=\"missing\">No types.</p>")));
        QVERIFY(html.contains(
            QStringLiteral("<h2>All heads</h2>\n<p class=\"missing\">No scores.</p>")));
        QVERIFY(html.contains(QStringLiteral("All thresholds of types are the default.")));

        report.head = Error{ErrorCode::NotFound, "No head."};
        html = htmlOf(report);
        QVERIFY(html.contains(
            QStringLiteral("<h2>Selected head</h2>\n<p class=\"missing\">No head.</p>")));
    }

    void headsWithoutTypesAreSaid() {
        Report report = sampleReport();
        report.grid->labels.rows.clear();
        const QString html = htmlOf(report);
        QVERIFY(html.contains(QStringLiteral("<p>No head has a type.</p>")));
        QVERIFY(!html.contains(QStringLiteral("<div class=\"grid")));
    }

    void wideGridsArePrintedSmall() {
        Report report = sampleReport();
        QVERIFY(!htmlOf(report).contains(QStringLiteral("<div class=\"grid wide many\">")));
        report.grid->layers[0].resize(13);
        QVERIFY(htmlOf(report).contains(QStringLiteral("<div class=\"grid wide many\">")));
    }

    void theSameReportGivesTheSameBytes() {
        QVERIFY(reportHtml(sampleReport()) == reportHtml(sampleReport()));
    }
};

const headscope::test::TestRegistration<TestReport> registration;

} // namespace test_report

#include "test_report.moc"
