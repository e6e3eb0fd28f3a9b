#pragma once

#include "ui/document/document.h"
#include "ui/views/pattern/head_pattern.h"
#include "ui/views/pattern/pattern_settings.h"

#include <QList>
#include <QWidget>

#include <functional>
#include <initializer_list>
#include <tuple>
#include <utility>

class QAction;
class QActionGroup;
class QComboBox;
class QMenu;
class QToolButton;

namespace headscope::ui {

class OutlineBox;

/// The line below the patterns: one head or all, what is shown of them and how.
class PatternControls : public QWidget {
    Q_OBJECT

public:
    explicit PatternControls(Document& document, QWidget* parent = nullptr);

    const PatternSettings& settings() const { return settings_; }
    void setSettings(const PatternSettings& settings);

    void showAllHeads(bool all);
    bool showsAllHeads() const;
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
    void zoomResetRequested();

private:
    void makePages();
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
    QToolButton* one_button_ = nullptr;
    QToolButton* all_button_ = nullptr;
    QComboBox* map_ = nullptr;
    OutlineBox* outline_ = nullptr;
    QComboBox* colours_ = nullptr;
    QToolButton* first_key_ = nullptr;
    bool first_key_hidden_ = false;
    QToolButton* zoom_ = nullptr;
    QList<std::pair<QAction*, std::function<bool()>>> checks_; ///< entries and whether they are on
};

} // namespace headscope::ui
