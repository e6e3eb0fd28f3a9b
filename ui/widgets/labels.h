#pragma once

#include "ui/markup/markup.h"

#include <QLabel>
#include <QTextBrowser>

namespace headscope::ui {

/// Shows text as it is, where a QLabel would take what looks like HTML for it.
class TextLabel : public QLabel {
public:
    explicit TextLabel(QWidget* parent = nullptr);
    explicit TextLabel(const QString& text, QWidget* parent = nullptr);
};

/// Shows markup, and no text that is not.
class MarkupLabel : public QLabel {
public:
    explicit MarkupLabel(QWidget* parent = nullptr);

    void setMarkup(const Markup& text);
    void setText(const QString& text) = delete;
};

/// A page of markup that scrolls. It follows no link and loads nothing.
class MarkupPage : public QTextBrowser {
public:
    explicit MarkupPage(const Markup& text, QWidget* parent = nullptr);

    QVariant loadResource(int type, const QUrl& name) override;
};

} // namespace headscope::ui
