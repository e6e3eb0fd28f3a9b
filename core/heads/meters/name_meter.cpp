#include "core/heads/meters/name_meter.h"

#include "core/engine/attention.h"
#include "core/heads/meters/content.h"
#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

class NameMeter : public Meter {
public:
    NameMeter(ModelSpec spec, std::size_t positions, std::shared_ptr<const NameTask> task,
              NameLook look)
        : spec_(std::move(spec)), positions_(positions), task_(std::move(task)), look_(look),
          seen_(headIndex(spec_)) {}

    void observe(const PatternBlock& block) override {
        if (!block.queries.contains(look_.query))
            return;
        const float* const row = block.weights.row(look_.query - block.queries.begin);
        const double on_key = block.keys.contains(look_.key)
                                  ? static_cast<double>(row[look_.key - block.keys.begin])
                                  : 0.0;
        seen_[block.head] = {on_key, contentOfRow(row, block.keys)};
    }

    Measurement measurement() const override {
        Measurement found{1.0, PerHead<Reading>(seen_.heads())};
        const double written_by_chance =
            !look_.writes ? 1.0
                          : std::min(1.0, static_cast<double>(kBestLogits) /
                                              static_cast<double>(spec_.d_vocab));
        for (const LayerHead head : seen_.heads()) {
            const auto [on_key, content] = seen_[head];
            const bool counts = !look_.writes || (*look_.writes)[head] || std::isnan(on_key);
            const double share =
                isRoundingOfRows(content, 1.0, positions_) ? 0.0 : on_key / content;
            found.heads[head] = {content, counts ? share : 0.0,
                                 evenShare(head.layer) * written_by_chance, on_key};
        }
        return found;
    }

private:
    /// Attention of the query that is read.
    struct Seen {
        double on_key = 0.0;
        double content = 0.0; ///< on all keys but position 0
    };

    double evenShare(std::size_t layer) const {
        const PositionRange visible = keyMask(spec_, layer).visibleKeys(look_.query, positions_);
        const std::size_t content = visible.size() - (visible.contains(0) ? 1 : 0);
        return visible.contains(look_.key) ? 1.0 / static_cast<double>(content) : 0.0;
    }

    ModelSpec spec_;
    std::size_t positions_;
    std::shared_ptr<const NameTask> task_; ///< which look_ points into
    NameLook look_;
    PerHead<Seen> seen_;
};

} // namespace

std::unique_ptr<Meter> nameMeter(const ModelSpec& spec, const InputSequence& sequence,
                                 NameLook (*look)(const NameTask& task)) {
    if (!sequence.names)
        return nullptr;
    return std::make_unique<NameMeter>(spec, sequence.ids.size(), sequence.names,
                                       look(*sequence.names));
}

} // namespace headscope
