#include "ui/markup/markup.h"

#include <QByteArray>
#include <QCoreApplication>
#include <QImage>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QUrl>
#include <QVariant>

#include <cstring>
#include <utility>

namespace headscope::ui {
namespace {

constexpr QLatin1String kPixels("pixels"); ///< scheme of the addresses of our own pictures

QString addressOf(const QImage& image) {
    const QImage plain = image.convertToFormat(QImage::Format_RGB32);
    const QByteArray bytes =
        QByteArray::fromRawData(reinterpret_cast<const char*>(plain.bits()), plain.sizeInBytes());
    return QStringLiteral("%1:%2x%3,%4")
        .arg(kPixels, QString::number(plain.width()), QString::number(plain.height()),
             QString::fromLatin1(bytes.toBase64(QByteArray::Base64UrlEncoding)));
}

/// The picture that addressOf() wrote; null for whatever else.
QImage pictureAt(const QUrl& address) {
    constexpr int kLongestSide = 4096;
    if (address.scheme() != kPixels)
        return {};
    const QString path = address.path();
    const qsizetype by = path.indexOf(QLatin1Char('x'));
    const qsizetype comma = path.indexOf(QLatin1Char(','));
    if (by < 0 || comma < by)
        return {};
    const int width = QStringView(path).first(by).toInt();
    const int height = QStringView(path).sliced(by + 1, comma - by - 1).toInt();
    if (width < 1 || height < 1 || width > kLongestSide || height > kLongestSide)
        return {};
    const QByteArray bytes = QByteArray::fromBase64(QStringView(path).sliced(comma + 1).toLatin1(),
                                                    QByteArray::Base64UrlEncoding);
    QImage image(width, height, QImage::Format_RGB32);
    if (bytes.size() != image.sizeInBytes())
        return {};
    std::memcpy(image.bits(), bytes.constData(), static_cast<std::size_t>(bytes.size()));
    return image;
}

/// What labels and tool tips show at an address that is no file.
QVariant resourceAt(const QUrl& address) {
    const QImage ours = pictureAt(address);
    return ours.isNull() ? noPicture() : ours;
}

void offerPictures() {
    QTextDocument::setDefaultResourceProvider(resourceAt);
}
Q_COREAPP_STARTUP_FUNCTION(offerPictures)

} // namespace

QImage noPicture() {
    QImage nothing(1, 1, QImage::Format_ARGB32);
    nothing.fill(Qt::transparent);
    return nothing;
}

Markup::Markup(const QString& text)
    : html_(text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"))) {}

Markup Markup::ours(QString html) {
    Markup made;
    made.html_ = std::move(html);
    return made;
}

QString Markup::plainText() const {
    return QTextDocumentFragment::fromHtml(html_).toPlainText();
}

Markup& Markup::operator+=(const Markup& more) {
    html_ += more.html_;
    return *this;
}

Markup operator+(Markup first, const Markup& second) {
    return std::move(first += second);
}

Markup joined(const QList<Markup>& parts, const Markup& separator) {
    Markup all;
    for (qsizetype i = 0; i < parts.size(); ++i)
        all += i == 0 ? parts[i] : separator + parts[i];
    return all;
}

Markup wide(const Markup& sentences) {
    constexpr int kTipWidth = 420; // pixels
    return markup(u"<table width='%1'><tr><td>%2</td></tr></table>", QString::number(kTipWidth),
                  sentences);
}

Markup picture(const QImage& image) {
    return image.isNull() ? Markup() : markup(u"<img src=\"%1\">", addressOf(image));
}

QString asTip(const QString& text) {
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text) : text;
}

QString asTip(const Markup& text) {
    // Begun with a tag, so that Qt does not take it for plain text.
    return text.isEmpty() || Qt::mightBeRichText(text.html())
               ? text.html()
               : QStringLiteral("<span>%1</span>").arg(text.html());
}

QString asCaption(QString text) {
    return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString asTitle(QString text) {
    return text.replace(QStringLiteral("[*]"), QStringLiteral("[*][*]"));
}

QString textOfTitle(QString title) {
    return title.replace(QStringLiteral("[*][*]"), QStringLiteral("[*]"));
}

QString textOfTip(const QString& tip) {
    return Qt::mightBeRichText(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

} // namespace headscope::ui
