#include "core/pruning/replacement.h"

#include "core/base/names.h"

namespace headscope {

namespace {

constexpr Names<Replacement, 3> kReplacementNames{{
    {Replacement::Zero, "zero"},
    {Replacement::Mean, "mean"},
    {Replacement::Resample, "resample"},
}};

} // namespace

std::string_view replacementName(Replacement replacement) {
    return nameOf(kReplacementNames, replacement);
}

std::optional<Replacement> replacementNamed(std::string_view name) {
    return valueNamed(kReplacementNames, name);
}

} // namespace headscope
