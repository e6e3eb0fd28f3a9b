#pragma once

#include "ui/document/why_reading.h"

#include <QWidget>

#include <cstddef>
#include <optional>

class QComboBox;

namespace headscope::ui {

/// Which cell is explained, what its score is compared with, and how far the graph goes. What is
/// asked may be ahead of what is shown.
class WhyChoices : public QWidget {
    Q_OBJECT

public:
    explicit WhyChoices(QWidget* parent = nullptr);

    /// Offers the tokens of a reading and chooses its cell; a reading without a result has none.
    void showReading(const WhyReading& reading);

    /// None: the strongest.
    std::optional<std::size_t> askedKey() const { return asked_key_; }
    void askKey(std::size_t key) { asked_key_ = key; }
    ScoreContrast contrast() const { return contrast_; }
    /// With ScoreContrast::Key.
    std::size_t askedOther() const { return asked_other_; }
    double leastShare() const;
    /// The strongest key, compared with the other keys.
    void forgetCell();

signals:
    void queryChosen(std::size_t position);
    void keyChosen(); ///< of another cell
    void changed();   ///< the same cell is asked for in another way

private:
    void makeBoxes();
    void layOut();
    void connectBoxes();
    void showContrasts(const WhyReading& reading);

    QComboBox* query_ = nullptr;
    QComboBox* key_ = nullptr;
    QComboBox* other_ = nullptr; ///< what the key is compared with
    QComboBox* least_ = nullptr; ///< share in the graph
    std::optional<std::size_t> asked_key_;
    ScoreContrast contrast_ = ScoreContrast::OtherKeys;
    std::size_t asked_other_ = 0;
};

} // namespace headscope::ui
