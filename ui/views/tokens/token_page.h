#pragma once

#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/views/tokens/token_reading.h"
#include "ui/widgets/token_view.h"

#include <QWidget>

class QLabel;
class QStackedWidget;

namespace headscope::ui {

class MarkupLabel;
class TokenLines;
class TokenText;
class WritingLine;

/// Where the chosen heads look, at the tokens of the prompt: as running text or as lines between
/// two columns; below, in words, what the token that is read looks at and what the selected head
/// writes there. Reads in a worker while it is in sight.
class TokenPage : public QWidget {
    Q_OBJECT

public:
    enum class Kind { Text, Lines };

    explicit TokenPage(Document& document, QWidget* parent = nullptr);

    void turnTo(Kind kind);
    void setSettings(const PatternSettings& settings);
    void setDirection(TokenDirection direction); ///< of the text
    bool hidesFirstKey() const { return reading_.hides_first_key; }
    double firstKeyShare() const { return reading_.first_key_share; }
    /// Shown where there is nothing to draw.
    void setEmptyText(const QString& text);

    /// Writes the picture as it is shown.
    Result<void> saveFigure(const QString& path) const;

signals:
    void firstKeyChanged(); ///< whether it is hidden, or what it holds

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeViews();
    void layOut();
    void connectDocument();
    TokenView& view() const;
    void read();
    void take(const Result<TokenReading>& reading);
    void showContent();
    void showHeads();
    void showCaption();
    void showLocked();
    void showReading();

    Document& document_;
    MarkupLabel* heads_ = nullptr;
    QStackedWidget* views_ = nullptr;
    TokenText* text_ = nullptr;
    TokenLines* lines_ = nullptr;
    QLabel* caption_ = nullptr;
    QLabel* words_ = nullptr;
    WritingLine* writing_ = nullptr;
    PatternSettings settings_;
    QString empty_text_;
    bool is_stale_ = true; ///< what is shown is of an earlier question
    TokenReading reading_;
    JobRunner worker_;
};

} // namespace headscope::ui
