// Graphs as GraphML, read back by Qt's XML reader.

#include "core/export/graphml.h"
#include "tests/support/runner.h"

#include <QByteArray>
#include <QHash>
#include <QTest>
#include <QXmlStreamReader>

#include <limits>

namespace test_graphml {

using namespace headscope;

namespace {

Graph smallGraph() {
    Graph graph;
    graph.nodes = {{{"label", "a <b> & \"c\"\x01"}, {"position", Value()}, {"followed", true}},
                   {{"label", "ä"}, {"position", 3}, {"followed", false}}};
    graph.edges = {
        {1, 0, {{"share", -0.5}, {"side", "key"}}},
        {1, 0, {{"share", std::numeric_limits<double>::quiet_NaN()}, {"side", "value"}}}};
    graph.fields = {{"root", 2.5}};
    graph.provenance.model_name = "toy";
    return graph;
}

/// "node n0 label": what stands in each element, by the name and type that its key declares.
QHash<QString, QString> contentOf(const std::string& text) {
    QXmlStreamReader xml(QByteArray::fromStdString(text));
    QHash<QString, QString> names;
    QHash<QString, QString> found;
    QString inside;
    int edges = 0;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const QXmlStreamAttributes attributes = xml.attributes();
        const auto value = [&](const char* name) {
            return attributes.value(QLatin1String(name)).toString();
        };
        if (xml.name() == QLatin1String("key"))
            names[value("id")] = value("attr.name") + QLatin1Char(' ') + value("attr.type");
        else if (xml.name() == QLatin1String("graph"))
            inside = QStringLiteral("graph");
        else if (xml.name() == QLatin1String("node"))
            inside = value("id");
        else if (xml.name() == QLatin1String("edge"))
            inside =
                QStringLiteral("%1: %2 → %3").arg(edges++).arg(value("source"), value("target"));
        else if (xml.name() == QLatin1String("data"))
            found[inside + QLatin1Char(' ') + names.value(value("key"))] = xml.readElementText();
    }
    if (xml.hasError())
        found[QStringLiteral("error")] = xml.errorString();
    return found;
}

} // namespace

class TestGraphMl : public QObject {
    Q_OBJECT

private slots:
    void holdsNodesEdgesAndWhereTheyComeFrom() {
        const QHash<QString, QString> found = contentOf(graphMl(smallGraph()));
        const auto is = [&](const char* key, const char* value) {
            return found.value(QString::fromUtf8(key), QStringLiteral("none")) ==
                   QString::fromUtf8(value);
        };
        QVERIFY(!found.contains(QStringLiteral("error")));
        QVERIFY(is("n0 label string", "a <b> & \"c\"\\u{1}"));
        QVERIFY(is("n0 followed boolean", "true"));
        QVERIFY(is("n0 position long", "none")); // nothing
        QVERIFY(is("n1 label string", "ä"));
        QVERIFY(is("n1 position long", "3"));
        QVERIFY(is("n1 followed boolean", "false"));
        QVERIFY(is("0: n1 → n0 share double", "-0.5"));
        QVERIFY(is("1: n1 → n0 share double", "none")); // not a number
        QVERIFY(is("1: n1 → n0 side string", "value"));
        QVERIFY(is("graph root double", "2.5"));
        QVERIFY(is("graph model string", "toy"));
    }

    void anEmptyGraphIsOne() {
        const QHash<QString, QString> found = contentOf(graphMl({}));
        QVERIFY(!found.contains(QStringLiteral("error")));
    }
};

const headscope::test::TestRegistration<TestGraphMl> registration;

} // namespace test_graphml

#include "test_graphml.moc"
