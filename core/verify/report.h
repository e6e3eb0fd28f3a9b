#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace headscope {

/// One thing that must be so, and what was found.
struct Check {
    enum Outcome {
        Passed,
        Failed,
        NotVerified, ///< nothing is broken, but what was measured speaks against it
        NotApplicable,
    };

    std::string name; ///< "Rows sum to 1"
    Outcome outcome = Passed;
    std::string expected;    ///< "at most 1e-05"
    std::string measured;    ///< "1.2e-07"
    std::string explanation; ///< what it means or where it comes from; why it is not applicable
};

/// Checks of one kind.
struct Section {
    std::string name;
    std::vector<Check> checks;
};

/// All of them, in the order in which they are told.
inline constexpr std::array kOutcomes{Check::Passed, Check::Failed, Check::NotVerified,
                                      Check::NotApplicable};

/// "passed", "failed", "not verified", "not applicable"
const char* outcomeName(Check::Outcome outcome);

/// What was checked, on what and with what: everything a reader of the report must know.
struct VerifyReport {
    std::string app_version;
    std::string date;    ///< as the caller gave it
    std::string blas;    ///< "OpenBLAS, SkylakeX kernels, 2 threads"
    std::string kernels; ///< "AVX-512 kernels"
    std::size_t threads = 0;

    std::string model_name; ///< empty: none was open, and only what needs none was checked
    std::string model_family;
    std::string model_sha256;
    bool model_checked = true; ///< false: the open model cannot be run, and no check is of it
    std::string reference;     ///< path of the file with stored outputs; empty: none

    std::vector<Section> sections;

    std::size_t count(Check::Outcome outcome) const {
        std::size_t found = 0;
        for (const Section& section : sections)
            for (const Check& check : section.checks)
                found += check.outcome == outcome ? 1 : 0;
        return found;
    }
    /// Nothing failed, and nothing speaks against the model.
    bool passed() const { return count(Check::Failed) == 0 && count(Check::NotVerified) == 0; }
    /// "PASSED", "FAILED", "NOT VERIFIED"
    const char* result() const {
        if (count(Check::Failed) != 0)
            return "FAILED";
        return passed() ? "PASSED" : "NOT VERIFIED";
    }
};

} // namespace headscope
