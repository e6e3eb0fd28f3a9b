#include "app/cli/benchmark.h"
#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/process_memory.h"
#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/export/table_files.h"
#include "core/model/random_model.h"
#include "core/tensor/blas_choice.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
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
    bool json = false;
};

/// One benchmark at one length.
struct Measurement {
    const Benchmark* benchmark = nullptr;
    std::size_t tokens = 0;
    std::vector<double> seconds; ///< ascending
    /// At any time of the runs, weights and program not counted.
    std::optional<std::size_t> peak_bytes;

    double median() const { return seconds[seconds.size() / 2]; }
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
    return options.shape.empty() ? openModel(options.model) : randomShape(options);
}

TokenIds randomIds(const ModelSpec& spec, std::size_t count) {
    Random random(kSeed);
    TokenIds ids(count);
    for (TokenId& id : ids)
        id = static_cast<TokenId>(random.below(std::max<std::size_t>(spec.d_vocab, 1)));
    return ids;
}

double secondsOf(const Work& work, Result<void>& done) {
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

/// How many times as long as its floor; nothing when that was not measured.
std::optional<double> timesFloor(const Measurement& measured, const std::vector<Measurement>& all) {
    for (const Measurement& other : all)
        if (other.tokens == measured.tokens && other.benchmark->name == measured.benchmark->floor)
            return measured.median() / other.median();
    return std::nullopt;
}

std::string millisecondsText(double seconds) {
    const double milliseconds = seconds * 1000.0;
    const int decimals = milliseconds < 1.0 ? 4 : milliseconds < 100.0 ? 2 : 0;
    return fixedText(milliseconds, decimals) + " ms";
}

/// The value of OPENBLAS_CORETYPE where the user set it, which overrules the choice of kernels.
std::optional<std::string> coreTypeVariable() {
    const char* value = std::getenv("OPENBLAS_CORETYPE");
    return value != nullptr && !wereBlasKernelsMissed() ? std::optional<std::string>(value)
                                                        : std::nullopt;
}

void printMeasurements(const Model& model, const BenchOptions& options,
                       const std::vector<Measurement>& all) {
    std::vector<Row> head{
        {"model", model.name + ", " + byteText(model.report.weight_bytes) + " of weights"},
        {"kernels", blasDescription()},
        {"repeats", std::to_string(options.repeats) + " after one to warm up"}};
    if (const auto variable = coreTypeVariable())
        head.push_back({"warning", "OPENBLAS_CORETYPE=" + *variable +
                                       " overrules the kernels OpenBLAS would choose"});
    printRows(std::cout, head);
    std::cout << '\n';
    std::vector<Row> rows{
        {"tokens", "what", "median", "fastest", "× floor", "memory beyond the weights"}};
    for (const Measurement& measured : all) {
        const auto ratio = timesFloor(measured, all);
        rows.push_back({std::to_string(measured.tokens), std::string(measured.benchmark->name),
                        millisecondsText(measured.median()),
                        millisecondsText(measured.seconds.front()),
                        ratio ? fixedText(*ratio, 2) : "–",
                        measured.peak_bytes ? byteText(*measured.peak_bytes) : "–"});
    }
    printRows(std::cout, rows);
}

Record measurementsRecord(const Model& model, const std::vector<Measurement>& all) {
    List list;
    for (const Measurement& measured : all)
        list.push_back(Record{{"median_seconds", measured.median()},
                              {"peak_bytes", measured.peak_bytes},
                              {"seconds", listOf(measured.seconds)},
                              {"times_floor", timesFloor(measured, all)},
                              {"tokens", measured.tokens},
                              {"what", measured.benchmark->name}});
    return {{"kernels", blasDescription()},
            {"measurements", std::move(list)},
            {"model", model.name},
            {"openblas_coretype", coreTypeVariable()},
            {"threads", threads()},
            {"version", HEADSCOPE_VERSION},
            {"weight_bytes", model.report.weight_bytes}};
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
    if (options.json)
        printData(recordJson(measurementsRecord(**model, *measured)));
    else
        printMeasurements(**model, options, *measured);
    return {};
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
    app->add_option("--dtype", options->format, "How those weights lie in memory: f32, f16 or bf16")
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
    app->add_flag("--json", options->json, "Print JSON");
    app->parse_complete_callback([options] { checkBenchUsage(*options); });
    return {app, [options] { return runBench(*options); }};
}

} // namespace headscope::cli
