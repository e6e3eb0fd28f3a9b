#include "core/verify/verify.h"

#include "core/base/random.h"
#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "core/verify/checks/function_checks.h"
#include "core/verify/checks/head_sum_checks.h"
#include "core/verify/checks/induction_circuit.h"
#include "core/verify/checks/published_checks.h"
#include "core/verify/checks/reference_checks.h"
#include "core/verify/checks/run_checks.h"
#include "core/verify/checks/score_checks.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace headscope {

namespace {

using Checks = Result<std::vector<Check>>;

/// A section that is still to be done.
struct Task {
    std::string name;
    std::function<Checks(const Progress& progress)> run;
    /// Without its run there is no report: stored outputs that do not fit are the caller's mistake.
    bool required = false;
};

/// Random tokens, the same each time: 24, or more where a short window shall be left behind.
TokenIds probeIds(const ModelSpec& spec) {
    constexpr std::size_t kTokens = 24;
    constexpr std::size_t kLongestWindow = 256;
    constexpr std::size_t kBeyond = 8;
    std::size_t tokens = kTokens;
    for (const std::size_t window : spec.windows)
        if (window != 0 && window <= kLongestWindow)
            tokens = std::max(tokens, window + kBeyond);
    Random random(0);
    TokenIds ids(std::min(tokens, spec.n_ctx));
    for (TokenId& id : ids)
        id = static_cast<TokenId>(random.below(spec.d_vocab));
    return ids;
}

Checks settingsOrReason(const VerifyOptions& options, const TokenIds& ids,
                        const std::stop_token& stop) {
    if (!options.alone)
        return std::vector{notApplicable("Threads and kernels",
                                         "They belong to the whole program, and the window "
                                         "may be computing; headscope-cli verify checks "
                                         "them.")};
    return settingChecks(options.model, ids, stop);
}

void addModelTasks(std::vector<Task>& tasks, const VerifyOptions& options,
                   const std::stop_token& stop) {
    const auto model = options.model;
    if (const auto runnable = checkRunnable(*model); !runnable) {
        tasks.push_back(
            {"The model", [reason = runnable.error().message](const Progress&) -> Checks {
                 return std::vector{notApplicable("All checks of a run", reason)};
             }});
        return;
    }
    const TokenIds ids = probeIds(model->spec);
    const FunctionOptions function = options.function;
    tasks.push_back({"Hooks", [=](const Progress&) { return hookChecks(model, ids, stop); }});
    tasks.push_back({"Heads and attention's output",
                     [=](const Progress&) { return headSumChecks(model, ids, stop); }});
    tasks.push_back({"Masks", [=](const Progress&) { return maskChecks(model, ids, stop); }});
    tasks.push_back({"Threads and kernels",
                     [=](const Progress&) { return settingsOrReason(options, ids, stop); }});
    if (options.reference)
        tasks.push_back(
            {"Stored outputs",
             [=](const Progress&) { return referenceChecks(model, *options.reference, stop); },
             true});
    tasks.push_back({"Does the file say what the model is?", [=](const Progress& progress) {
                         return functionChecks(model, function, progress, stop);
                     }});
    tasks.push_back(
        {"Published heads", [=](const Progress&) { return publishedChecks(model, stop); }});
}

std::vector<Task> tasksOf(const VerifyOptions& options, const std::stop_token& stop) {
    std::vector<Task> tasks{
        {"Hand-made induction circuit",
         [=](const Progress&) { return circuitChecks(inductionCircuit(), stop); }},
        {"Template scores",
         [](const Progress&) -> Checks { return templateChecks(goldenPattern()); }}};
    if (options.model)
        addModelTasks(tasks, options, stop);
    return tasks;
}

Result<Section> sectionOf(const Task& task, const Progress& progress) {
    auto checks = task.run(progress);
    if (!checks && (task.required || checks.error().code == ErrorCode::Cancelled))
        return checks.error();
    if (!checks)
        checks = std::vector{
            checkOf(task.name, false, "can be checked", "cannot", checks.error().message)};
    return Section{task.name, *std::move(checks)};
}

} // namespace

std::vector<std::string> verifySections(const VerifyOptions& options) {
    std::vector<std::string> names;
    for (const Task& task : tasksOf(options, {}))
        names.push_back(task.name);
    return names;
}

Result<Section> verifySection(const VerifyOptions& options, std::size_t index,
                              const Progress& progress, const std::stop_token& stop) {
    return sectionOf(tasksOf(options, stop)[index], progress);
}

VerifyReport emptyReport(const VerifyOptions& options) {
    VerifyReport report;
    report.app_version = HEADSCOPE_VERSION;
    report.date = options.date;
    report.blas = blasDescription();
    report.kernels = kernelDescription();
    report.threads = threads();
    if (options.model) {
        report.model_name = options.model->name;
        report.model_family = options.model->spec.family;
        report.model_sha256 = options.model->sha256;
        report.model_checked = bool(checkRunnable(*options.model));
    }
    if (options.reference)
        report.reference = options.reference->string();
    return report;
}

Result<VerifyReport> verify(const VerifyOptions& options, const Progress& progress,
                            const std::stop_token& stop) {
    if (options.reference && !options.model)
        return Error{ErrorCode::InvalidArgument, "A reference needs the model it was made with."};
    const std::vector<Task> tasks = tasksOf(options, stop);
    VerifyReport report = emptyReport(options);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto all = static_cast<double>(tasks.size());
        const auto begin = static_cast<double>(i) / all;
        headscope::report(progress, begin, tasks[i].name);
        auto section = sectionOf(tasks[i], partOf(progress, begin, begin + 1.0 / all));
        if (!section)
            return section.error();
        report.sections.push_back(*std::move(section));
    }
    return report;
}

} // namespace headscope
