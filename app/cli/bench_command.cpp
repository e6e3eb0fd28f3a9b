#include "app/cli/bench_table.h"
#include "app/cli/benchmark.h"
#include "app/cli/command.h"
#include "app/cli/common_options.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/model/random_model.h"
#include "core/tensor/parallel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

namespace headscope::cli {

namespace {

constexpr std::size_t kMostTokens = 1'000'000;
constexpr std::size_t kMostThreads = 1024;
constexpr int kMostRepeats = 1000;
constexpr std::uint64_t kSeed = 1;

const std::map<std::string, ModelSpec (*)()>& shapes() {
    static const std::map<std::string, ModelSpec (*)()> by_name{
        {"gpt2-small", [] { return gpt2SmallShape(); }},
        {"llama-1b", [] { return llama1bShape(); }},
        {"llama-7b", [] { return llama7bShape(); }}};
    return by_name;
}

struct BenchOptions {
    ModelChoice model;
    std::string shape;
    FloatFormat format = FloatFormat::Float32; ///< of `shape`
    std::vector<std::size_t> tokens{16, 128, 512, 1024};
    std::vector<std::string> what{"floor", "forward", "patterns-floor", "patterns", "pattern"};
    std::optional<std::size_t> threads;
    int repeats = 5;
    TableOptions table;
};

Result<std::shared_ptr<const Model>> randomShape(const BenchOptions& options) {
    const std::size_t longest = std::ranges::max(options.tokens);
    ModelSpec spec = shapes().at(options.shape)();
    spec.n_ctx = std::max(spec.n_ctx, longest);
    const std::size_t needed = randomModelBytes(spec, options.format);
    const auto available = availableMemory();
    if (available && needed > *available)
        return Error{ErrorCode::TooLarge, "The weights of " + options.shape + " need " +
                                              byteText(needed) + " of memory, but " +
                                              byteText(*available) +
                                              " are available; close other programs."};
    return randomModel(spec, kSeed, options.format);
}

Result<std::shared_ptr<const Model>> openOrMake(const BenchOptions& options) {
    return options.shape.empty() ? openRunnable(options.model) : randomShape(options);
}

TokenIds randomIds(const ModelSpec& spec, std::size_t count) {
    Random random(kSeed);
    TokenIds ids(count);
    for (TokenId& id : ids)
        id = static_cast<TokenId>(random.below(std::max<std::size_t>(spec.d_vocab, 1)));
    return ids;
}

double secondsOf(const TimedWork& work, Result<void>& done) {
    const auto start = std::chrono::steady_clock::now();
    done = work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// `resident` bytes were in memory before the first run. One more run than asked, not counted,
/// warms up.
Result<Measurement> measure(const Benchmark& benchmark, const std::shared_ptr<const Model>& model,
                            std::size_t tokens, int repeats, std::optional<std::size_t> resident) {
    const PeakMemory peak;
    const auto work = benchmark.prepare(model, randomIds(model->spec, tokens));
    if (!work)
        return work.error();
    Measurement measured{&benchmark, tokens, {}, {}};
    for (int run = 0; run <= repeats; ++run) {
        Result<void> done;
        const double seconds = secondsOf(*work, done);
        if (!done)
            return done.error();
        if (run > 0)
            measured.seconds.push_back(seconds);
    }
    std::ranges::sort(measured.seconds);
    if (const auto bytes = peak.bytes(); bytes && resident)
        measured.peak_bytes = *bytes - std::min(*bytes, *resident);
    return measured;
}

Result<std::vector<Measurement>> measureAll(const BenchOptions& options,
                                            const std::shared_ptr<const Model>& model) {
    const ProgressLine line;
    const auto resident = residentMemory();
    const double total = static_cast<double>(options.tokens.size() * options.what.size());
    std::vector<Measurement> all;
    for (const std::size_t tokens : options.tokens) {
        for (const Benchmark& benchmark : benchmarks()) {
            if (std::ranges::find(options.what, benchmark.name) == options.what.end())
                continue;
            report(line.progress(), static_cast<double>(all.size()) / total,
                   std::string(benchmark.name) + " of " + std::to_string(tokens) + " tokens");
            auto measured = measure(benchmark, model, tokens, options.repeats, resident);
            if (!measured)
                return measured.error();
            all.push_back(std::move(*measured));
        }
    }
    return all;
}

Result<void> checkLengths(const ModelSpec& spec, const BenchOptions& options) {
    const std::size_t longest = std::ranges::max(options.tokens);
    if (longest <= spec.n_ctx)
        return {};
    return Error{ErrorCode::InvalidArgument,
                 "A prompt of " + std::to_string(longest) + " tokens was asked for, but " +
                     options.model.path + " was built for " + std::to_string(spec.n_ctx) +
                     "; give a shorter one to --tokens."};
}

Result<void> runBench(const BenchOptions& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    if (options.threads)
        setThreads(*options.threads);
    const auto model = openOrMake(options);
    if (!model)
        return model.error();
    if (const auto fitting = checkLengths((*model)->spec, options); !fitting)
        return fitting;
    const auto measured = measureAll(options, *model);
    if (!measured)
        return measured.error();
    return deliverTable(options.table, benchTable(**model, options.repeats, *measured));
}

/// A line for each benchmark.
std::string whatHelp() {
    std::string help = "What to measure, separated by commas:";
    for (const Benchmark& benchmark : benchmarks())
        help += "\n" + std::string(benchmark.name) + ": " + std::string(benchmark.meaning);
    return help;
}

std::vector<std::string> benchmarkNames() {
    std::vector<std::string> names;
    for (const Benchmark& benchmark : benchmarks())
        names.emplace_back(benchmark.name);
    return names;
}

void checkBenchUsage(const BenchOptions& options) {
    checkTableUsage(options.table);
    if (options.model.path.empty() == options.shape.empty())
        refuseUsage("Exactly one of MODEL and --shape must be given.");
}

} // namespace

Command benchCommand(CLI::App& parent) {
    const auto options = std::make_shared<BenchOptions>();
    CLI::App* app = parent.add_subcommand("bench", "Measure speed and memory on this machine");
    addModelOption(*app, options->model)->required(false);
    app->add_option(
           "--shape", options->shape,
           "Measure random weights of this shape instead of MODEL: gpt2-small, llama-1b or "
           "llama-7b")
        ->check(CLI::IsMember(shapes()));
    app->add_option("--dtype", options->format,
                    "How those weights are kept in memory: f32, f16 or bf16")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, FloatFormat>{{"f32", FloatFormat::Float32},
                                               {"f16", FloatFormat::Float16},
                                               {"bf16", FloatFormat::BFloat16}}))
        ->default_str("f32")
        ->needs("--shape");
    app->add_option("--tokens", options->tokens, "Lengths of the prompt in tokens: 16,128")
        ->delimiter(',')
        ->check(CLI::Range(std::size_t{1}, kMostTokens))
        ->capture_default_str();
    app->add_option("--what", options->what, whatHelp())
        ->delimiter(',')
        ->check(CLI::IsMember(benchmarkNames()))
        ->capture_default_str();
    app->add_option("--threads", options->threads, "Threads to compute with")
        ->check(CLI::Range(std::size_t{1}, kMostThreads));
    app->add_option("--repeats", options->repeats, "How often each is run; the median counts")
        ->check(CLI::Range(1, kMostRepeats))
        ->capture_default_str();
    addTableOptions(*app, options->table);
    app->parse_complete_callback([options] { checkBenchUsage(*options); });
    return {app, [options] { return runBench(*options); }};
}

} // namespace headscope::cli
