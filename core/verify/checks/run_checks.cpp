#include "core/verify/checks/run_checks.h"

#include "core/engine/engine.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "core/verify/checks/check.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace headscope {

namespace {

/// Inputs of single heads. While they are looked at, the norm before them fires for each of them.
bool isHeadInput(HookKind kind) {
    return kind == HookKind::AttnIn || kind == HookKind::QInput || kind == HookKind::KInput ||
           kind == HookKind::VInput;
}

/// Calls add(hooks, point) for the hook points that are inputs of heads, or for all others.
template <class Add>
HookSet atEveryPoint(const ModelSpec& spec, bool head_inputs, Add add) {
    HookSet hooks;
    for (const HookPoint point : hookPoints(spec))
        if (isHeadInput(point.kind) == head_inputs)
            add(hooks, point);
    return hooks;
}

std::string countOf(std::size_t count, std::size_t total, const std::string& what) {
    return std::to_string(count) + " of " + std::to_string(total) + " " + what;
}

/// Written from the definition. A causal query sees itself and what comes before; in a layer with a
/// window, only the last `window` of these. Other queries see all keys, or there those around them.
bool isVisible(const ModelSpec& spec, std::size_t layer, std::size_t query, std::size_t key) {
    const std::size_t window = spec.window(layer);
    if (!spec.causal)
        return window == 0 || (query < key ? key - query : query - key) <= window / 2;
    return key <= query && (window == 0 || query - key < window);
}

/// What the patterns of a run break.
struct PatternFaults {
    double row_sum = 0.0;          ///< largest |Σ_k A[q, k] − 1|, with what a learned sink takes
    double hidden = 0.0;           ///< largest |A[q, k]| of a masked entry
    std::size_t masked = 0;        ///< number of masked entries
    std::size_t beyond_window = 0; ///< of these, by a window

    void look(const Run& run, LayerHead head) {
        const ModelSpec& spec = run.model->spec;
        const std::size_t layer = head.layer;
        const Tensor pattern = run.pattern(head);
        const std::vector<float> sink = run.sinkWeights(head);
        for (std::size_t q = 0; q < pattern.dim(0); ++q) {
            double sum = sink.empty() ? 0.0 : static_cast<double>(sink[q]);
            for (std::size_t k = 0; k < pattern.dim(1); ++k) {
                const double weight = pattern(q, k);
                sum += weight;
                if (isVisible(spec, layer, q, k))
                    continue;
                ++masked;
                beyond_window += !spec.causal || k <= q ? 1 : 0;
                hidden = std::abs(weight) <= hidden ? hidden : std::abs(weight);
            }
            const double error = std::abs(sum - 1.0);
            row_sum = error <= row_sum ? row_sum : error;
        }
    }
};

Check windowCheck(const ModelSpec& spec, const PatternFaults& faults) {
    const std::string name = "Windows are respected";
    if (std::ranges::count(spec.windows, std::size_t{0}) ==
        static_cast<std::ptrdiff_t>(spec.windows.size()))
        return notApplicable(name, "No layer of this network has a window.");
    if (faults.beyond_window == 0)
        return notApplicable(name, "The windows are longer than the prompts of these checks.");
    return checkOf(name, faults.hidden == 0.0, "0 beyond the window", figureText(faults.hidden),
                   std::to_string(faults.beyond_window) + " entries lie beyond a window.");
}

constexpr double kSettingTolerance = 1e-5; ///< float32 sums in another order

/// Puts threads and kernels back as they were.
class KeptSettings {
public:
    KeptSettings() = default;
    ~KeptSettings() {
        setThreads(threads_);
        useKernels(kernels_);
    }
    KeptSettings(const KeptSettings&) = delete;
    KeptSettings& operator=(const KeptSettings&) = delete;

private:
    std::size_t threads_ = threads();
    std::string_view kernels_ = kernels().name;
};

Result<Tensor> outputs(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                       const std::stop_token& stop) {
    HookSet hooks;
    addOutputHooks(hooks, model->spec);
    const auto run = runModel(model, ids, {}, hooks, stop);
    if (!run)
        return run.error();
    return outputOf(**run);
}

} // namespace

Check firedCheck(std::span<const HookAudit> audit, std::size_t misshapen) {
    const auto once =
        static_cast<std::size_t>(std::ranges::count(audit, std::size_t{1}, &HookAudit::fired));
    std::string measured = countOf(once, audit.size(), "fired once");
    if (misshapen > 0)
        measured += ", " + std::to_string(misshapen) + " in another shape";
    return checkOf("Every hook point fires", once == audit.size() && misshapen == 0,
                   countOf(audit.size(), audit.size(), "fire once, in their shape"), measured,
                   "A hook that did not fire would make an intervention look harmless.");
}

Check identityEditCheck(std::span<const WatchedAndEdited> runs) {
    std::size_t changed = 0;
    double difference = 0.0;
    for (const auto& [watched, edited] : runs) {
        for (const HookAudit& audit : edited->audit)
            changed += audit.changed_elements;
        const double found = largestDifference(outputOf(*edited), outputOf(*watched));
        difference = found <= difference ? difference : found;
    }
    return checkOf(
        "An edit that changes nothing changes nothing", changed == 0 && difference == 0.0,
        "0 elements changed, outputs equal to the bit",
        std::to_string(changed) + " elements changed, outputs " +
            (difference == 0.0 ? "equal to the bit" : "differ by " + figureText(difference)),
        "Compared with a run in which the same points are only watched.");
}

