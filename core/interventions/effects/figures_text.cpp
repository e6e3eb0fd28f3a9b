#include "core/interventions/effects/figures_text.h"

#include "core/base/text.h"

#include <array>
#include <charconv>

namespace headscope {

namespace {

constexpr int kDecimals = 3;

std::string decimals(double value) {
    const std::string text = fixedText(value, kDecimals);
    return text == fixedText(-0.0, kDecimals) ? fixedText(0.0, kDecimals) : text;
}

} // namespace

std::string natsText(double value) {
    return decimals(value) + " nats";
}

std::string leastText(double least) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), least, std::chars_format::general, 2);
    return std::string(text.data(), end.ptr) + " nats";
}

std::string spreadText(Interval interval, std::size_t sequences) {
    const std::string counted_text = counted(sequences, "sequence");
    if (sequences < 2)
        return " (" + counted_text + ")";
    return " (95 % " + decimals(interval.low) + " to " + decimals(interval.high) + ", " +
           counted_text + ")";
}

} // namespace headscope
