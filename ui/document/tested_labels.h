#pragma once

#include "core/export/label_tests.h"
#include "core/heads/head_score.h"

#include <QString>

#include <map>
#include <string>
#include <vector>

namespace headscope::ui {

/// What was measured of labels, for each network and thresholds. Kept in the user's data by the
/// hash of the weights, so that it is there again when the model is opened again. A file of a later
/// version is never written over, and what cannot be read is kept as a .bak.
class TestedLabels {
public:
    /// Those of this model from now on. What to say where they cannot be read; empty: nothing.
    QString setModel(const std::string& sha256);

    /// Null: nothing was measured.
    const LabelTests* find(bool square_flipped, const Thresholds& thresholds) const;
    /// Adds what was measured to what is known.
    void take(bool square_flipped, const Thresholds& thresholds, const LabelTests& tests);

    /// Writes them, with what other windows wrote. What to say where they cannot be written, or
    /// where the file there cannot be read; empty: nothing.
    QString keep();
    /// Whether nothing was measured that is not written, or that cannot be.
    bool isKept() const { return is_kept_; }

private:
    /// Of one model, as far as they were read or measured here.
    struct OfModel {
        std::vector<LabelTests> tests; ///< the latest last
        bool is_later = false;         ///< the file is of a later version
    };
    void add(OfModel& of_model, const LabelTests& tests) const;

    std::map<std::string, OfModel> models_;
    std::string sha256_;
    QString file_; ///< empty: no model is open
    bool is_kept_ = true;
};

/// Whether they are of one label, and of one score of it: a file that another version wrote may
/// hold another.
bool areOfOneScore(const LabelTrust& one, const LabelTrust& other);

/// Takes what was measured of the same label, and keeps what `from` does not say.
void takeFigures(LabelTrust& label, const LabelTrust& from);

} // namespace headscope::ui
