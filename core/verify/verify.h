#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/report.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

struct FunctionOptions {
    std::vector<std::string> kinds; ///< titles of the alterations to try; empty: all
};

struct VerifyOptions {
    std::shared_ptr<const Model> model;             ///< null: only what needs none
    std::optional<std::filesystem::path> reference; ///< outputs of this model stored elsewhere
    std::string date;                               ///< for the report
    FunctionOptions function;                       ///< which alterations of the model are tried
    /// Nothing else computes in this process meanwhile, so that threads and kernels can be changed.
    bool alone = false;
};

// verify() in steps, for those who take its sections apart.

/// The names of the sections, in their order.
std::vector<std::string> verifySections(const VerifyOptions& options);
/// One of them by its place. Fails as verify() does.
Result<Section> verifySection(const VerifyOptions& options, std::size_t index,
                              const Progress& progress = {}, const std::stop_token& stop = {});
/// The report without its sections: what this machine and the model are.
VerifyReport emptyReport(const VerifyOptions& options);

/// Checks the program on models whose scores are known, and the open model for what must hold of
/// any network, and for signs that its file does not say what it is. Checks whose run fails count
/// as failed; there is no report only for a reference without a model or that does not fit it, and
/// with ErrorCode::Cancelled on a stop request.
Result<VerifyReport> verify(const VerifyOptions& options, const Progress& progress = {},
                            const std::stop_token& stop = {});

} // namespace headscope
