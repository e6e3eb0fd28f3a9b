#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/heads/examples.h"

#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// Reads the folder of the HeadVis viewer, whoever wrote it (headvis.h holds the format). A head's
/// file is read when it is asked for, so that a large folder opens at once.
class HeadvisFolder {
public:
    /// Fails with one sentence for a folder without a config.json of this form.
    static Result<HeadvisFolder> open(const std::filesystem::path& folder);

    const std::string& modelName() const { return model_name_; }
    const std::vector<LayerHead>& heads() const { return heads_; }

    /// Fails for a head that is not in the folder, and for a file that is missing or damaged.
    Result<ExampleList> read(LayerHead head, const ExampleQuestion& question) const;

private:
    std::filesystem::path folder_;
    std::string model_name_;
    std::string file_pattern_; ///< "L{layer}H{head}.json"
    std::vector<LayerHead> heads_;
};

} // namespace headscope
