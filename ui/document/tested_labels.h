#pragma once

#include "core/base/layer_head.h"
#include "core/export/label_tests.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/trust/label_trust.h"

#include <QString>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headscope::ui {

/// What a file of tested labels says.
struct ReadLabels {
    std::vector<LabelTests> tests = {};
    bool is_later = false; ///< than this version: it is never written over
    QString said = {};     ///< why it could not be read; empty: it was
};
/// Keeps a file that cannot be read as a .bak. Not for the GUI thread: a file may be large.
ReadLabels readLabels(const QString& file);

/// What was measured of a model's labels and is not in its file yet.
struct UnkeptLabels {
    std::string sha256;
    QString file;
    std::vector<LabelTests> tests;
    std::uint64_t measured = 0; ///< how often something was, up to here
};

/// Writes them, with what other windows wrote. What to say where they cannot be written, or where
/// the file there cannot be read. Waits for others, and for large files: not for the GUI thread.
struct KeptLabels {
    bool are_written = false;
    QString said = {}; ///< empty: nothing
};
KeptLabels keepLabels(const UnkeptLabels& labels);

/// What was measured of labels, for each network and thresholds. Kept in the user's data by the
/// hash of the weights, so that it is there again when the model is opened again. A file of a later
/// version is never written over, and what cannot be read is kept as a .bak. Reads and writes
/// nothing itself.
class TestedLabels {
public:
    /// Those of this model from now on. Whether its file, file(), is still to be read.
    bool setModel(const std::string& sha256);
    QString file() const { return fileOf(sha256_); }
    /// What the model's file says, with what was measured meanwhile.
    void takeFile(ReadLabels read);

    /// Null: nothing was measured.
    const LabelTests* find(bool square_flipped, const Thresholds& thresholds) const;
    /// Adds what was measured to what is known.
    void take(bool square_flipped, const Thresholds& thresholds, const LabelTests& tests);

    /// Of one model that was measured and is not written, though it can be; nothing: all is.
    std::optional<UnkeptLabels> unkept() const;
    void setKept(const UnkeptLabels& labels);

private:
    /// The tests of one model, as far as they were read or measured here.
    struct OfModel {
        std::vector<LabelTests> tests; ///< the latest last
        bool is_read = false;          ///< the file
        bool is_later = false;         ///< the file is of a later version
        std::uint64_t measured = 0;
        std::uint64_t kept = 0; ///< of those measured
    };
    static QString fileOf(const std::string& sha256);

    std::map<std::string, OfModel> models_;
    std::string sha256_;
};

/// The label of this head and type; null: there is none. `tests` as they are read.
const LabelTrust* findLabel(const LabelTests& tests, LayerHead head, HeadTypeId type);

/// Whether they are of one label, and of one score of it: a file that another version wrote may
/// hold another.
bool areOfOneScore(const LabelTrust& one, const LabelTrust& other);

/// Takes what was measured of the same label, and keeps what `from` does not say.
void takeFigures(LabelTrust& label, const LabelTrust& from);

} // namespace headscope::ui
