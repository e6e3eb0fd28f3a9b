// Starts a job, asks it to stop and tells how long it goes on: `JOB SECONDS` a line on its standard
// input, the time after which the stop is asked for. It answers with a line for each: milliseconds
// from the request to the end of the job, then "stopped", "done" where it was faster, or "failed"
// and why. Without arguments it names the jobs.

#include "core/base/random.h"
#include "core/base/utf8.h"
#include "core/circuits/composition.h"
#include "core/circuits/copying.h"
#include "core/engine/engine.h"
#include "core/engine/generate.h"
#include "core/export/convert_model.h"
#include "core/heads/corpus_scan.h"
#include "core/heads/score_heads.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/path_patching.h"
#include "core/interventions/prompt_set.h"
#include "core/interventions/sweep.h"
#include "core/interventions/token_dependence.h"
#include "core/loading/load_model.h"
#include "core/pruning/pruning_curve.h"
#include "core/similarity/head_similarity.h"
#include "core/verify/verify.h"

#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <thread>

namespace {

using namespace headscope;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPromptTokens = 120;
constexpr std::size_t kPrompts = 200;

/// What the jobs are about.
struct Subject {
    std::filesystem::path path;
    std::filesystem::path scratch; ///< a folder
    std::shared_ptr<const Model> model;
    TokenIds ids;
    TokenIds other; ///< of the same length

    TokenIds randomIds(std::uint64_t seed) const {
        Random random(seed);
        TokenIds drawn(std::min(kPromptTokens, model->spec.n_ctx));
        for (TokenId& id : drawn)
            id = static_cast<TokenId>(random.below(model->spec.d_vocab));
        return drawn;
    }
};

using Job = Result<void> (*)(const Subject& about, const std::stop_token& stop);

template <typename Value>
Result<void> outcome(const Result<Value>& result) {
    return result ? Result<void>() : result.error();
}

const std::map<std::string, Job> kJobs{
    {"open",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(loadModel(about.path, {}, {}, stop));
     }},
    {"convert",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(convertModel(about.path, about.scratch / "converted.h5",
                                     FloatFormat::Float32, {}, {}, stop));
     }},
    {"run",
     [](const Subject& about, const std::stop_token& stop) {
         Request request;
         request.logits = true;
         return outcome(runModel(about.model, about.ids, request, {}, stop));
     }},
    {"generate",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(generate(about.model, {1, 2, 3}, {.tokens = kPromptTokens}, {}, stop));
     }},
    {"heads",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(scoreHeads(about.model, {}, {}, stop));
     }},
    {"examples",
     [](const Subject& about, const std::stop_token& stop) {
         std::vector<InputSequence> sequences(kPrompts);
         for (std::size_t i = 0; i < sequences.size(); ++i)
             sequences[i].ids = about.randomIds(i);
         return outcome(scanCorpus(about.model, sequences, {}, {}, stop));
     }},
    {"prompts",
     [](const Subject& about, const std::stop_token& stop) {
         PromptSet set;
         for (std::size_t i = 0; i < kPrompts; ++i)
             if (auto prompt = promptFromIds(*about.model, about.randomIds(i), BosMode::No))
                 set.prompts.push_back(*std::move(prompt));
         return outcome(runPromptSet(about.model, std::move(set), {}, {}, stop));
     }},
    {"sweep",
     [](const Subject& about, const std::stop_token& stop) {
         SweepQuestion question;
         question.prompts = {about.ids, about.other};
         return outcome(sweepHeads(about.model, question, {}, stop));
     }},
    {"patch",
     [](const Subject& about, const std::stop_token& stop) {
         PatchQuestion question;
         question.clean = about.ids;
         question.corrupted = about.other;
         question.by_position = true;
         return outcome(patchActivations(about.model, question, {}, stop));
     }},
    {"paths",
     [](const Subject& about, const std::stop_token& stop) {
         PathQuestion question;
         question.original = about.ids;
         question.other = about.other;
         return outcome(patchPaths(about.model, question, {}, stop));
     }},
    {"edges",
     [](const Subject& about, const std::stop_token& stop) {
         EdgeQuestion question;
         question.clean = about.ids;
         question.corrupted = about.other;
         question.estimate = EdgeEstimate::Integrated;
         question.steps = 20;
         return outcome(attributeEdges(about.model, question, {}, stop));
     }},
    {"tokens",
     [](const Subject& about, const std::stop_token& stop) {
         TokenQuestion question;
         question.ids = about.ids;
         return outcome(tokenDependence(about.model, question, {}, stop));
     }},
    {"similarity",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(compareHeads(about.model, {}, {}, stop));
     }},
    {"composition",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(compositionScores(foldWeights(about.model), {}, {}, stop));
     }},
    {"copying",
     [](const Subject& about, const std::stop_token& stop) {
         return outcome(copyingScores(foldWeights(about.model), {}, stop));
     }},
    {"prune",
     [](const Subject& about, const std::stop_token& stop) {
         const PassageOptions options = withinContext({}, *about.model);
         const auto calibration = readPassages(*about.model, bundledCalibration(), options);
         const auto test = readPassages(*about.model, bundledTest(), options);
         if (!calibration || !test)
             return outcome(calibration ? test : calibration);
         PruningQuestion question;
         question.orders = {{.kind = OrderKind::Gradient}, {.kind = OrderKind::Wanda}};
         return outcome(pruneAndMeasure(about.model, *calibration, *test, question, {}, {}, stop));
     }},
    {"verify",
     [](const Subject& about, const std::stop_token& stop) {
         VerifyOptions options;
         options.model = about.model;
         return outcome(verify(options, {}, stop));
     }},
};

void tell(const std::string& job, double seconds, const Subject& about) {
    std::stop_source stop;
    Clock::time_point asked;
    std::jthread asking([&](const std::stop_token& is_done) {
        const auto moment = Clock::now() + std::chrono::duration<double>(seconds);
        while (!is_done.stop_requested() && Clock::now() < moment)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        asked = Clock::now();
        stop.request_stop();
    });
    const auto ended = kJobs.at(job)(about, stop.get_token());
    const auto end = Clock::now();
    asking.request_stop();
    asking.join();
    std::cout << std::chrono::duration<double, std::milli>(end - asked).count() << ' ';
    if (ended)
        std::cout << "done" << std::endl;
    else if (ended.error().code == ErrorCode::Cancelled)
        std::cout << "stopped" << std::endl;
    else
        std::cout << "failed " << escapeControls(ended.error().message) << std::endl;
}

} // namespace

/// MODEL and a folder to write in.
int main(int argc, char** argv) {
    if (argc != 3) {
        for (const auto& [name, job] : kJobs)
            std::cout << name << '\n';
        return 0;
    }
    const auto model = loadModel(argv[1]);
    if (!model) {
        std::cerr << model.error().message << '\n';
        return 1;
    }
    Subject about{argv[1], argv[2], *model, {}, {}};
    about.ids = about.randomIds(1);
    about.other = about.randomIds(2);
    std::string job;
    for (double seconds = 0.0; std::cin >> job >> seconds;)
        tell(job, seconds, about);
    return 0;
}
