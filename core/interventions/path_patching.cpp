#include "core/interventions/path_patching.h"

#include "core/base/text.h"
#include "core/engine/head_mask.h"
#include "core/interventions/runs/kept_run.h"
#include "core/tensor/rounding.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace headscope {

namespace {

constexpr std::string_view kInputs = "qkv"; // in the order of AttentionInput

using SharedTensor = std::shared_ptr<const Tensor>;

HookPoint pointOf(const Receiver& receiver) {
    switch (receiver.input) {
    case AttentionInput::Q:
        return {HookKind::Q, receiver.head.layer};
    case AttentionInput::K:
        return {HookKind::K, receiver.head.layer};
    case AttentionInput::V:
        break;
    }
    return {HookKind::V, receiver.head.layer};
}

/// Its place on the head axis of hook_q, hook_k or hook_v.
std::size_t indexOf(const Receiver& receiver, const ModelSpec& spec) {
    return receiver.input == AttentionInput::Q ? spec.headPlace(receiver.head)
                                               : spec.kvPlace(receiver.head);
}

/// Replaces the head at a place of [position, head, d_head].
HookSet::Editor replaceHead(SharedTensor with, std::size_t place) {
    return [with = std::move(with), place](HookPoint, const MutableTensorView& value) {
        for (std::size_t position = 0; position < value.shape[0]; ++position)
            std::copy_n(&with->view()(position, place, 0), value.shape[2],
                        &value(position, place, 0));
    };
}

HookSet::Editor replaceAll(SharedTensor with) {
    return [with = std::move(with)](HookPoint, const MutableTensorView& value) {
        std::ranges::copy(with->values(), value.data);
    };
}

class PathPatching {
public:
    PathPatching(const std::shared_ptr<const Model>& model, PathResult& result,
                 const Progress& progress, std::stop_token stop)
        : model_(model), spec_(model->spec), question_(result.question), result_(result),
          progress_(progress), stop_(std::move(stop)) {
        first_receiving_ = spec_.n_layers;
        layers_to_record_ = question_.receivers.empty() ? spec_.n_layers : 0;
        for (const Receiver& receiver : question_.receivers) {
            first_receiving_ = std::min(first_receiving_, receiver.head.layer);
            layers_to_record_ = std::max(layers_to_record_, receiver.head.layer + 1);
        }
    }

    Result<void> operator()() {
        chooseSenders();
        if (auto valid = check(); !valid)
            return valid;
        auto metric = PromptMetric::make(question_.metric, spec_, question_.original);
        if (!metric)
            return metric.error();
        auto original =
            keepReferenceRun(model_, question_.original, pointsOfOriginal(), *metric, stop_);
        if (!original)
            return original.error();
        auto other = keepRun(model_, question_.other, pointsOfOther(), &*metric, stop_);
        if (!other)
            return other.error();
        original_ = *std::move(original);
        other_ = *std::move(other);
        result_.original = original_.measured;
        result_.other = other_.measured;
        result_.values.resize(question_.senders.size());
        for (const auto& [layer, senders] : sendersByLayer())
            if (auto patched = patchFrom(layer, senders, *metric); !patched)
                return patched;
        return {};
    }

private:
    void chooseSenders() {
        if (!result_.question.senders.empty())
            return;
        for (const LayerHead head : spec_.allHeads())
            if (head.layer < first_receiving_)
                result_.question.senders.push_back(head);
    }

    Result<void> check() const {
        for (const Receiver& receiver : question_.receivers)
            if (auto exists = checkHead(receiver.head, spec_); !exists)
                return exists;
        if (first_receiving_ == 0)
            return Error{ErrorCode::InvalidArgument,
                         "Nothing can be sent to heads of layer 0, for no head comes before them."};
        for (const LayerHead sender : question_.senders) {
            if (auto exists = checkHead(sender, spec_); !exists)
                return exists;
            if (sender.layer >= first_receiving_)
                return Error{ErrorCode::InvalidArgument,
                             "Head " + headText(sender) + " cannot send to layer " +
                                 std::to_string(first_receiving_) +
                                 "; senders must be in earlier layers than all receivers."};
        }
        return checkSameLength("The original prompt", question_.original, "the other one",
                               question_.other);
    }

    std::map<std::size_t, std::vector<std::size_t>> sendersByLayer() const {
        std::map<std::size_t, std::vector<std::size_t>> by_layer;
        for (std::size_t i = 0; i < question_.senders.size(); ++i)
            by_layer[question_.senders[i].layer].push_back(i);
        return by_layer;
    }

    /// Residuals to resume from, and every z that is frozen.
    std::set<HookPoint> pointsOfOriginal() const {
        const auto by_layer = sendersByLayer();
        std::set<HookPoint> points;
        for (const auto& [layer, senders] : by_layer)
            points.insert({HookKind::ResidPre, layer});
        for (std::size_t layer = by_layer.begin()->first; layer < layers_to_record_; ++layer)
            points.insert({HookKind::Z, layer});
        if (!question_.receivers.empty())
            points.insert({HookKind::ResidPre, first_receiving_});
        return points;
    }

    std::set<HookPoint> pointsOfOther() const {
        std::set<HookPoint> points;
        for (const LayerHead sender : question_.senders)
            points.insert({HookKind::Z, sender.layer});
        return points;
    }

