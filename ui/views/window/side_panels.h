#pragma once

#include <QObject>

#include <optional>

class QSplitter;
class QWidget;

namespace headscope::ui {

class PageArea;

/// The heads on the left and their types on the right of the pages. Analyses come first: the right
/// panel is hidden if an analysis would be narrow, and the left one, too, if it could not be seen
/// whole.
class SidePanels : public QObject {
    Q_OBJECT

public:
    /// `splitter` holds the left panel, the pages and the right panel.
    SidePanels(QSplitter& splitter, PageArea& pages, QObject* parent);

    bool areShown() const;
    /// Both or none. Shown, they stay until another page is in front; hidden, until they are asked
    /// for again.
    void show(bool shown);
    bool areFolded() const { return asked_ == false; }

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeRoom();

    QSplitter& splitter_;
    PageArea& pages_;
    QWidget* left_;
    QWidget* right_;
    std::optional<bool> asked_; ///< nothing: as there is room
};

} // namespace headscope::ui
