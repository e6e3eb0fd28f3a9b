#pragma once

#include "ui/document/document.h"
#include "ui/views/maps/head_pattern.h"
#include "ui/views/maps/pattern_settings.h"
#include "ui/widgets/token_content.h"

#include <QList>
#include <QWidget>

#include <functional>
#include <initializer_list>
#include <tuple>
#include <utility>

class QAction;
class QActionGroup;
class QButtonGroup;
class QComboBox;
class QMenu;
class QToolButton;

namespace headscope::ui {

class OutlineBox;

/// The line below the patterns, what is shown of them and how, and the one above them, which
/// chooses the page.
class PatternControls : public QWidget {
    Q_OBJECT

public:
    explicit PatternControls(Document& document, QWidget* parent = nullptr);

    const PatternSettings& settings() const { return settings_; }
    void setSettings(const PatternSettings& settings);

    /// The line above, to be placed by the owner.
    QWidget* pageSwitch() { return page_switch_; }
    PatternPage page() const;
    void showPage(PatternPage page);
    /// Whether the text shows what a token reads, or who reads it.
    TokenDirection direction() const;
    void setDirection(TokenDirection direction);
    OutlineBox& outline() { return *outline_; }
    const OutlineBox& outline() const { return *outline_; }

    /// What the patterns in sight say of the first key: whether it is hidden, and what it holds.
    void showFirstKey(bool hidden, double share);
    bool isFirstKeyHidden() const { return first_key_hidden_; }
    /// Hides the first key, or shows it, whatever it holds.
    void toggleFirstKey();

signals:
    void settingsChanged();
    void outlineChanged();
    void pageChanged();
    void directionChanged();
    void zoomResetRequested();

private:
    void makePages();
    void makeDirections();
    void makeSides();
    void showSides();
    void showPageControls();
    void makeMaps();
    void makeFirstKey();
    template <class Choice>
    void addChoices(QMenu* menu, Choice PatternSettings::*field,
                    std::initializer_list<std::tuple<const char*, QString, Choice>> choices);
    void addSwitch(QMenu* menu, const char* name, const QString& text, const QString& tip,
                   bool PatternSettings::*field);
    void layOut();
    void change(const PatternSettings& settings);
    void showSettings();

    Document& document_;
    PatternSettings settings_;
    QWidget* page_switch_ = nullptr;
    QButtonGroup* pages_ = nullptr;      ///< by PatternPage
    QButtonGroup* directions_ = nullptr; ///< by TokenDirection
    QButtonGroup* sides_ = nullptr;      ///< by Side
    QComboBox* map_ = nullptr;
    OutlineBox* outline_ = nullptr;
    QComboBox* colours_ = nullptr;
    QToolButton* first_key_ = nullptr;
    bool first_key_hidden_ = false;
    QToolButton* zoom_ = nullptr;
    QList<std::pair<QAction*, std::function<bool()>>> checks_; ///< entries and whether they are on
};

} // namespace headscope::ui
