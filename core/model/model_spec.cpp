#include "core/model/model_spec.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace headscope {

bool AbsentParts::hasAttention(std::size_t layer) const {
    return std::ranges::binary_search(attention, layer);
}

bool AbsentParts::hasLn1(std::size_t layer) const {
    return std::ranges::binary_search(ln1, layer);
}

bool ModelSpec::hasLn1(std::size_t layer) const {
    return !std::ranges::binary_search(unnormed_layers, layer);
}

const RotarySpec* ModelSpec::rotaryIn(std::size_t layer) const {
    if (positions != PositionKind::Rotary || std::ranges::binary_search(unrotated_layers, layer))
        return nullptr;
    return window_rotary && window(layer) != 0 ? &*window_rotary : &rotary;
}

bool ModelSpec::hasExperts(std::size_t layer) const {
    return experts && !std::ranges::binary_search(experts->dense_layers, layer);
}

std::size_t ModelSpec::widestMlp() const {
    return experts ? std::max({d_mlp, experts->d_mlp, experts->d_shared}) : d_mlp;
}

std::size_t ModelSpec::headsIn(std::size_t layer) const {
    return kept_heads.empty() ? n_heads : kept_heads[layer].size();
}

std::size_t ModelSpec::kvHeadsIn(std::size_t layer) const {
    return kept_heads.empty() ? n_kv_heads : firstReaders(layer).size();
}

std::size_t ModelSpec::cacheWidth(std::size_t layer) const {
    if (!latent)
        return keyWidth(layer) + valueWidth(layer);
    return headsIn(layer) == 0 ? 0 : latent->d_kv + latent->d_shared;
}

std::size_t ModelSpec::widestLatent() const {
    return latent ? std::max(latent->d_kv, latent->d_queries) : 0;
}

std::vector<LayerHead> ModelSpec::allHeads() const {
    std::vector<LayerHead> heads;
    for (std::size_t layer = 0; layer < n_layers; ++layer)
        for (std::size_t place = 0; place < headsIn(layer); ++place)
            heads.push_back(headAt(layer, place));
    return heads;
}

bool ModelSpec::hasHead(LayerHead head) const {
    if (head.layer >= n_layers)
        return false;
    return kept_heads.empty() ? head.head < n_heads
                              : std::ranges::binary_search(kept_heads[head.layer], head.head);
}

std::size_t ModelSpec::headPlace(LayerHead head) const {
    assert(hasHead(head));
    if (kept_heads.empty())
        return head.head;
    const std::vector<std::size_t>& kept = kept_heads[head.layer];
    return static_cast<std::size_t>(std::ranges::lower_bound(kept, head.head) - kept.begin());
}

LayerHead ModelSpec::headAt(std::size_t layer, std::size_t place) const {
    assert(place < headsIn(layer));
    return {layer, kept_heads.empty() ? place : kept_heads[layer][place]};
}

std::size_t ModelSpec::kvPlace(LayerHead head) const {
    assert(hasHead(head));
    if (kept_heads.empty())
        return kvHeadOf(head);
    const std::vector<std::size_t> first = firstReaders(head.layer);
    const auto behind = std::ranges::upper_bound(first, headPlace(head));
    return static_cast<std::size_t>(behind - first.begin()) - 1;
}

std::vector<std::size_t> ModelSpec::firstReaders(std::size_t layer) const {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < headsIn(layer); ++place)
        if (place == 0 || kvHeadOf(headAt(layer, place)) != kvHeadOf(headAt(layer, place - 1)))
            places.push_back(place);
    return places;
}

std::vector<LayerHead> ModelSpec::groupOf(LayerHead head) const {
    std::vector<LayerHead> group;
    for (std::size_t place = 0; place < headsIn(head.layer); ++place)
        if (const LayerHead other = headAt(head.layer, place); kvHeadOf(other) == kvHeadOf(head))
            group.push_back(other);
    return group;
}

double ModelSpec::queryGrowth(std::size_t position) const {
    if (query_growth == 0.0)
        return 1.0;
    const std::size_t contexts = position / growth_context; // whole ones before it
    return 1.0 + query_growth * std::log(1.0 + static_cast<double>(contexts));
}

std::size_t ModelSpec::segmentAfter(std::span<const TokenId> before) const {
    return segment_separator && std::ranges::count(before, *segment_separator) > 0 ? 1 : 0;
}

std::vector<std::size_t> ModelSpec::segmentsOf(std::span<const TokenId> ids) const {
    std::vector<std::size_t> segments;
    if (n_token_types < 2)
        return segments;
    segments.reserve(ids.size());
    for (std::size_t segment = 0; const TokenId id : ids) {
        segments.push_back(segment);
        segment = id == segment_separator ? 1 : segment;
    }
    return segments;
}

} // namespace headscope
