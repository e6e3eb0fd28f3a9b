#pragma once

#include "core/base/result.h"
#include "core/export/call.h"
#include "ui/document/document.h"
#include "ui/document/inside_reading.h"
#include "ui/document/why_reading.h"

#include <QString>

#include <cstddef>
#include <optional>

namespace headscope::ui {

/// What gives the numbers that are shown again, or the sentence that says why nothing does.
using Repetition = Result<Calls>;

/// The model of the document, which must have one, as it was loaded. Holds as long as the model.
LoadedModel loadedModel(const Document& document);
/// The same of the model of a run, which may be the other one of a comparison.
LoadedModel loadedModel(const Document& document, const RunResult& result);

/// One call, or why there is none.
Repetition repetitionOf(const Result<Call>& call);
Repetition notRepeated(const QString& reason);

/// Loss and predictions of what is shown: of A, of B, or of both.
Repetition repetitionOfRun(const Document& document);
/// The scores that label the heads.
Repetition repetitionOfScores(const Document& document);
/// The effect of ablating the selected head, which must have been measured.
Repetition repetitionOfEffect(const Document& document);

/// What is measured of all labels beyond their pattern.
Repetition repetitionOfLabels(const Document& document);

/// What explains a cell: the parts of its sides, or a detail of it.
Repetition repetitionOfWhy(const Document& document, const WhyReading& reading,
                           std::optional<WhyDetail> detail);
/// What measures the rest of the cell without a part; `rank`, from 1, if the part is a singular
/// direction.
Repetition repetitionOfRemoval(const Document& document, const WhyReading& reading,
                               const RemovalQuestion& question, std::optional<std::size_t> rank);
/// What repeats the graph.
Repetition repetitionOfTrace(const Document& document, const WhyReading& reading);

/// What computes the steps inside a head.
Repetition repetitionOfInside(const Document& document, const InsideReading& reading);

/// On the clipboard. What to say of it: "Copied: headscope-cli …", or why there is nothing to copy.
QString copyAsCommand(const Repetition& repetition);
QString copyAsPython(const Repetition& repetition);

} // namespace headscope::ui
