#include "tests/support/runner.h"
#include "tests/ui/widgets/heatmap_contents.h"

#include <QApplication>
#include <QImage>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

namespace test_heatmap_figure {

using namespace headscope;
using namespace headscope::ui;

namespace {

constexpr QSize kSize(600, 520);

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The character data of all <text> elements.
QStringList textsIn(const QByteArray& svg) {
    QStringList texts;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement &&
            reader.name() == QLatin1String("text"))
            texts.append(reader.readElementText().trimmed());
    }
    return reader.hasError() ? QStringList() : texts;
}

} // namespace

class TestHeatmapFigure : public QObject {
    Q_OBJECT

private slots:
    void init();
    void writesSvgWithTextAsText();
    void whatRoundsToNothingHasNoSign();
    void aLongTitleIsWrappedAndNotCut();
    void barsStandForAHiddenColumn();
    void staysValidXmlWhateverTheTokens();
    void writesPdf();
    void writesPngInTheAskedSize();
    void writesTheSameBytesTwice_data();
    void writesTheSameBytesTwice();
    void showsWhatIsInSight();
    void isLightInADarkWindow();
    void embedsAnImageWhenThereAreManyCells();
    void refusesAnotherEnding();
    void refusesWhenEmpty();
    void namesAPathThatCannotBeWritten();

private:
    QString file(const char* name) const { return folder_->filePath(QString::fromLatin1(name)); }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<Heatmap> heatmap_;
};

void TestHeatmapFigure::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    heatmap_ = std::make_unique<Heatmap>();
    heatmap_->resize(500, 500);
    heatmap_->setContent(causalContent(10));
}

void TestHeatmapFigure::writesSvgWithTextAsText() {
    QVERIFY(heatmap_->saveFigure(file("figure.svg"), kSize));
    const QByteArray svg = contentOf(file("figure.svg"));
    const QStringList texts = textsIn(svg);
    for (const char* expected : {"L0 H1", "query", "key", "attention", "tok0", "tok9", "0.50"})
        QVERIFY2(texts.contains(QString::fromLatin1(expected)), expected);
    QCOMPARE(texts.count(QStringLiteral("tok4")), 2); // on both axes
    QVERIFY(texts.join(QLatin1Char(' ')).contains(QStringLiteral("tiny.h5 · <BOS> & more")));
    QVERIFY(svg.contains(", sans-serif\""));
    QCOMPARE(svg.count("<image"), 1); // the colour scale; the cells are rectangles
    QSvgRenderer renderer(svg);
    QVERIFY(renderer.isValid());
    QCOMPARE(renderer.viewBox().size(), kSize);
}

void TestHeatmapFigure::whatRoundsToNothingHasNoSign() {
    HeatmapContent content = causalContent(2);
    Tensor values({2, 2}, -0.004f);
    values(1, 1) = -0.006f;
    content.cells = std::make_shared<TensorCells>(std::move(values));
    heatmap_->setContent(std::move(content));
    QVERIFY(heatmap_->saveFigure(file("figure.svg"), kSize));
    const QStringList texts = textsIn(contentOf(file("figure.svg")));
    QVERIFY(texts.contains(QStringLiteral("0.00")));
    QVERIFY(texts.contains(QStringLiteral("−0.01")));
    QVERIFY(!texts.contains(QStringLiteral("−0.00")));
}

void TestHeatmapFigure::aLongTitleIsWrappedAndNotCut() {
    HeatmapContent content = causalContent(10);
    QStringList parts;
    for (int i = 0; i < 6; ++i)
        parts << QStringLiteral("type%1 0.62 (baseline 0.01)").arg(i);
    content.title = parts.join(QStringLiteral(" · "));
    heatmap_->setContent(content);
    QVERIFY(heatmap_->saveFigure(file("figure.svg"), kSize));
    const QString written = textsIn(contentOf(file("figure.svg"))).join(QLatin1Char(' '));
    QVERIFY2(!written.contains(QStringLiteral("…")), qPrintable(written));
    for (int i = 0; i < 6; ++i)
        QVERIFY2(written.contains(QStringLiteral("type%1").arg(i)), qPrintable(written));
}

void TestHeatmapFigure::barsStandForAHiddenColumn() {
    for (const std::size_t size : {10u, 60u}) { // in the column, and in the margin beside it
        HeatmapContent content = causalContent(size);
        heatmap_->setContent(content);
        QVERIFY(heatmap_->saveFigure(file("without.png"), kSize, 1.0));
        content.bars.assign(size, 0.0f);
        content.bars.back() = 1.0f;
        heatmap_->setContent(content);
        QVERIFY(heatmap_->saveFigure(file("with.png"), kSize, 1.0));
        const QImage image(file("with.png"));
        int grey = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width() / 2; ++x)
                grey += image.pixel(x, y) == qRgb(150, 150, 150) ? 1 : 0;
        QVERIFY2(grey >= 20, qPrintable(QString::number(grey)));
    }
}

