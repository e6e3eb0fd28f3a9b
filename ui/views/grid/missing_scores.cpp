#include "ui/views/grid/missing_scores.h"

#include "ui/document/document.h"
#include "ui/tables/head_text.h"

#include <QCoreApplication>

namespace headscope::ui {

namespace {

struct MissingScores {
    Q_DECLARE_TR_FUNCTIONS(MissingScores)
};

} // namespace

QString missingScoresText(Document& document) {
    if (!document.model())
        return MissingScores::tr("No model is open: File → Open.");
    if (document.headScorer().scores())
        return {};
    const QString error = document.headScorer().error();
    const QString cannot_run = toQString(document.model()->spec.cannot_run);
    if (!error.isEmpty() && error != cannot_run)
        return error;
    if (document.headScorer().isMeasuring())
        return MissingScores::tr("Measuring the types of all heads …");
    return cannot_run.isEmpty()
               ? MissingScores::tr("The types are not measured: Analyse → Score Heads Again.")
               : MissingScores::tr("The model does not run, so these types cannot be read; why is "
                                   "said under the prompt.");
}

} // namespace headscope::ui
