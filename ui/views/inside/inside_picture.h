#pragma once

#include "core/base/result.h"
#include "ui/document/inside_reading.h"
#include "ui/views/inside/inside_scene.h"
#include "ui/widgets/painted_picture.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>

namespace headscope::ui {

/// What a head computes for one query, drawn step by step; the cell under the pointer, or that of
/// the arrow keys, is read out.
class InsidePicture : public PaintedPicture {
    Q_OBJECT

public:
    explicit InsidePicture(QWidget* parent = nullptr);

    /// Null: nothing is shown.
    void setReading(std::shared_ptr<const InsideReading> reading);
    void setOptions(const InsideOptions& options);
    const InsideOptions& options() const { return options_; }
    const InsideScene& scene() const { return scene_; }
    /// The cell that is read out; none: none is.
    std::optional<InsideCell> lit() const;
    /// The row of HeadSteps::keys that the user chose.
    std::optional<std::size_t> chosenKey() const { return chosen_; }
    void chooseKey(std::optional<std::size_t> row);
    /// Where a number is drawn; empty: it is not.
    QRectF areaOf(const InsideCell& cell) const;

    Result<void> saveFigure(const QString& path) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void litChanged();                ///< another cell is read out, or the same says something else
    void keyClicked(std::size_t row); ///< or Return
    void placeReached(QRect area);    ///< by keys

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void layOut();
    void setHovered(const std::optional<InsidePlace>& place);
    void step(int columns, int lines);
    void describe();
    QString title() const;
    int leastWidth() const;

    std::shared_ptr<const InsideReading> reading_;
    InsideOptions options_;
    InsideScene scene_;
    std::optional<InsidePlace> hovered_;
    std::optional<InsidePlace> current_; ///< of the keys
    std::optional<std::size_t> chosen_;
};

} // namespace headscope::ui
