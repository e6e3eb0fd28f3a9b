#pragma once

#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <array>
#include <cstddef>
#include <vector>

class QDialog;
class QSplitter;
class QTabWidget;

namespace headscope::ui {

/// The middle of the window: the patterns, and a page for each analysis that is open. Pages are
/// tabs of one group, or of two side by side; or else analyses have windows of their own.
class PageArea : public QWidget {
    Q_OBJECT

public:
    PageArea(QWidget* patterns, const QString& title, QWidget* parent = nullptr);

    /// Shows an analysis as a page in front, or again. It is closed when it is finished, and kept
    /// or deleted as it wants. `command` is what opens one like it.
    void open(QDialog* analysis, const QString& command);
    bool isOpen(const QDialog* analysis) const;
    /// The analysis of the page in front, in the group that was used last; null: the patterns.
    QDialog* current() const;

    void showPatterns();
    /// The next page of the group, from the last on to the first.
    void step(int by);
    void closeCurrent();
    void closeAll();
    /// Moves the page in front to the other group, so that two pages are seen at once.
    void moveAcross();
    std::size_t size() const { return pages_.size() + 1; }

    bool hasWindows() const { return has_windows_; }
    /// Gives all analyses, now and later, windows of their own, or pages.
    void setWindows(bool has_windows);

    /// The widths of the pages in sight, in pixels; 0 for the patterns alone, which fit.
    struct Widths {
        int least = 0; ///< that shows them whole
        int good = 0;  ///< as they would have in windows of their own
    };
    Widths widths() const;

    /// The commands of the pages in their order; "command +" is in the second group.
    QStringList layoutText() const;

signals:
    void changed(); ///< which pages there are, or are in front

private:
    class Frame; ///< an analysis among the tabs
    struct Page {
        QPointer<QDialog> analysis;
        QString command;
        Qt::WindowFlags flags; ///< as a window
    };

    QTabWidget* makeGroup(const char* name, const QString& title);
    /// Null for the patterns.
    static Frame* frameAt(const QTabWidget& group, int index);
    /// Null while it has a window.
    Frame* frameOf(const QDialog* analysis) const;
    QTabWidget* groupOf(const QWidget* tab) const;
    static void setTitle(QTabWidget& group, int index, const QString& title);
    void addTab(QTabWidget* group, QWidget* tab, const QString& title);
    void embed(const Page& page);
    void takeOut(const Page& page);
    void bringUp(QDialog& analysis);
    void focusCurrent();
    std::vector<Page>::const_iterator find(const QDialog* analysis) const;
    void forget(QDialog* analysis);
    /// Those that ended without being finished.
    void forgetDeleted();
    void showTitle(const QDialog& analysis);
    void followFocus(QWidget* now);
    void showGroups();

    QWidget* patterns_;
    QString title_;
    QSplitter* splitter_ = nullptr;
    std::array<QTabWidget*, 2> groups_{};
    std::size_t active_ = 0; ///< the group that was used last
    std::vector<Page> pages_;
    bool has_windows_ = false;
};

} // namespace headscope::ui
