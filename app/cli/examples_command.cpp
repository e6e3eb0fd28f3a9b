#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/prompt_options.h"
#include "app/cli/terminal.h"
#include "core/ask/parameter.h"
#include "core/base/progress.h"
#include "core/export/corpus_files.h"
#include "core/export/provenance.h"
#include "core/export/scan_parts.h"
#include "core/heads/corpus_scan.h"
#include "core/interventions/example_rows.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headscope::cli {

namespace {

constexpr int kMostExamples = 100'000;

struct ExamplesOptions {
    ModelChoice model;
    ExampleCorpus corpus;
    std::string bos = "auto";
    std::string heads; ///< "4.1,4.2"; empty: all
    std::string kind = "deciles";
    ExampleQuestion question;
    std::string effect; ///< an ablation kind; empty: none is measured
    bool resume = false;
    TableOptions table;
};

/// Scans with parts beside the output, so that a run that was stopped can be continued.
Result<CorpusScan> scan(const std::shared_ptr<const Model>& model, const NamedSequences& corpus,
                        const ExamplesOptions& options) {
    const ProgressLine line;
    const Progress progress = withTimeLeft(line.progress());
    if (options.table.output.empty())
        return scanCorpus(model, corpus.sequences, {}, progress);
    ScanPartsFile file(ScanPartsFile::pathFor(options.table.output), *model, corpus.sequences);
    CorpusScan begun;
    if (options.resume) {
        auto read = file.read();
        if (!read)
            return read.error();
        begun = *std::move(read);
    }
    if (auto opened = file.begin(begun); !opened)
        return opened.error();
    return scanCorpus(model, corpus.sequences, std::move(begun), progress, {},
                      [&](const CorpusScan& part) { return file.add(part); });
}

std::optional<AblationKind> effectKind(const ExamplesOptions& options) {
    if (options.effect.empty())
        return std::nullopt;
    return options.effect == ablationKindName(AblationKind::Mean) ? AblationKind::Mean
                                                                  : AblationKind::Zero;
}

/// Empty: all.
Result<std::vector<LayerHead>> askedHeads(const ModelSpec& spec, const ExamplesOptions& options) {
    if (options.heads.empty())
        return std::vector<LayerHead>{};
    return parseHeads(options.heads, spec);
}

/// For people who did not say which heads they mean: a line for each.
void keepStrongest(std::vector<ExampleRows>& heads) {
    for (ExampleRows& rows : heads)
        rows.list.examples.resize(std::min<std::size_t>(1, rows.list.examples.size()));
}

Result<void> runExamples(const ExamplesOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    if (!options.effect.empty())
        if (auto possible = checkNextTokenEffect(**model); !possible)
            return possible;
    const auto heads = askedHeads((*model)->spec, options);
    if (!heads)
        return heads.error();
    const auto corpus = exampleSequences(**model, options.corpus);
    if (!corpus)
        return corpus.error();
    const auto scanned = scan(*model, *corpus, options);
    if (!scanned)
        return scanned.error();
    auto rows = exampleRows(*model, corpus->sequences, *scanned, *heads, options.question,
                            effectKind(options));
    if (!rows)
        return rows.error();
    const Provenance provenance = provenanceOf(**model);
    const Table table = exampleTable(*rows, corpus->name, provenance);
    if (options.heads.empty())
        keepStrongest(*rows);
    const Table shown = exampleTable(*rows, corpus->name, provenance);
    auto delivered = deliverTable(options.table, table, {&shown, 1});
    if (delivered && !options.table.output.empty())
        ScanPartsFile(ScanPartsFile::pathFor(options.table.output), **model, corpus->sequences)
            .remove();
    return delivered;
}

} // namespace

Command examplesCommand(CLI::App& parent) {
    const auto options = std::make_shared<ExamplesOptions>();
    CLI::App* app = parent.add_subcommand(
        "examples", "Show where in a text heads look most strongly, from the whole range");
    addModelOption(*app, options->model);
    app->add_option("--corpus", options->corpus.file,
                    "A UTF-8 text file; lines of <|endoftext|> part its documents. By default the "
                    "bundled text")
        ->check(CLI::ExistingFile);
    addBosOption(*app, options->bos);
    app->add_option("--length", options->corpus.length,
                    "Length of the sequences that the text is cut into, BOS included")
        ->check(CLI::Range(2, 1'000'000))
        ->capture_default_str();
    checkBounds(*app->add_option("--tokens", options->corpus.most_tokens,
                                 "How many tokens are read at most, evenly from the whole text")
                     ->capture_default_str(),
                1.0, kAnyNumber);
    app->add_option("--heads", options->heads, "These heads alone: 4.1,4.2");
    std::vector<std::string> kinds;
    for (const ExampleKind kind : exampleKinds())
        kinds.emplace_back(exampleKindName(kind));
    app->add_option("--show", options->kind,
                    "Which sequences: some of every tenth by strength, the strongest, those around "
                    "the median, or any")
        ->check(CLI::IsMember(kinds))
        ->capture_default_str();
    app->add_option("--count", options->question.count, "Examples of each head at most")
        ->check(CLI::Range(1, kMostExamples))
        ->capture_default_str();
    checkBounds(*app->add_option("--seed", options->question.seed, "Of --show random")
                     ->capture_default_str(),
                0.0, kAnyNumber);
    app->add_option("--effect", options->effect,
                    "Measure what ablating the head alone does to the next token of each example")
        ->check(CLI::IsMember(ablationChoices()));
    app->add_flag("--resume", options->resume,
                  "Go on with what an earlier run with the same -o FILE had read before it ended");
    addTableOptions(*app, options->table);
    app->final_callback([options, kinds] {
        checkTableUsage(options->table);
        if (options->resume && options->table.output.empty())
            refuseUsage("--resume needs the -o FILE of the run that was stopped.");
        options->corpus.bos = bosNamed(options->bos);
        options->question.kind = *std::ranges::find(exampleKinds(), options->kind, exampleKindName);
    });
    return {app, [options] { return runExamples(*options); }};
}

} // namespace headscope::cli
