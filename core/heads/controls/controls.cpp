#include "core/heads/controls/controls.h"

#include "core/heads/mean_interval.h"
#include "core/heads/needles.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// The places of the tokens that are put in random order: content that is no special token, of a
/// repeat the second copy.
std::vector<std::size_t> placesToShuffle(const Model& model, const InputSequence& sequence) {
    std::vector<std::size_t> places;
    for (std::size_t i = sequence.firstContent() + sequence.period.value_or(0);
         i < sequence.ids.size(); ++i)
        if (!model.tokenizer || !model.tokenizer->isSpecial(sequence.ids[i]))
            places.push_back(i);
    return places;
}

std::optional<TokenIds> shuffled(const Model& model, const InputSequence& sequence,
                                 Random& random) {
    const std::vector<std::size_t> places = placesToShuffle(model, sequence);
    if (places.size() < 2)
        return std::nullopt;
    TokenIds ids = sequence.ids;
    // No token keeps its place (Sattolo 1986).
    for (std::size_t i = places.size() - 1; i > 0; --i)
        std::swap(ids[places[i]], ids[places[random.below(i)]]);
    return ids;
}

std::optional<TokenIds> withThreeNames(const InputSequence& sequence) {
    return sequence.names ? std::optional(sequence.names->abc_ids) : std::nullopt;
}

std::optional<TokenIds> withShuffledNeedle(const InputSequence& sequence) {
    return sequence.needle ? std::optional(sequence.needle->shuffled_ids) : std::nullopt;
}

constexpr ControlInput kChangedInputs[] = {ControlInput::Shuffled, ControlInput::ThreeNames,
                                           ControlInput::ShuffledNeedle};

/// What was read of one sequence and of its controls.
struct Controlled {
    std::size_t place = 0;
    SequenceReading controls;
};

/// Runs batches of sequences with their controls.
class ControlledRuns {
public:
    ControlledRuns(const std::shared_ptr<const Model>& model,
                   std::span<const InputSequence> sequences, std::size_t every, std::uint64_t seed,
                   std::span<const HeadTypeId> types)
        : model_(model), sequences_(sequences), every_(every), random_(seed), types_(types) {}

    Result<void> run(std::size_t first, std::size_t count, const std::stop_token& stop) {
        std::deque<SequenceMeters> meters; // the runs keep pointers
        std::deque<TokenIds> changed;
        std::vector<MeteredRun> runs;
        std::vector<SequenceMeters*> of_types;
        std::vector<std::pair<std::size_t, SequenceMeters*>> of_controls;
        for (std::size_t place = first; place < first + count; ++place) {
            const InputSequence& sequence = sequences_[place];
            of_types.push_back(&meters.emplace_back(model_, sequence, types_));
            SequenceMeters& same = meters.emplace_back(
                SequenceMeters::ofControls(model_, sequence, ControlInput::Same, types_));
            of_controls.emplace_back(place, &same);
            runs.push_back({&sequence.ids, {of_types.back(), &same}});
            if (place % every_ != 0)
                continue;
            for (const ControlInput input : kChangedInputs) {
                auto control = SequenceMeters::ofControls(model_, sequence, input, types_);
                if (control.empty())
                    continue;
                auto ids = controlIds(*model_, sequence, input, random_);
                if (!ids)
                    continue;
                of_controls.emplace_back(place, &meters.emplace_back(std::move(control)));
                runs.push_back(
                    {&changed.emplace_back(*std::move(ids)), {of_controls.back().second}});
            }
        }
        if (const auto ran = runMetered(model_, runs, stop); !ran)
            return ran.error();
        for (const SequenceMeters* each : of_types)
            readings_.push_back(each->measurements());
        for (const auto& [place, each] : of_controls)
            controls_.push_back({place, each->measurements()});
        return {};
    }

    HeadScores scores(const std::string& input) const {
        HeadScores scores = scoresOfReadings(model_->spec, sequences_, input, readings_);
        for (const HeadTypeId id : scores.types)
            if (headType(id).control)
                scores.takeControl(id, controlScores(id));
        return scores;
    }

private:
    /// The control over the sequences that have one for this type: each sequence counts as its
    /// score does.
    PerHead<ControlScore> controlScores(HeadTypeId id) const {
        PerHead<ControlScore> found(headIndex(model_->spec));
        for (const LayerHead head : found.heads()) {
            std::vector<double> controls;
            std::vector<double> differences;
            std::vector<double> weights;
            for (const auto& [place, read] : controls_) {
                const auto control = read.find(id);
                const auto own = readings_[place].find(id);
                if (control == read.end() || own == readings_[place].end())
                    continue;
                const Reading& of_type = own->second.heads[head];
                controls.push_back(control->second.heads[head].score);
                differences.push_back(of_type.score - controls.back());
                weights.push_back(of_type.weight);
            }
            constexpr double kError = 0.05;
            found[head] = {weightedMean(controls, weights),
                           meanInterval(differences, weights, kError).low};
        }
        return found;
    }

    const std::shared_ptr<const Model>& model_;
    std::span<const InputSequence> sequences_;
    std::size_t every_;
    Random random_;
    std::span<const HeadTypeId> types_;
    std::vector<SequenceReading> readings_;
    std::vector<Controlled> controls_;
};

} // namespace

std::optional<TokenIds> controlIds(const Model& model, const InputSequence& sequence,
                                   ControlInput input, Random& random) {
    switch (input) {
    case ControlInput::Same:
        return sequence.ids;
    case ControlInput::Shuffled:
        return shuffled(model, sequence, random);
    case ControlInput::ThreeNames:
        return withThreeNames(sequence);
    case ControlInput::ShuffledNeedle:
        return withShuffledNeedle(sequence);
    }
    return std::nullopt;
}

Result<HeadScores> scoreWithControls(const std::shared_ptr<const Model>& model,
                                     std::span<const InputSequence> sequences,
                                     const std::string& input, std::size_t every,
                                     std::uint64_t seed, const Progress& progress,
                                     const std::stop_token& stop,
                                     std::span<const HeadTypeId> types) {
    if (const auto checked = checkSequences(sequences); !checked)
        return checked.error();
    ControlledRuns runs(model, sequences, every, seed, types);
    for (std::size_t first = 0; first < sequences.size();) {
        reportSequence(progress, first, sequences.size());
        const std::size_t count = sequencesPerBatch(sequences, first);
        if (const auto ran = runs.run(first, count, stop); !ran)
            return ran.error();
        first += count;
    }
    report(progress, 1.0, "scoring heads");
    return runs.scores(input);
}

} // namespace headscope
