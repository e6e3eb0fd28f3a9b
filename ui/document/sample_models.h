#pragma once

#include "core/model/model.h"

#include <QList>
#include <QString>

namespace headscope::ui {

/// A model that comes with Headscope.
struct SampleModel {
    QString name;    ///< "gpt2-mini-6l"
    QString path;    ///< where this installation has it
    QString summary; ///< a few words for the menu
};

/// The sample models of this installation, found relative to the program; empty when they are not
/// installed.
QList<SampleModel> sampleModels();

/// The sample model that a first start opens; empty if there is none.
QString firstSampleModel();

/// A prompt that shows something on this model and that its tokenizer can express; empty when none
/// is known.
QString defaultPrompt(const Model& model);

} // namespace headscope::ui
