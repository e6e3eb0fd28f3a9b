#pragma once

#include <functional>

class QAccessibleEvent;

namespace headscope::ui {

/// Whether a screen reader is there. As the others here, on the GUI thread.
bool someoneReads();

/// Hands it an event.
void tellReaders(QAccessibleEvent& event);

using ReaderStandIn = std::function<void(QAccessibleEvent&)>;
/// Takes the place of screen readers, which no offscreen platform lets in; null gives it back.
void setReaderStandIn(ReaderStandIn stand_in);

} // namespace headscope::ui