Result<std::vector<Check>> hookChecks(const std::shared_ptr<const Model>& model,
                                      const TokenIds& ids, const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    std::size_t misshapen = 0;
    std::vector<HookAudit> audit;
    std::vector<WatchedAndEdited> runs;
    runs.reserve(2);
    for (const bool head_inputs : {false, true}) {
        HookSet observers = atEveryPoint(spec, head_inputs, [&](HookSet& hooks, HookPoint at) {
            hooks.observe(at, [&](HookPoint point, const TensorView& value) {
                misshapen += value.shape != hookShape(spec, point, ids.size()) ? 1 : 0;
            });
        });
        HookSet editors = atEveryPoint(spec, head_inputs, [](HookSet& hooks, HookPoint at) {
            hooks.edit(at, [](HookPoint, const MutableTensorView&) {});
        });
        const std::size_t points = observers.hooks().size();
        addOutputHooks(observers, spec);
        addOutputHooks(editors, spec);
        const auto watched = runModel(model, ids, {}, observers, stop);
        if (!watched)
            return watched.error();
        const auto edited = runModel(model, ids, {}, editors, stop);
        if (!edited)
            return edited.error();
        const auto& fired = (*watched)->audit;
        audit.insert(audit.end(), fired.begin(),
                     fired.begin() + static_cast<std::ptrdiff_t>(points));
        runs.push_back({*watched, *edited});
    }
    return std::vector{firedCheck(audit, misshapen), identityEditCheck(runs)};
}

std::vector<Check> patternChecks(const Run& run) {
    const ModelSpec& spec = run.model->spec;
    PatternFaults faults;
    for (const LayerHead head : spec.allHeads())
        faults.look(run, head);
    std::vector<Check> checks{
        checkAtMost("Rows of attention patterns sum to 1", faults.row_sum, 1e-5,
                    spec.learned_sinks ? "Largest |Σ_k A[q, k] + learned sink − 1| of all heads."
                                       : "Largest |Σ_k A[q, k] − 1| of all heads.")};
    checks.push_back(
        spec.causal || faults.masked != 0
            ? checkOf("Masked entries are 0", faults.hidden == 0.0, "0", figureText(faults.hidden),
                      "Largest of " + std::to_string(faults.masked) + " masked entries.")
            : notApplicable("Masked entries are 0", "A bidirectional network masks none."));
    checks.push_back(windowCheck(spec, faults));
    return checks;
}

Check laterTokenCheck(bool causal, const Tensor& before, const Tensor& after, std::size_t changed) {
    constexpr double kSame = 1e-6;
    double scale = 0.0;
    double earlier = 0.0;
    for (std::size_t t = 0; t < changed; ++t) {
        for (std::size_t c = 0; c < before.dim(1); ++c) {
            scale = std::max(scale, std::abs(double{before(t, c)}));
            const double difference = std::abs(double{after(t, c)} - double{before(t, c)});
            earlier = difference <= earlier ? earlier : difference;
        }
    }
    const double relative = scale > 0.0 ? earlier / scale : earlier;
    if (causal)
        return checkAtMost("A later token changes no earlier output", relative, kSame,
                           "The token at position " + std::to_string(changed) +
                               " is replaced; outputs before it, over their largest value.");
    return checkOf("A later token changes earlier outputs", relative > kSame,
                   "more than " + figureText(kSame), figureText(relative),
                   "This network is bidirectional. The token at position " +
                       std::to_string(changed) + " is replaced.");
}

Result<std::vector<Check>> maskChecks(const std::shared_ptr<const Model>& model,
                                      const TokenIds& ids, const std::stop_token& stop) {
    HookSet hooks;
    addOutputHooks(hooks, model->spec);
    const auto before = runModel(model, ids, {}, hooks, stop);
    if (!before)
        return before.error();
    auto checks = patternChecks(**before);
    const std::string name = "A later token changes no earlier output";
    if (ids.size() < 2) {
        checks.push_back(notApplicable(name, "The context of this network holds one token."));
        return checks;
    }
    TokenIds other = ids;
    const std::size_t changed = ids.size() / 2;
    other[changed] =
        static_cast<TokenId>((static_cast<std::size_t>(ids[changed]) + 1) % model->spec.d_vocab);
    const auto after = runModel(model, other, {}, hooks, stop);
    if (!after)
        return after.error();
    checks.push_back(
        laterTokenCheck(model->spec.causal, outputOf(**before), outputOf(**after), changed));
    return checks;
}

Check sameOutputCheck(std::string name, const Tensor& found, const Tensor& expected) {
    return checkAtMost(std::move(name), relativeDifference(found, expected), kSettingTolerance,
                       "Largest difference of the outputs over the largest output.");
}

Result<std::vector<Check>> settingChecks(const std::shared_ptr<const Model>& model,
                                         const TokenIds& ids, const std::stop_token& stop) {
    const KeptSettings kept;
    setThreads(1);
    const auto one = outputs(model, ids, stop);
    if (!one)
        return one.error();
    setThreads(2);
    const auto two = outputs(model, ids, stop);
    if (!two)
        return two.error();
    setThreads(1);
    std::vector<Check> checks{sameOutputCheck("Two threads give what one gives", *two, *one)};
    checks.reserve(1 + kernelNames().size());
    for (const std::string_view name : kernelNames()) {
        useKernels(name);
        const auto found = outputs(model, ids, stop);
        if (!found)
            return found.error();
        checks.push_back(
            sameOutputCheck("The " + kernelDescription() + " give the same", *found, *one));
    }
    return checks;
}

} // namespace headscope
