#pragma once

#include "tests/ui/views/window_under_test.h"
#include "ui/views/pattern/pattern_view.h"

namespace headscope::ui::test {

/// Has patterns show their first key, whatever it holds.
inline void showFirstKey(WindowUnderTest& window) {
    PatternSettings settings = window->patternView().settings();
    settings.first_key = FirstKey::Shown;
    window->patternView().setSettings(settings);
}

} // namespace headscope::ui::test
