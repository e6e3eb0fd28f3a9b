#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/verify/report.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace headscope {

struct VerifyOptions {
    std::shared_ptr<const Model> model;             ///< null: only what needs none
    std::optional<std::filesystem::path> reference; ///< outputs of this model stored elsewhere
    std::string date;                               ///< for the report
    /// Nothing else computes in this process meanwhile, so that threads and kernels can be changed.
    bool alone = false;
};

/// Checks the program on models whose scores are known, and the open model for what must hold of
/// any network. Checks whose run fails count as failed; there is no report only
/// for a reference without a model or that does not fit it, and with ErrorCode::Cancelled on a
/// stop request.
Result<VerifyReport> verify(const VerifyOptions& options, const Progress& progress = {},
                            const std::stop_token& stop = {});

} // namespace headscope
