# An overlay port of the source tree that contains it: it downloads nothing
set(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../..")
set(VCPKG_BUILD_TYPE release) # header-only

file(GLOB headers "${SOURCE_PATH}/lbp*.h")
file(INSTALL ${headers} "${SOURCE_PATH}/lbp" DESTINATION "${CURRENT_PACKAGES_DIR}/include")

# vcpkg requires lbp.pc in lib, because it names a library, libm
set(PREFIX "${CURRENT_PACKAGES_DIR}")
configure_file("${SOURCE_PATH}/packaging/lbp.pc.in" "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/lbp.pc" @ONLY)
vcpkg_fixup_pkgconfig()

# vcpkg requires CMake's files in share/lbp, one level less deep than share/cmake/lbp
set(config "${CURRENT_PACKAGES_DIR}/share/lbp")
configure_file("${SOURCE_PATH}/packaging/lbp-config-version.cmake.in" "${config}/lbp-config-version.cmake" @ONLY)
file(INSTALL "${SOURCE_PATH}/packaging/lbp-config.cmake" DESTINATION "${config}")
vcpkg_replace_string("${config}/lbp-config.cmake" "/../../.." "/../..")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${config}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
