#pragma once

#include <QStringList>

namespace headscope::ui {

/// Lets what is made from now on speak the first of these languages that it can, as "de-AT".
/// English is what it speaks by itself. A locale of the name "C" asks for no other language.
void speakFirstOf(const QStringList& languages);

} // namespace headscope::ui
