#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace headscope {

/// Bytes of a text that is read from a file; what a tokenizer takes at once.
inline constexpr std::size_t kLargestText = 50'000'000;

/// What stands alone in a line between two documents of a text.
inline constexpr std::string_view kDocumentBreak = "<|endoftext|>";

/// The documents of a text, parted by lines of kDocumentBreak; those of blanks alone are left out.
std::vector<std::string_view> documentsOf(std::string_view text);

} // namespace headscope
