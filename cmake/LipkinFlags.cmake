# Compiler flags shared by every target of the project: link to lipkin_flags. lipkin_warnings is what remains of it
# without sanitizers.
add_library(lipkin_warnings INTERFACE)
add_library(lipkin_flags INTERFACE)
target_link_libraries(lipkin_flags INTERFACE lipkin_warnings)
target_compile_options(lipkin_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                       -Wnon-virtual-dtor -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12 on std::string: bug 105651 ("text" + string), bug 105562 (copies in containers).
  target_compile_options(lipkin_warnings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(LIPKIN_WARNINGS_AS_ERRORS)
  target_compile_options(lipkin_warnings INTERFACE -Werror)
endif()
if(LIPKIN_CHECKS)
  target_compile_definitions(lipkin_warnings INTERFACE LIPKIN_CHECKS=1)
endif()
if(LIPKIN_SANITIZE)
  # Little optimisation and short debug information: instrumented code takes several times as long to compile.
  target_compile_options(lipkin_flags INTERFACE -fsanitize=${LIPKIN_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all -O1 -g1)
  target_link_options(lipkin_flags INTERFACE -fsanitize=${LIPKIN_SANITIZE})
endif()
