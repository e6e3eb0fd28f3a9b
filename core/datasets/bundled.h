#pragma once

#include "core/datasets/sentence.h"

#include <string_view>
#include <vector>

namespace headscope {

/// The sentences of resources/datasets/sentences.conllu, which the program carries inside itself.
/// Thread-safe; read on the first call.
const std::vector<Sentence>& bundledSentences();

/// The bytes of resources/datasets/sentences.conllu as they were when the program was built.
std::string_view bundledText();

/// The bytes of resources/datasets/calibration.txt and test.txt: twelve documents each, parted by
/// lines of "<|endoftext|>", none in both.
std::string_view bundledCalibrationText();
std::string_view bundledTestText();

} // namespace headscope
