# JSON from elsewhere goes through core/io/sealed_json.h. These files parse JSON in this process: those
# of the parser, and what this program itself wrote or composed, which SECURITY.md names.
set(allowed
    core/base/json.cpp
    core/base/json/json_text.cpp
    core/base/json_bytes.cpp
    core/export/formats/hugging_face_folder.cpp
    core/export/formats/parts_file.cpp
    core/export/part_texts.cpp
    core/export/pruning_parts.cpp
    core/export/table_files.cpp
    core/export/work.cpp
    core/loading/config/config_reader.cpp)
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/core/*.cpp ${ROOT}/ui/*.cpp ${ROOT}/app/*.cpp)
set(parsing "")
foreach(source IN LISTS sources)
    file(STRINGS ${ROOT}/${source} found REGEX "[Jj]son[A-Za-z]*::(parse|sax_parse|fromJson|accept)\\(")
    # The view of a tokenizer.json is of what the reader parsed.
    list(FILTER found EXCLUDE REGEX "JsonView::parse\\(")
    if(found)
        list(APPEND parsing ${source})
    endif()
endforeach()
list(SORT parsing)
if(NOT parsing STREQUAL allowed)
    message(FATAL_ERROR "JSON is parsed in\n${parsing}\nexpected\n${allowed}\n"
                        "Call readForeignJson() of core/io/sealed_json.h.")
endif()
