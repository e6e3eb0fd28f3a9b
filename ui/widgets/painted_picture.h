#pragma once

#include "core/base/result.h"
#include "ui/widgets/accessible/painted.h"

#include <QFont>
#include <QSize>
#include <QString>
#include <QWidget>

#include <functional>

class QPainter;

namespace headscope::ui {

/// A widget that paints a picture which is too much its own for a chart: a screen reader reads its
/// description, and it can be written as a figure.
class PaintedPicture : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    explicit PaintedPicture(QWidget* parent = nullptr) : QWidget(parent) {}

protected:
    /// The font of figures.
    QFont fontOfFigure() const;
    /// Writes what `draw` draws on a page of `size` pixels of 1/96 inch, by the extension of
    /// `path`.
    Result<void> saveDrawn(const QString& path, QSize size, const QString& title,
                           const QString& note, const std::function<void(QPainter&)>& draw) const;
};

} // namespace headscope::ui
