#include "core/base/byte_order_mark.h"

#include <array>
#include <utility>

namespace headscope {

Result<std::string> withoutByteOrderMark(std::string text, std::string_view source) {
    constexpr std::string_view utf8 = "\xEF\xBB\xBF";
    // UTF-32 first: in little endian it begins as UTF-16 does.
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> refused{
        {{"\xFF\xFE\0\0"sv, "UTF-32"},
         {"\0\0\xFE\xFF"sv, "UTF-32"},
         {"\xFF\xFE"sv, "UTF-16"},
         {"\xFE\xFF"sv, "UTF-16"}}};
    for (const auto& [mark, encoding] : refused)
        if (text.starts_with(mark))
            return Error{ErrorCode::Malformed, std::string(source) + " is a text in " +
                                                   std::string(encoding) + "; save it as UTF-8."};
    if (text.starts_with(utf8))
        text.erase(0, utf8.size());
    return text;
}

} // namespace headscope
