#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "ui/document/document.h"
#include "ui/document/prompt_run.h"
#include "ui/views/grid/mosaic_heads.h"
#include "ui/views/maps/pattern_settings.h"
#include "ui/widgets/heatmap_cells.h"

#include <QImage>
#include <QVector>
#include <QWidget>

#include <functional>
#include <memory>
#include <stop_token>

namespace headscope::ui {

/// Some of the pictures of all heads, row-major by layer and head, from number `first` on.
struct ThumbnailPart {
    qsizetype first = 0;
    QVector<QImage> images;
    CellColours colours; ///< of all pictures, unless each has a scale of its own
    bool hides_first_key = false;
    double first_key_share = 0.0; ///< mean over all heads
};

using PublishThumbnails = std::function<void(const ThumbnailPart&)>;

/// Small pictures of all heads' maps, layer by layer, or at once where they share a scale that is
/// known at the end. What the mask hides is transparent, and a head that was removed has none.
/// Cells that share a pixel show their strongest value. Whether the first key is hidden is one
/// answer for all heads. `background` is that of the window. Called from worker threads; fails with
/// ErrorCode::Cancelled on a stop request, or as valueNorms() does.
Result<void> patternThumbnails(const PatternSource& source, const PatternSettings& settings,
                               const QColor& background, const PublishThumbnails& publish,
                               const Progress& progress, const std::stop_token& stop);

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
