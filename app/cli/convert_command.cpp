#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/convert_model.h"
#include "core/io/atomic_file.h"

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
    GgufFormat format = GgufFormat::Float32;
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
    return convertByName(options.model.path, options.output, options.format, options.model.load,
                         line.progress());
}

Result<void> runConvert(const ConvertOptions& options) {
    if (auto checked = checkFolder(options.output); !checked)
        return checked;
    const auto converted = convert(options);
    if (!converted)
        return converted.error();
    std::cout << "wrote " << options.output << ", " << byteText(bytesAt(options.output)) << ": "
              << converted->written.tensors << " tensors, config (" << converted->config_source
              << ")";
    if (!converted->tokenizer_source.empty())
        std::cout << ", tokenizer (" << converted->tokenizer_source << ")";
    std::cout << '\n';
    printLeftOut(converted->written.left_out);
    if (!converted->note.empty())
        std::cout << escapeControls(converted->note) << '\n';
    return {};
}

void requireModelFile(const std::string& path) {
    if (!modelFormOf(path))
        refuseUsage("The extension of " + path +
                    " is that of neither an HDF5 nor a GGUF file; use .h5 or .gguf, or none for a "
                    "folder.");
}

} // namespace

Command convertCommand(CLI::App& parent) {
    const auto options = std::make_shared<ConvertOptions>();
    CLI::App* app =
        parent.add_subcommand("convert", "Write a model as an HDF5 or GGUF file, or as a folder "
                                         "for transformers, with weights, config "
                                         "and tokenizer");
    addModelOption(*app, options->model);
    app->add_option("-o,--output", options->output, "FILE.h5, FILE.gguf or FOLDER")
        ->required()
        ->each(&requireModelFile);
    static const std::map<std::string, GgufFormat> formats{{"f32", GgufFormat::Float32},
                                                           {"f16", GgufFormat::Float16},
                                                           {"bf16", GgufFormat::BFloat16},
                                                           {"q8_0", GgufFormat::Q8}};
    app->add_option("--dtype", options->format, "f32 (default), f16, bf16, or of GGUF q8_0")
        ->transform(CLI::CheckedTransformer(formats));
    app->final_callback([options] {
        if (options->format == GgufFormat::Q8 && modelFormOf(options->output) != ModelForm::Gguf)
            refuseUsage("--dtype q8_0 is a format of GGUF; write to a .gguf file.");
    });
    return {app, [options] { return runConvert(*options); }};
}

} // namespace headscope::cli
