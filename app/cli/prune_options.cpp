#include "app/cli/prune_options.h"

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/export/save_smaller_model.h"

#include <filesystem>
#include <utility>

namespace headscope::cli {

namespace {

constexpr int kMostPoints = 100'000;
constexpr int kMostTextTokens = 50'000'000;

std::string extensionOf(const std::string& path) {
    return std::filesystem::path(path).extension().string();
}

bool isHdf5(const std::string& path) {
    return extensionOf(path) == ".h5" || extensionOf(path) == ".hdf5";
}

void addTextOptions(CLI::App& app, PruneOptions& options) {
    app.add_option("--calibrate", options.words.calibrate,
                   "Text file that heads are chosen by; lines of <|endoftext|> part documents")
        ->check(CLI::ExistingFile);
    app.add_option("--test", options.words.test,
                   "Text file that the cuts are judged on, another one")
        ->check(CLI::ExistingFile);
    app.add_option("--domains", options.words.domains,
                   "Where no file is given, some of these texts, with commas: " +
                       join(domainNames(), ", ") +
                       ". own is what the model writes itself; by default all that it can read, "
                       "each with its own curves")
        ->delimiter(',')
        ->check(CLI::IsMember(domainNames()));
    app.add_option("--length", options.words.length, "Tokens of a passage, BOS included")
        ->check(CLI::Range(8, kMostTextTokens))
        ->capture_default_str();
    app.add_option("--calibrate-tokens", options.words.calibrate_tokens,
                   "Tokens of the calibration text that are read at most")
        ->check(CLI::Range(8, kMostTextTokens))
        ->capture_default_str();
    app.add_option("--test-tokens", options.words.test_tokens,
                   "Tokens of the test text that are read at most; few make wide intervals")
        ->check(CLI::Range(8, kMostTextTokens))
        ->capture_default_str();
    app.add_option("--seed", options.words.seed,
                   "Seed of masked tokens, of random orders and of taylor's draws")
        ->capture_default_str();
}

void addCurveOptions(CLI::App& app, PruneOptions& options) {
    app.add_option("--orders", options.orders,
                   "Orders to compare, with commas: " + orderNames() +
                       ". random:10 are ten random ones, list:FILE takes heads from a file")
        ->capture_default_str();
    app.add_option(
           "--points", options.words.points,
           "Cuts of each curve; further ones narrow down where it rises above the tolerance")
        ->check(CLI::Range(1, kMostPoints))
        ->capture_default_str();
    app.add_option("--tasks", options.words.tasks,
                   "What else is measured where the whole model does it, with commas: "
                   "indirect_object (Mary or John), verb_agreement (was or were), or none")
        ->delimiter(',')
        ->check(CLI::IsMember({"indirect_object", "verb_agreement", "none"}))
        ->capture_default_str();
    app.add_option("--tolerance", options.words.tolerance,
                   "More loss that the verdict allows, in percent")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
}

void addWayOptions(CLI::App& app, PruneOptions& options) {
    app.add_option("--unit", options.words.unit,
                   "What goes at a time: a query head, a group of heads that share keys and "
                   "values, or all attention of a layer")
        ->check(CLI::IsMember({"head", "group", "layer"}))
        ->capture_default_str();
    app.add_option(
           "--ablation", options.words.ablation,
           "What replaces the output of removed heads while heads are scored, and on the curve "
           "where nothing compensates for them: zero, mean or resample")
        ->check(CLI::IsMember({"zero", "mean", "resample"}))
        ->capture_default_str();
    app.add_option("--compensate", options.words.compensate,
                   "What makes up for removed heads: none, bias (their mean goes into the output "
                   "bias), ridge or rotation (least squares on W_O of the heads that stay)")
        ->check(CLI::IsMember({"none", "bias", "ridge", "rotation"}))
        ->capture_default_str();
    app.add_option("--least", options.words.least, "Units that stay in every layer")
        ->capture_default_str();
    app.add_option("--protect", options.words.protect, "Heads that stay: 4.1,4.2");
}

} // namespace

void addCurveQuestion(CLI::App& app, PruneOptions& options) {
    addTextOptions(app, options);
    addCurveOptions(app, options);
    addWayOptions(app, options);
}

void addPruneOptions(CLI::App& app, PruneOptions& options) {
    addModelOption(app, options.model)->required(false);
    addCurveQuestion(app, options);
    app.add_flag("--resume", options.resume,
                 "Go on where a run that was stopped has left OUTPUT.parts");
    app.add_option("--order", options.order, "The order in which --remove takes heads");
    app.add_option("--remove", options.remove,
                   "Write a smaller model without so many heads: 30% or a number");
    app.add_option("--recipe", options.recipe,
                   "Write the smaller model that this .recipe.json describes")
        ->check(CLI::ExistingFile);
    app.add_flag("--group-queries", options.group_queries,
                 "Remove no heads, but let more queries share keys and values: pool those of "
                 "neighbouring heads by mean and by least squares, and measure what that costs "
                 "before any training");
    app.add_option("-o,--output", options.output,
                   "Curves: FILE.json, FILE.csv or FILE.h5 instead of printing. Smaller model: "
                   "FILE.h5, FILE.gguf (llama.cpp) or FOLDER (transformers)");
}

void checkCurveOutput(const std::string& output) {
    const std::string extension = extensionOf(output);
    if (extension != ".json" && extension != ".csv" && !isHdf5(output))
        refuseUsage("The extension of " + output + " is unknown; use .json, .csv or .h5.");
}

void checkPruneUsage(const PruneOptions& options) {
    if (!options.remove.empty() && !options.recipe.empty())
        refuseUsage("Only one of --remove and --recipe can be given.");
    if (options.order && options.remove.empty())
        refuseUsage("--order belongs to --remove; give --orders for curves.");
    if (!options.remove.empty() && !options.order)
        refuseUsage("--remove needs --order ORDER.");
    if (options.makesModel() && options.output.empty())
        refuseUsage("A smaller model needs -o FILE.h5, FILE.gguf or FOLDER.");
    if ((options.makesModel() || options.group_queries) && options.resume)
        refuseUsage("--resume belongs to curves.");
    if (options.makesModel() && options.group_queries)
        refuseUsage(
            "--group-queries measures and writes no model; leave --remove and --recipe out.");
    if (options.resume && options.output.empty())
        refuseUsage("--resume needs the -o FILE of the run that was stopped.");
    if (!options.makesModel() && !options.output.empty())
        checkCurveOutput(options.output);
    if (!options.makesModel())
        return;
    if (const auto form = smallerModelForm(options.output); !form)
        refuseUsage(form.error().message);
}

std::vector<std::string> listFiles(const std::string& orders) {
    std::vector<std::string> files;
    const std::string list = std::string(orderKindName(OrderKind::OwnList)) + ":";
    for (const std::string& part : split(orders, ','))
        if (part.starts_with(list))
            files.push_back(part.substr(list.size()));
    return files;
}

Result<PruningQuestion> readCurveQuestion(const PruneOptions& options, const ModelSpec& spec) {
    auto question = readPruningQuestion(options.words, spec);
    if (!question)
        return question;
    auto orders = readOrders(options.orders, options.words.seed, spec);
    if (!orders)
        return orders.error();
    question->orders = *std::move(orders);
    return question;
}

std::string curveQuestionText(const Model& model, const PruningTexts& texts,
                              const PruningWords& words) {
    std::vector<std::string> parts{"3", model.sha256};
    for (const PruningDomain& domain : texts.domains)
        for (const std::string& part : {domain.name, domain.calibration.hash, domain.test.hash})
            parts.push_back(part);
    for (const std::string& part :
         {std::to_string(words.length), words.unit, words.ablation, words.compensate,
          join(words.tasks, ","), std::to_string(words.least), words.protect,
          std::to_string(words.seed)})
        parts.push_back(part);
    return join(parts, " ");
}

} // namespace headscope::cli
