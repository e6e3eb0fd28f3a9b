#pragma once

#include "core/verify/checks/check.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::test {

/// The check whose name begins so. Throws when there is none.
inline const Check& checkNamed(const std::vector<Check>& checks, std::string_view begin) {
    for (const Check& check : checks)
        if (check.name.starts_with(begin))
            return check;
    throw std::runtime_error("no check " + std::string(begin));
}

/// "name: measured" of all checks that failed.
inline std::string failures(const std::vector<Check>& checks) {
    std::string text;
    for (const Check& check : checks)
        if (check.outcome == Check::Failed)
            text += check.name + ": " + check.measured + "\n";
    return text;
}

} // namespace headscope::test
