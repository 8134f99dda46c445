# Compiler flags shared by every target of the project: link to lipkin_flags.
add_library(lipkin_flags INTERFACE)
target_compile_options(lipkin_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12 on std::string: bug 105651 ("text" + string), bug 105562 (copies in containers).
  target_compile_options(lipkin_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(LIPKIN_WARNINGS_AS_ERRORS)
  target_compile_options(lipkin_flags INTERFACE -Werror)
endif()
if(LIPKIN_CHECKS)
  target_compile_definitions(lipkin_flags INTERFACE LIPKIN_CHECKS=1)
endif()
if(LIPKIN_SANITIZE)
  target_compile_options(lipkin_flags INTERFACE -fsanitize=${LIPKIN_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(lipkin_flags INTERFACE -fsanitize=${LIPKIN_SANITIZE})
endif()
