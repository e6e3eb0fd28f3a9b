#pragma once

#include "core/base/layer_head.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// The heads of a network in the order in which values per head are stored, [layer, head]. Layers
/// may have different numbers of heads, and heads may be missing between others.
class HeadIndex {
public:
    HeadIndex() = default;
    /// As many heads in every layer.
    HeadIndex(std::size_t layers, std::size_t heads_per_layer) {
        for (std::size_t layer = 0; layer < layers; ++layer)
            first_.push_back(first_.back() + heads_per_layer);
    }
    /// These heads, ascending by layer and head.
    HeadIndex(std::size_t layers, std::span<const LayerHead> heads) {
        for (const LayerHead head : heads)
            numbers_.push_back(head.head);
        for (std::size_t layer = 0; layer < layers; ++layer)
            first_.push_back(first_.back() + static_cast<std::size_t>(std::ranges::count(
                                                 heads, layer, &LayerHead::layer)));
    }

    std::size_t layers() const { return first_.size() - 1; }
    std::size_t heads(std::size_t layer) const { return first_[layer + 1] - first_[layer]; }
    /// All heads of all layers.
    std::size_t size() const { return first_.back(); }

    bool contains(LayerHead head) const {
        if (head.layer >= layers())
            return false;
        return numbers_.empty() ? head.head < heads(head.layer)
                                : std::ranges::binary_search(numbersIn(head.layer), head.head);
    }
    /// Where the heads of a layer begin among all.
    std::size_t firstOf(std::size_t layer) const { return first_[layer]; }
    /// The place of a head among all.
    std::size_t placeOf(LayerHead head) const {
        assert(contains(head));
        if (numbers_.empty())
            return first_[head.layer] + head.head;
        const auto numbers = numbersIn(head.layer);
        return first_[head.layer] +
               static_cast<std::size_t>(std::ranges::lower_bound(numbers, head.head) -
                                        numbers.begin());
    }
    /// The head at a place below size().
    LayerHead at(std::size_t place) const {
        assert(place < size());
        const auto behind = std::upper_bound(first_.begin(), first_.end(), place);
        const auto layer = static_cast<std::size_t>(behind - first_.begin()) - 1;
        return {layer, numbers_.empty() ? place - first_[layer] : numbers_[place]};
    }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = LayerHead;
        using difference_type = std::ptrdiff_t;
        using pointer = const LayerHead*;
        using reference = LayerHead;

        Iterator() = default;
        Iterator(const HeadIndex* index, std::size_t place) : index_(index), place_(place) {}
        LayerHead operator*() const { return index_->at(place_); }
        Iterator& operator++() {
            ++place_;
            return *this;
        }
        Iterator operator++(int) { return {index_, place_++}; }
        bool operator==(const Iterator& other) const { return place_ == other.place_; }

    private:
        const HeadIndex* index_ = nullptr;
        std::size_t place_ = 0;
    };
    /// All heads, layer by layer.
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

    struct Range {
        Iterator first;
        Iterator last;
        Iterator begin() const { return first; }
        Iterator end() const { return last; }
    };
    /// Those of one layer.
    Range in(std::size_t layer) const { return {{this, first_[layer]}, {this, first_[layer + 1]}}; }

    bool operator==(const HeadIndex&) const = default;

private:
    std::span<const std::size_t> numbersIn(std::size_t layer) const {
        return std::span(numbers_).subspan(first_[layer], heads(layer));
    }

    std::vector<std::size_t> first_{0}; ///< [layer + 1]: how many heads come before the layer
    std::vector<std::size_t> numbers_;  ///< of all heads; empty: each layer counts from 0
};

/// One value for each head of a network, [layer, head].
template <class T>
class PerHead {
public:
    PerHead() = default;
    explicit PerHead(HeadIndex index, const T& value = T())
        : index_(std::move(index)), values_(index_.size(), value) {}
    /// As many values as heads, in their order.
    PerHead(HeadIndex index, std::vector<T> values)
        : index_(std::move(index)), values_(std::move(values)) {
        assert(values_.size() == index_.size());
    }

    typename std::vector<T>::reference operator[](LayerHead head) {
        return values_[index_.placeOf(head)];
    }
    typename std::vector<T>::const_reference operator[](LayerHead head) const {
        return values_[index_.placeOf(head)];
    }

    std::span<T> layer(std::size_t layer) {
        return std::span(values_).subspan(index_.firstOf(layer), index_.heads(layer));
    }
    std::span<const T> layer(std::size_t layer) const {
        return std::span(values_).subspan(index_.firstOf(layer), index_.heads(layer));
    }

    /// Which heads these are; for (const LayerHead head : x.heads()).
    const HeadIndex& heads() const { return index_; }
    std::size_t size() const { return values_.size(); }
    const std::vector<T>& values() const { return values_; }

    auto begin() { return values_.begin(); }
    auto end() { return values_.end(); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }

    bool operator==(const PerHead&) const = default;

private:
    HeadIndex index_;
    std::vector<T> values_;
};

} // namespace headscope
