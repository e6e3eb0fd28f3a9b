#include "core/probes/bundled.h"

#include "core/probes/bundled_text.h"
#include "core/probes/conllu.h"

namespace headscope {

const std::vector<Sentence>& bundledSentences() {
    // The test of the bundled sentences sees to it that they can be read.
    static const std::vector<Sentence> sentences =
        *readConllu(bundledText(), "the bundled sentences");
    return sentences;
}

} // namespace headscope
