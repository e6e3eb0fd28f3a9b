#include "tests/support/runner.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace test_figure {

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// headscope --figure, as a program of its own.
class TestFigure : public QObject {
    Q_OBJECT

private slots:
    /// Qt draws a new hash seed in each process, and by it the order of fonts in a PDF.
    void everyProcessWritesTheSameBytes_data() {
        QTest::addColumn<QString>("format");
        for (const char* format : {"pdf", "svg", "png"})
            QTest::newRow(format) << QString::fromLatin1(format);
    }
    void everyProcessWritesTheSameBytes() {
        QFETCH(QString, format);
        const QTemporaryDir folder;
        QByteArray first;
        for (int i = 0; i < 8; ++i) {
            const QString path = folder.filePath(QStringLiteral("%1.%2").arg(i).arg(format));
            const QStringList arguments{QStringLiteral(HEADSCOPE_SAMPLE_MODELS) +
                                            QStringLiteral("/induction-circuit.h5"),
                                        QStringLiteral("--figure"), path};
            QCOMPARE(QProcess::execute(QStringLiteral(HEADSCOPE_APP), arguments), 0);
            const QByteArray figure = contentOf(path);
            QVERIFY(figure.size() > 1000);
            if (i == 0)
                first = figure;
            QCOMPARE(figure, first);
        }
    }
};

const headscope::test::TestRegistration<TestFigure> registration;

} // namespace test_figure

#include "test_figure.moc"
