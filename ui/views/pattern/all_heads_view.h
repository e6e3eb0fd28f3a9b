#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/head_order.h"
#include "ui/views/pattern/thumbnails.h"

#include <QImage>
#include <QVector>
#include <QWidget>

#include <memory>

namespace headscope::ui {

class ColourLegend;
class HeadMosaic;

/// The patterns of all heads side by side, drawn in a worker while the view is in sight.
class AllHeadsView : public QWidget {
    Q_OBJECT

public:
    explicit AllHeadsView(Document& document, QWidget* parent = nullptr);

    void setSettings(const PatternSettings& settings);
    bool hidesFirstKey() const { return drawn_.hides_first_key; }
    double firstKeyShare() const { return drawn_.first_key_share; }

signals:
    void firstKeyChanged(); ///< whether it is hidden, or what it holds
    /// The user wants to see this head large.
    void activated();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void draw();
    void take(const ThumbnailPart& part);
    void showCells();
    void showSelection();
    QString legendName() const;

    Document& document_;
    const HeadOrder order_; ///< by number
    HeadMosaic* mosaic_ = nullptr;
    ColourLegend* legend_ = nullptr;
    PatternSettings settings_;
    PatternSource asked_; ///< what the thumbnails are drawn of
    QVector<QImage> thumbnails_;
    ThumbnailPart drawn_; ///< the last of them, without its images
    qsizetype fresh_ = 0; ///< so many of them are drawn; the others are of an earlier run
    JobRunner worker_;
};

} // namespace headscope::ui
