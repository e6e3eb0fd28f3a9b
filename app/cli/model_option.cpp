#include "app/cli/model_option.h"

#include "app/cli/terminal.h"

namespace headscope::cli {

void addModelOption(CLI::App& app, std::string& path) {
    app.add_option("MODEL", path, "Weight file, such as model.h5")->required();
}

Result<std::shared_ptr<const Model>> openModel(const std::string& path) {
    const ProgressLine line;
    return loadModel(path, {}, line.progress());
}

} // namespace headscope::cli