void TestHeatmapFigure::staysValidXmlWhateverTheTokens() {
    HeatmapContent content = causalContent(3);
    content.row_labels = {QStringLiteral("</text>"), QStringLiteral("\u0001\"&"),
                          QStringLiteral("世界")};
    content.title = QStringLiteral("a < b & c");
    heatmap_->setContent(content);
    QVERIFY(heatmap_->saveFigure(file("tokens.svg"), kSize));
    const QStringList texts = textsIn(contentOf(file("tokens.svg")));
    for (const char* expected : {"</text>", "\"&", "世界", "a < b & c"})
        QVERIFY2(texts.contains(QString::fromUtf8(expected)), expected);
}

void TestHeatmapFigure::writesPdf() {
    QVERIFY(heatmap_->saveFigure(file("figure.pdf"), kSize));
    const QByteArray pdf = contentOf(file("figure.pdf"));
    QVERIFY(pdf.startsWith("%PDF-1."));
    QVERIFY(pdf.trimmed().endsWith("%%EOF"));
    // 600 × 520 pixels of 1/96 inch are 450 × 390 points.
    QVERIFY(pdf.contains("/MediaBox [0 0 450"));
    QVERIFY(pdf.contains("/CreationDate (D:20000101000000"));
    QVERIFY(pdf.contains("/FontFile2")); // glyphs of a font, so text stays text
}

void TestHeatmapFigure::writesPngInTheAskedSize() {
    QVERIFY(heatmap_->saveFigure(file("figure.PNG"), kSize, 2.0));
    const QImage image(file("figure.PNG"));
    QCOMPARE(image.size(), kSize * 2);
    QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
}

void TestHeatmapFigure::writesTheSameBytesTwice_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"svg", "pdf", "png"})
        QTest::newRow(format) << QString::fromLatin1(format);
}

void TestHeatmapFigure::writesTheSameBytesTwice() {
    QFETCH(QString, format);
    const QString first = folder_->filePath(QStringLiteral("first.") + format);
    const QString second = folder_->filePath(QStringLiteral("second.") + format);
    QVERIFY(heatmap_->saveFigure(first, kSize));
    QTest::qWait(1100);         // a clock in the file would have moved on by a second
    heatmap_->resize(300, 700); // the window's size is not part of the figure
    QVERIFY(heatmap_->saveFigure(second, kSize));
    QVERIFY(contentOf(first).size() > 1000);
    QCOMPARE(contentOf(first), contentOf(second));
}

void TestHeatmapFigure::showsWhatIsInSight() {
    heatmap_->grab();
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(heatmap_.get(), Qt::Key_Plus);
    QCOMPARE(heatmap_->visibleCells().first_row, 3u);
    QVERIFY(heatmap_->saveFigure(file("zoomed.svg"), kSize));
    const QStringList texts = textsIn(contentOf(file("zoomed.svg")));
    QVERIFY(texts.contains(QStringLiteral("tok5")));
    QVERIFY(!texts.contains(QStringLiteral("tok0")));
    QVERIFY(!texts.contains(QStringLiteral("tok9")));
}

void TestHeatmapFigure::isLightInADarkWindow() {
    QVERIFY(heatmap_->saveFigure(file("light.svg"), kSize));
    QPalette dark;
    dark.setColor(QPalette::Base, Qt::black);
    dark.setColor(QPalette::Text, Qt::white);
    const QPalette before = QApplication::palette();
    QApplication::setPalette(dark);
    QVERIFY(heatmap_->saveFigure(file("dark.svg"), kSize));
    QApplication::setPalette(before);
    QCOMPARE(contentOf(file("dark.svg")), contentOf(file("light.svg")));
}

void TestHeatmapFigure::embedsAnImageWhenThereAreManyCells() {
    heatmap_->setContent(causalContent(300));
    QVERIFY(heatmap_->saveFigure(file("large.svg"), kSize));
    const QByteArray svg = contentOf(file("large.svg"));
    QCOMPARE(svg.count("<image"), 2);
    QVERIFY(svg.size() < 1'000'000);
}

void TestHeatmapFigure::refusesAnotherEnding() {
    const auto saved = heatmap_->saveFigure(file("figure.bmp"), kSize);
    QVERIFY(!saved);
    QVERIFY(saved.error().code == ErrorCode::InvalidArgument);
    const QString message = QString::fromStdString(saved.error().message);
    QVERIFY(message.contains(QStringLiteral("figure.bmp")));
    QVERIFY(message.contains(QStringLiteral(".svg, .pdf or .png")));
    QVERIFY(!QFile::exists(file("figure.bmp")));
}

void TestHeatmapFigure::refusesWhenEmpty() {
    heatmap_->setEmpty(QString());
    const auto saved = heatmap_->saveFigure(file("figure.svg"), kSize);
    QVERIFY(!saved);
    QVERIFY(QString::fromStdString(saved.error().message).contains(QStringLiteral("empty")));
    QVERIFY(!QFile::exists(file("figure.svg")));
}

void TestHeatmapFigure::namesAPathThatCannotBeWritten() {
    const QString path = file("no such folder/figure.svg");
    const auto saved = heatmap_->saveFigure(path, kSize);
    QVERIFY(!saved);
    QVERIFY(saved.error().code == ErrorCode::WriteFailed);
    QVERIFY(QString::fromStdString(saved.error().message).contains(path));
}

const headscope::test::TestRegistration<TestHeatmapFigure> registration;

} // namespace test_heatmap_figure

#include "test_heatmap_figure.moc"