    /// Step 1 for one sender.
    RunItem sending(LayerHead sender) const {
        RunItem item = original_.fromZ(sender.layer);
        const HookPoint z{HookKind::Z, sender.layer};
        item.hooks.edit(z, replaceHead(other_.at(z), spec_.headPlace(sender)));
        for (std::size_t layer = sender.layer + 1; layer < layers_to_record_; ++layer) {
            const HookPoint frozen{HookKind::Z, layer};
            item.hooks.edit(frozen, replaceAll(original_.at(frozen)));
        }
        std::set<HookPoint> recorded;
        for (const Receiver& receiver : question_.receivers)
            recorded.insert(pointOf(receiver));
        for (const HookPoint point : recorded)
            item.hooks.capture(point);
        return item;
    }

    /// Step 2 for one sender.
    RunItem receiving(const KeptRun& recorded) const {
        RunItem item = original_.from(first_receiving_);
        for (const Receiver& receiver : question_.receivers) {
            const HookPoint point = pointOf(receiver);
            item.hooks.edit(point, replaceHead(recorded.at(point), indexOf(receiver, spec_)));
        }
        return item;
    }

    Result<void> patchFrom(std::size_t layer, const std::vector<std::size_t>& senders,
                           const PromptMetric& metric) {
        std::vector<RunItem> items;
        items.reserve(senders.size());
        for (const std::size_t sender : senders)
            items.push_back(sending(question_.senders[sender]));
        std::size_t first_layer = layer;
        if (!question_.receivers.empty()) {
            auto second = record(layer, items);
            if (!second)
                return second.error();
            items = *std::move(second);
            first_layer = first_receiving_;
        }
        const auto values = measureRuns(
            model_, std::move(items), first_layer, metric,
            [this](std::size_t count) { reportFinished(count); }, stop_);
        if (!values)
            return values.error();
        for (std::size_t i = 0; i < senders.size(); ++i)
            result_.values[senders[i]] = (*values)[i];
        return {};
    }

    /// Runs step 1 and returns the items of step 2.
    Result<std::vector<RunItem>> record(std::size_t layer,
                                        const std::vector<RunItem>& items) const {
        Request request;
        request.logits = false;
        request.first_layer = layer;
        request.layers = layers_to_record_;
        request.keep_attention = false;
        const auto runs = runInBatches(model_, items, request, {}, stop_);
        if (!runs)
            return runs.error();
        std::vector<RunItem> second;
        for (const auto& run : *runs)
            second.push_back(receiving({run, 0.0}));
        return second;
    }

    void reportFinished(std::size_t count) {
        finished_ += count;
        const std::size_t total = question_.senders.size();
        report(progress_, static_cast<double>(finished_) / static_cast<double>(total),
               std::to_string(finished_) + " of " + std::to_string(total) + " paths");
    }

    const std::shared_ptr<const Model>& model_;
    const ModelSpec& spec_;
    const PathQuestion& question_;
    PathResult& result_;
    const Progress& progress_;
    std::stop_token stop_;
    std::size_t first_receiving_ = 0;  ///< layer; n_layers for the logits
    std::size_t layers_to_record_ = 0; ///< how many layers step 1 runs
    KeptRun original_;
    KeptRun other_;
    std::size_t finished_ = 0;
};

} // namespace

Result<Receiver> parseReceiver(std::string_view text, const ModelSpec& spec) {
    const std::size_t colon = text.find(':');
    const std::string_view input =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (input.size() != 1 || kInputs.find(input) == std::string_view::npos)
        return Error{ErrorCode::InvalidArgument, "\"" + std::string(text) +
                                                     "\" is no receiver; write LAYER.HEAD:q, :k "
                                                     "or :v, such as 5.3:q, or logits."};
    const auto head = parseHead(text.substr(0, colon), spec);
    if (!head)
        return head.error();
    return Receiver{*head, static_cast<AttentionInput>(kInputs.find(input))};
}

Result<std::vector<Receiver>> parseReceivers(const std::string& text, const ModelSpec& spec) {
    std::vector<Receiver> receivers;
    if (text == "logits")
        return receivers;
    for (const std::string& part : split(text, ',')) {
        const auto receiver = parseReceiver(part, spec);
        if (!receiver)
            return receiver.error();
        receivers.push_back(*receiver);
    }
    return receivers;
}

Result<std::vector<LayerHead>> parseSenders(const std::string& text, const ModelSpec& spec) {
    std::vector<LayerHead> senders;
    if (text == "all")
        return senders;
    const auto mask = parseHeadMask(text, spec, AblationKind::Zero);
    if (!mask)
        return mask.error();
    for (const auto& [head, kind] : mask->heads())
        senders.push_back(head);
    if (senders.empty())
        return Error{ErrorCode::InvalidArgument,
                     "No sender is named; write heads such as 0.1,0.2, or all."};
    return senders;
}

std::string receiverText(const Receiver& receiver) {
    return headText(receiver.head) + ":" + kInputs[static_cast<std::size_t>(receiver.input)];
}

std::string receiversText(const std::vector<Receiver>& receivers) {
    std::vector<std::string> names;
    names.reserve(receivers.size());
    for (const Receiver& receiver : receivers)
        names.push_back(receiverText(receiver));
    return receivers.empty() ? "logits" : join(names, " ");
}

double PathResult::normalised(std::size_t sender) const {
    return shareOfDifference(values[sender], original, other);
}

std::string PathResult::note() const {
    if (areDifferent(original, other))
        return {};
    return "Both prompts give the same " + std::string(metricName(question.metric.kind)) +
           ", so there is no difference to share out and no normalised value.";
}

Result<PathResult> patchPaths(const std::shared_ptr<const Model>& model,
                              const PathQuestion& question, const Progress& progress,
                              std::stop_token stop) {
    PathResult result;
    result.question = question;
    PathPatching patching(model, result, progress, std::move(stop));
    if (auto done = patching(); !done)
        return done.error();
    return result;
}

} // namespace headscope
