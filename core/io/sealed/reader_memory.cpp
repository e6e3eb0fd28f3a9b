#include "core/io/sealed/reader_memory.h"

#include "core/base/text.h"
#include "core/io/gguf/header_values.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

namespace headscope {

namespace {

/// What the program and its libraries take by themselves, seen as 160 MB, and room for texts.
constexpr std::size_t kSpareMemory = std::size_t{512} << 20;
/// That a value of GGUF's metadata takes at most, as a value and as its text while that grows.
constexpr std::size_t kMetadataValueBytes = 96;
/// How much address space a reader may use: so much for each byte of a file, up to `most_bytes`.
struct Share {
    std::size_t per_byte;
    std::size_t most_bytes;
    std::size_t fixed = 0; ///< beside that
};

Share shareOf(Parser parser) {
    switch (parser) {
    case Parser::Text: // the text, what is in it (JsonLimits) and the answer, which grows in steps
        return {16, std::size_t{256} << 20};
    case Parser::Gguf: // the header alone, of files of any size: its values, their text, the answer
        return {8, std::size_t{256} << 20, kMostMetadataValues * kMetadataValueBytes};
    default: // HDF5 keeps each part of the metadata that it has read, unpacked, several times over
        return {8, std::size_t{64} << 20};
    }
}

} // namespace

std::size_t readerMemory(Parser parser, std::size_t bytes) {
    const Share share = shareOf(parser);
    return kSpareMemory + share.fixed + share.per_byte * std::min(bytes, share.most_bytes);
}

Error readerIsOutOfMemory(Parser parser, std::size_t bytes) {
    rlimit session{};
    const bool is_text = parser == Parser::Text;
    const std::string what = is_text                  ? "it"
                             : parser == Parser::Gguf ? "its metadata"
                                                      : "its description";
    if (::getrlimit(RLIMIT_AS, &session) == 0 && session.rlim_max < readerMemory(parser, bytes))
        return {ErrorCode::TooLarge, what + " takes more memory than the " +
                                         byteText(session.rlim_max) +
                                         " that this session allows (ulimit -v); allow more"};
    return {ErrorCode::TooLarge, what + " takes more memory than a " + (is_text ? "text" : "file") +
                                     " of " + byteText(bytes) + " can need" +
                                     (is_text ? "" : "; save the tensors again")};
}

} // namespace headscope
