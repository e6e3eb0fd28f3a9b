#pragma once

#include <QList>
#include <QString>
#include <QStringView>

class QImage;

namespace headscope::ui {

/// Rich text whose tags come from our own templates. What comes from outside, such as a token, a
/// name, a path or an error, is only ever text in it: the one way from text to markup escapes it.
class Markup {
public:
    Markup() = default;
    /// The text as it was typed, whatever it looks like; a line break stays one.
    explicit Markup(const QString& text);

    bool isEmpty() const { return html_.isEmpty(); }
    /// For what shows it.
    const QString& html() const { return html_; }
    /// Without the tags, for screen readers.
    QString plainText() const;

    Markup& operator+=(const Markup& more);
    bool operator==(const Markup& other) const = default;

private:
    template <typename... Parts>
    friend Markup markup(QStringView pattern, const Parts&... parts);
    static Markup ours(QString html);

    QString html_;
};

Markup operator+(Markup first, const Markup& second);

/// markup(u"<b>%1</b> %2", name, rest): our own template, a literal or tr() of one, whose places
/// take text, which is escaped, or markup, which is kept. Inside of a tag a place is for numbers
/// and colours of ours alone.
template <typename... Parts>
Markup markup(QStringView pattern, const Parts&... parts) {
    if constexpr (sizeof...(Parts) == 0)
        return Markup::ours(pattern.toString());
    else
        return Markup::ours(pattern.arg(Markup(parts).html()...));
}

Markup joined(const QList<Markup>& parts, const Markup& separator);

/// Sentences with lines of a length that is good for a tool tip, where Qt would make them nearly
/// square.
Markup wide(const Markup& sentences);

/// A picture among the text: its pixels themselves, which no decoder sees.
Markup picture(const QImage& image);

/// In place of a picture that is not to be loaded; where Qt gets none, it looks for a file.
QImage noPicture();

/// What Qt is given as a tool tip, which it takes for HTML where it begins like that.
QString asTip(const QString& text);
QString asTip(const Markup& text);

/// As the text of a menu entry, a button or a tab, where Qt takes & for the mark of a key.
QString asCaption(QString text);

/// As the title of a window, where Qt takes [*] for the mark of something unsaved; and what such a
/// title says.
QString asTitle(QString text);
QString textOfTitle(QString title);

/// What a tool tip says, without the tags that asTip() left in it.
QString textOfTip(const QString& tip);

} // namespace headscope::ui
