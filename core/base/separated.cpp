#include "core/base/separated.h"

#include <utility>

namespace headscope {

namespace {

class Reader {
public:
    Reader(std::string_view text, char separator) : text_(text), separator_(separator) {}

    Result<std::vector<SeparatedRow>> rows() {
        std::vector<SeparatedRow> rows;
        while (at_ < text_.size()) {
            auto next = row();
            if (!next)
                return next.error();
            const bool is_empty = next->cells.size() == 1 && next->cells.front().empty();
            if (!is_empty)
                rows.push_back(*std::move(next));
        }
        return rows;
    }

private:
    bool atLineEnd() const { return at_ == text_.size() || text_[at_] == '\n' || isCrLf(); }
    bool isCrLf() const { return text_.substr(at_).starts_with("\r\n"); }

    Result<SeparatedRow> row() {
        SeparatedRow row{line_, {}};
        do {
            auto next = text_.substr(at_).starts_with('"') ? quoted() : Result(plain());
            if (!next)
                return next.error();
            row.cells.push_back(*std::move(next));
        } while (takeSeparator());
        at_ += isCrLf() ? 2 : at_ < text_.size() ? 1 : 0;
        ++line_;
        return row;
    }

    bool takeSeparator() {
        const bool is_there = at_ < text_.size() && text_[at_] == separator_;
        at_ += is_there ? 1 : 0;
        return is_there;
    }

    std::string plain() {
        const std::size_t begin = at_;
        while (!atLineEnd() && text_[at_] != separator_)
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    Result<std::string> quoted() {
        const std::size_t first_line = line_;
        std::string cell;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && !text_.substr(at_ + 1).starts_with('"'))
                return closed(std::move(cell));
            if (text_[at_] == '"')
                ++at_;
            line_ += text_[at_] == '\n' ? 1 : 0;
            cell += text_[at_];
        }
        return Error{ErrorCode::Malformed, "the quotation mark in line " +
                                               std::to_string(first_line) + " is never closed"};
    }

    Result<std::string> closed(std::string cell) {
        ++at_;
        if (!atLineEnd() && text_[at_] != separator_)
            return Error{ErrorCode::Malformed,
                         "in line " + std::to_string(line_) +
                             " something follows the quotation mark that closes a cell"};
        return cell;
    }

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

} // namespace

Result<std::vector<SeparatedRow>> readSeparated(std::string_view text, char separator) {
    return Reader(text, separator).rows();
}

} // namespace headscope
