#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QString>
#include <QVector>
#include <QWidget>

namespace headscope::ui {

/// What is left of each layer: a column with a block for each head, filled while it stays. Knows no
/// model.
class LayerBars : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    struct Layer {
        QVector<bool> stays; ///< by head
        QString text;        ///< under the pointer
    };

    explicit LayerBars(QWidget* parent = nullptr);

    void setLayers(QVector<Layer> layers);
    const QVector<Layer>& layers() const { return layers_; }
    /// Shown in the place of the columns while there are none.
    void setEmptyText(const QString& text);

    QSize sizeHint() const override { return {320, 140}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF columnRect(qsizetype layer) const;
    void paintColumn(QPainter& painter, qsizetype layer) const;

    QVector<Layer> layers_;
    QString empty_text_;
};

} // namespace headscope::ui
