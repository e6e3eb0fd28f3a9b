#include "ui/widgets/figure/figure_file.h"

#include "core/io/atomic_file.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <qcustomplot.h>

#include <initializer_list>
#include <string_view>

namespace headscope::ui {
namespace {

constexpr int kDotsPerInch = 96;
constexpr int kFontPixels = 13;

void paint(QPaintDevice& device, const DrawFigure& draw, bool vector) {
    QCPPainter painter(&device);
    painter.setMode(QCPPainter::pmVectorized, vector);
    painter.setMode(QCPPainter::pmNoCaching);
    draw(painter, vector);
}

QByteArray svg(const FigurePage& page, const DrawFigure& draw) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(kDotsPerInch);
    generator.setSize(page.size);
    generator.setViewBox(QRect(QPoint(), page.size));
    // QSvgGenerator escapes drawn text, but not these two.
    generator.setTitle(page.title.toHtmlEscaped());
    generator.setDescription(page.note.toHtmlEscaped());
    paint(generator, draw, true);
    // Control characters of byte-level tokens have no place in XML.
    bytes.removeIf([](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; });
    // A reader without the font should fall back to its own sans serif, not to its default.
    const QByteArray family = page.font_family.toHtmlEscaped().toUtf8();
    return bytes.replace("font-family=\"" + family + '"',
                         "font-family=\"" + family + ", sans-serif\"");
}

/// What Qt writes anew each time: the text before it, and a constant of the same length.
struct Stamp {
    QByteArray before;
    QByteArray constant;
};

/// The times and the random identifier of a PDF, replaced by constants: offsets in the file stay
/// true and the same figure gives the same bytes. Qt 6.4 writes the first of them, Qt 6.8 all.
QByteArray withoutStamps(QByteArray pdf) {
    const QByteArray pdf_time = "20000101000000";
    const QByteArray xmp_time = "2000-01-01T00:00:00";
    const QByteArray hex_id(72, '0');
    const std::initializer_list<Stamp> stamps{
        {"/CreationDate (D:", pdf_time},
        {"/ModDate (D:", pdf_time},
        {"xmp:CreateDate=\"", xmp_time},
        {"xmp:ModifyDate=\"", xmp_time},
        {"xmp:MetadataDate=\"", xmp_time},
        {"xmpMM:DocumentID=\"uuid:", "00000000-0000-0000-0000-000000000000"},
        {"/ID [ <", hex_id + "> <" + hex_id},
    };
    for (const Stamp& stamp : stamps) {
        const qsizetype found = pdf.indexOf(stamp.before);
        if (found >= 0)
            pdf.replace(found + stamp.before.size(), stamp.constant.size(), stamp.constant);
    }
    return pdf;
}

QByteArray pdf(const FigurePage& page, const DrawFigure& draw) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(kDotsPerInch);
    writer.setPageSize(QPageSize(QSizeF(page.size) * 72.0 / kDotsPerInch, QPageSize::Point));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(page.title);
    writer.setCreator(QStringLiteral("Headscope"));
    paint(writer, draw, true);
    return withoutStamps(bytes);
}

QByteArray png(const FigurePage& page, const DrawFigure& draw) {
    QImage image(page.size * page.png_scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(page.png_scale);
    image.fill(Qt::white);
    paint(image, draw, false);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    image.save(&buffer, "PNG");
    return bytes;
}

} // namespace

QFont figureFont(const QString& family) {
    QFont font(family);
    font.setPixelSize(kFontPixels);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

Result<void> saveFigureFile(const QString& path, const FigurePage& page, const DrawFigure& draw) {
    const QString format = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (format == QLatin1String("svg"))
        bytes = svg(page, draw);
    else if (format == QLatin1String("pdf"))
        bytes = pdf(page, draw);
    else if (format == QLatin1String("png"))
        bytes = png(page, draw);
    else
        return Error{ErrorCode::InvalidArgument,
                     QCoreApplication::translate(
                         "FigureFile", "'%1': figures are written as .svg, .pdf or .png, found "
                                       "'.%2'; choose one of these endings.")
                         .arg(path, format)
                         .toStdString()};
    return writeFileAtomically(
        path.toStdU16String(),
        std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

Result<void> savePaintedFigure(const QString& path, const FigurePage& page,
                               const std::function<void(QPainter&)>& draw) {
    return saveFigureFile(path, page, [&draw](QCPPainter& painter, bool) { draw(painter); });
}

} // namespace headscope::ui
