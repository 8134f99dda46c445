# Target lipkin_sundials with the parts of SUNDIALS (6 or later) that the steppers use, where all of them are installed.
if(NOT LIPKIN_SUNDIALS)
  return()
endif()
find_path(LIPKIN_SUNDIALS_INCLUDE cvode/cvode.h)
set(sundials_libraries "")
# Static libraries first: the program then runs where SUNDIALS is not installed. Users before what they use.
foreach(part cvode nvecserial sunmatrixdense sunlinsoldense sunlinsolspgmr sunnonlinsolfixedpoint generic)
  find_library(LIPKIN_SUNDIALS_${part} NAMES libsundials_${part}.a sundials_${part})
  mark_as_advanced(LIPKIN_SUNDIALS_${part})
  list(APPEND sundials_libraries "${LIPKIN_SUNDIALS_${part}}")
endforeach()
mark_as_advanced(LIPKIN_SUNDIALS_INCLUDE)
if(LIPKIN_SUNDIALS_INCLUDE AND NOT sundials_libraries MATCHES "NOTFOUND")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES "${LIPKIN_SUNDIALS_INCLUDE}")
  set(CMAKE_REQUIRED_LIBRARIES ${sundials_libraries})
  check_cxx_source_compiles("#include <cvode/cvode.h>
                             #include <sundials/sundials_context.h>
                             int main() { SUNContext c; return SUNContext_Create(nullptr, &c) + (CVodeCreate(CV_BDF, c) == nullptr); }"
                            LIPKIN_SUNDIALS_WORKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
