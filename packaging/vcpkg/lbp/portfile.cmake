# lbp as it stands around this port: an overlay port of the library's own tree downloads nothing
set(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../..")
set(VCPKG_BUILD_TYPE release) # header-only

file(GLOB headers "${SOURCE_PATH}/lbp*.h")
file(INSTALL ${headers} "${SOURCE_PATH}/lbp" DESTINATION "${CURRENT_PACKAGES_DIR}/include")

# vcpkg wants lbp.pc in lib, for it names a library, libm
set(PREFIX "${CURRENT_PACKAGES_DIR}")
configure_file("${SOURCE_PATH}/packaging/lbp.pc.in" "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/lbp.pc" @ONLY)
vcpkg_fixup_pkgconfig()

# vcpkg wants CMake's files in share/lbp, one folder less deep than share/cmake/lbp
set(config "${CURRENT_PACKAGES_DIR}/share/lbp")
configure_file("${SOURCE_PATH}/packaging/lbp-config-version.cmake.in" "${config}/lbp-config-version.cmake" @ONLY)
file(INSTALL "${SOURCE_PATH}/packaging/lbp-config.cmake" DESTINATION "${config}")
vcpkg_replace_string("${config}/lbp-config.cmake" "/../../.." "/../..")

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${config}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
