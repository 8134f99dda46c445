# lib/liblipkin.a, include/lipkin, share/lipkin, and what find_package(lipkin) reads. The program installs itself.
include(CMakePackageConfigHelpers)

set(lipkin_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lipkin")
install(TARGETS lipkin EXPORT lipkinTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lipkin" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenes" "${PROJECT_SOURCE_DIR}/docs/schema"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/lipkin")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/lipkinConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/lipkinConfig.cmake" INSTALL_DESTINATION "${lipkin_cmake_dir}")
# Before 1.0 a minor version may break what is built on it.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lipkinConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lipkinConfig.cmake" "${PROJECT_BINARY_DIR}/lipkinConfigVersion.cmake"
        DESTINATION "${lipkin_cmake_dir}")
install(EXPORT lipkinTargets NAMESPACE lipkin:: DESTINATION "${lipkin_cmake_dir}")
