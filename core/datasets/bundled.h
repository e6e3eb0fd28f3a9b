#pragma once

#include "core/datasets/conllu.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// Bytes of a text that is read from a file; what a tokenizer takes at once.
inline constexpr std::size_t kLargestText = 50'000'000;

/// The line between two documents of a text; it holds nothing else.
inline constexpr std::string_view kDocumentBreak = "<|endoftext|>";

/// The documents of a text, parted by lines of kDocumentBreak; those of blanks alone are left out.
std::vector<std::string_view> documentsOf(std::string_view text);

/// The sentences of resources/datasets/sentences.conllu, which the program carries inside itself.
/// Thread-safe; read on the first call.
const std::vector<Sentence>& bundledSentences();

/// The bytes of resources/datasets/sentences.conllu as they were when the program was built.
std::string_view bundledText();

/// The bytes of resources/datasets/calibration.txt and test.txt: twelve documents each, parted by
/// lines of "<|endoftext|>", none in both.
std::string_view bundledCalibrationText();
std::string_view bundledTestText();

/// The bytes of resources/datasets/styles.txt: 24 short documents of as many styles, stories,
/// manuals, letters and programs among them, parted in the same way.
std::string_view bundledStylesText();

/// The bytes of resources/datasets/stories.txt, manual.txt and encyclopedia.txt, which were written
/// for Headscope.
std::string_view storiesText();
std::string_view manualText();
std::string_view encyclopediaText();

/// A kind of text in two parts that share no document.
struct TextDomain {
    std::string name; ///< "stories"
    std::string calibration;
    std::string test;
};

/// stories, manual, encyclopedia: resources/datasets/NAME.txt, whose documents take turns; novel
/// and verse: those of calibration.txt and test.txt. Thread-safe; made on the first call.
const std::vector<TextDomain>& bundledDomains();

} // namespace headscope
