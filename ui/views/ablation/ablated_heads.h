#pragma once

#include "ui/document/document.h"

#include <QList>
#include <QWidget>

#include <cstddef>
#include <functional>
#include <vector>

class QMenu;
class QToolButton;

namespace headscope::ui {

class TabGroup;

/// The ablated heads as chips in one line. A chip selects its head, or its cross restores it; a
/// whole layer is one chip. What has no room is in a menu at the end. All of it is one stop of the
/// tab key.
class AblatedHeads : public QWidget {
    Q_OBJECT

public:
    explicit AblatedHeads(Document& document, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showMask();
    qsizetype chipWithFocus() const; ///< −1: none
    /// Focuses the cross of the chip that is now at `place`, so that the next one can be removed by
    /// a key.
    void focusNear(qsizetype place);
    void addLayer(std::size_t layer, const std::vector<LayerHead>& heads);
    QWidget* makeChip(const QString& name, LayerHead head, std::function<void()> restore);
    void place();
    void reach(qsizetype shown);

    Document& document_;
    QList<QWidget*> chips_;
    QToolButton* more_ = nullptr;
    TabGroup* reachable_ = nullptr;
    QMenu* rest_ = nullptr; ///< an entry for each chip, shown where the chip is not
};

} // namespace headscope::ui
