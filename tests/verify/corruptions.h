#pragma once

#include "core/model/model.h"

#include <functional>
#include <string>
#include <vector>

namespace headscope::test {

/// One way in which the file of a sample model could be silently wrong.
struct Corruption {
    const char* name;
    const char* sample;
    std::function<void(Model&)> corrupt;
    const char* kind;   ///< title of the alterations that should find it
    const char* named;  ///< how the right one is called; empty: it cannot be named
    bool quick = false; ///< few alterations of its kind, so that it is tried on every change
};

/// Those of the project's list, and some more. They are made by plain loops over single numbers.
const std::vector<Corruption>& corruptions();

} // namespace headscope::test
