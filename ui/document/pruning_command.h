#pragma once

#include "core/pruning/pruning_curve.h"
#include "ui/document/pruning_texts.h"

#include <QString>

namespace headscope::ui {

/// What headscope-cli needs to know to measure the same curves.
struct PruningCommand {
    QString model = {};            ///< path
    bool transposed = false;       ///< LoadOptions::flip_square_matrices
    QString calibration_file = {}; ///< empty: the bundled text
    QString test_file = {};        ///< likewise
    QString list_file = {};        ///< of OrderKind::OwnList
    PruningTextQuestion texts = {};
    PruningQuestion question = {};
    double tolerance = 1.0; ///< percent
};

/// "headscope-cli prune model.h5 --orders gradient,random:10 …" for a POSIX shell.
QString commandLine(const PruningCommand& command);

} // namespace headscope::ui
