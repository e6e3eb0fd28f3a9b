#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/output_option.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/convert_model.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

namespace headscope::cli {

namespace {

constexpr std::size_t kMaxListed = 5;

struct ConvertOptions {
    ModelChoice model;
    std::string output;
    FloatFormat format = FloatFormat::Float32;
};

void printLeftOut(std::vector<std::string> names) {
    if (names.empty())
        return;
    const std::size_t count = names.size();
    names.resize(std::min(count, kMaxListed));
    std::cout << "left out, because they hold no floating-point numbers: "
              << escapeControls(join(names, ", "));
    if (count > names.size())
        std::cout << " and " << count - names.size() << " more";
    std::cout << '\n';
}

Result<ConvertedModel> convert(const ConvertOptions& options) {
    const ProgressLine line;
    return convertModel(options.model.path, options.output, options.format, options.model.load,
                        line.progress());
}

Result<void> runConvert(const ConvertOptions& options) {
    if (auto checked = checkFolder(options.output); !checked)
        return checked;
    const auto converted = convert(options);
    if (!converted)
        return converted.error();
    std::error_code ignored;
    std::cout << "wrote " << options.output << ", "
              << byteText(std::filesystem::file_size(options.output, ignored)) << ": "
              << converted->written.tensors << " tensors, config (" << converted->config_source
              << ")";
    if (!converted->tokenizer_source.empty())
        std::cout << ", tokenizer (" << converted->tokenizer_source << ")";
    std::cout << '\n';
    printLeftOut(converted->written.left_out);
    if (!converted->tokenizer_note.empty())
        std::cout << escapeControls(converted->tokenizer_note) << '\n';
    return {};
}

void requireHdf5(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension != ".h5" && extension != ".hdf5")
        refuseUsage("The extension of " + path + " is not that of an HDF5 file; use .h5.");
}

} // namespace

Command convertCommand(CLI::App& parent) {
    const auto options = std::make_shared<ConvertOptions>();
    CLI::App* app = parent.add_subcommand(
        "convert", "Write a model as one HDF5 file with weights, config and tokenizer");
    addModelOption(*app, options->model);
    app->add_option("-o,--output", options->output, "FILE.h5")->required()->each(&requireHdf5);
    static const std::map<std::string, FloatFormat> formats{{"f32", FloatFormat::Float32},
                                                            {"f16", FloatFormat::Float16},
                                                            {"bf16", FloatFormat::BFloat16}};
    app->add_option("--dtype", options->format, "f32 (default), f16 or bf16")
        ->transform(CLI::CheckedTransformer(formats));
    return {app, [options] { return runConvert(*options); }};
}

} // namespace headscope::cli
