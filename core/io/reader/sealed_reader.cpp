#include "core/io/sealed_reader.h"

#include "core/io/reader/gguf_listing.h"
#include "core/io/reader/sealed_service.h"
#include "core/io/reader/text_answers.h"
#include "core/io/reader/zip_listing.h"

#include <array>
#include <cstddef>
#include <span>

namespace headscope {

int runSealedReader(int argc, char** argv) {
    constexpr std::array services{Service{.parser = Parser::Text, .reply = &answerAboutTexts},
                                  Service{Parser::Gguf, &describeGguf},
                                  Service{Parser::Zip, &describeZip}};
    return serveSealed(std::span(argv, static_cast<std::size_t>(argc)), services);
}

} // namespace headscope
