# The Conan 2 recipe: `conan create packaging/conan`. It reads the version from lbp.h.
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout

required_conan_version = ">=2"


class Lbp(ConanFile):
    name = "lbp"
    description = "Header-only C library of MCMC samplers for discrete distributions"
    license = "MIT"
    package_type = "header-library"
    settings = "os"  # only for libm: the package is the same on all systems
    no_copy_source = True

    def _tree(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        number = int(re.search(r"^#define LBP_VERSION (\d+)", load(self, os.path.join(self._tree(), "lbp.h")), re.M)[1])
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def export_sources(self):
        for pattern in ("lbp*.h", "lbp/*.h", "LICENSE"):
            copy(self, pattern, self._tree(), self.export_sources_folder)

    def layout(self):
        basic_layout(self)

    def package(self):
        for pattern in ("lbp*.h", "lbp/*.h"):
            copy(self, pattern, self.source_folder, os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
        if self.settings.os != "Windows":
            self.cpp_info.system_libs = ["m"]
        # names stay within a major version
        self.cpp_info.set_property("cmake_config_version_compat", "SameMajorVersion")
