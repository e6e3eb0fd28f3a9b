#include "core/datasets/bundled.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_documents {

using namespace headscope;

class TestDocuments : public QObject {
    Q_OBJECT

private slots:
    void linesOfTheBreakPart_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("documents");
        const auto row = [](const char* name, const char* text, QStringList documents) {
            QTest::newRow(name) << QString::fromUtf8(text) << std::move(documents);
        };
        row("one", "a\nb", {QStringLiteral("a\nb")});
        row("two", "a\n<|endoftext|>\nb\n", {QStringLiteral("a\n"), QStringLiteral("b\n")});
        row("at both ends", "<|endoftext|>\na\n<|endoftext|>", {QStringLiteral("a\n")});
        row("blank ones", "a\n<|endoftext|>\n \n<|endoftext|>\nb",
            {QStringLiteral("a\n"), QStringLiteral("b")});
        row("inside a line", "a <|endoftext|>\nb", {QStringLiteral("a <|endoftext|>\nb")});
        row("empty", "", {});
    }
    void linesOfTheBreakPart() {
        QFETCH(QString, text);
        QFETCH(QStringList, documents);
        const std::string bytes = text.toStdString();
        QStringList found;
        for (const std::string_view document : documentsOf(bytes))
            found << QString::fromUtf8(document.data(), static_cast<qsizetype>(document.size()));
        QCOMPARE(found, documents);
    }
};

const headscope::test::TestRegistration<TestDocuments> registration;

} // namespace test_documents

#include "test_documents.moc"
