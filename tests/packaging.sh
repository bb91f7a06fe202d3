#!/bin/sh
# Packages: what packaging/ has for Debian, Conan, vcpkg and Meson is built, and each time the same program through it,
# packaging/conan/test_package/consumer.c. That compares the version which the package says with the one of lbp.h. A
# system that is not here is skipped. packaging/fields.sh writes version and address. A release (make dist) is the same to
# the byte twice. `make install` by itself is for hygiene.sh.
#
# Environment: CC, CONAN, VCPKG, BUILD (a directory for scratch files).

CC=${CC:-cc} CONAN=${CONAN:-conan} VCPKG=${VCPKG:-vcpkg} BUILD=${BUILD:-build/packaging}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
headers=$(ls lbp*.h lbp/*/*.h)
consumer=packaging/conan/test_package
export CC # CMake takes one of two words only from there
# packages are made as if by hand, not by a make that says where to build what
unset BUILD MAKEFLAGS MFLAGS MAKELEVEL
. tests/check.sh
version=$(lbp_version)

# lacks TOOL...: one of these programs is not here
lacks() {
  for tool in "$@"; do have "$tool" || { echo "no $tool" && return 0; }; done
  return 1
}

# what packages are made of, in a folder of its own: they may need no more, and leave things in theirs
tree=$work/tree
mkdir "$tree" && cp -R lbp*.h lbp CMakeLists.txt LICENSE packaging "$tree" || exit 2

# ---- version and address, which formats want literally ---------------------------------------------------------------

fields=$work/fields
fields_copy() { # the source, of which fields.sh changes nothing
  mkdir "$fields" && sh packaging/source.sh lbp 0 > "$work/source.tar" && tar -xf "$work/source.tar" -C "$fields" &&
    cp -R "$fields/lbp" "$fields/was" && sh packaging/fields.sh --check && sh "$fields/lbp/packaging/fields.sh" && diff -r "$fields/was" "$fields/lbp"
}
# another_project NUMBER ADDRESS MAIL: of that copy
another_project() {
  sed "s/^\(#define LBP_VERSION\) [0-9]*/\1 $1/" lbp.h > "$fields/lbp/lbp.h" &&
    sed "s,^address=.*,address=$2,; s,^mail=.*,mail=$3," packaging/project > "$fields/lbp/packaging/project"
}
renamed() { # files are named, then written, and have it
  another_project 10203 https://forge.example.net/a/lbp us@example.net || return 1
  ! sh "$fields/lbp/packaging/fields.sh" --check > "$work/named" || return 1
  for file in lbp.h lbp_run.h lbp/base/numbers.h README.md CITATION.cff codemeta.json docs/python.md docs/packaging.md \
    packaging/debian/changelog packaging/vcpkg/lbp/vcpkg.json packaging/meson/lbp.wrap; do
    grep -q "^$file: not as" "$work/named" || { echo "$file is not named" && return 1; }
  done
  sh "$fields/lbp/packaging/fields.sh" && sh "$fields/lbp/packaging/fields.sh" --check || return 1
  for file in CITATION.cff codemeta.json pyproject.toml packaging/debian/control packaging/vcpkg/lbp/vcpkg.json \
    packaging/meson/lbp.wrap packaging/conan/conanfile.py; do
    [ "$(grep -c https://forge.example.net/a/lbp "$fields/lbp/$file")" = 1 ] || { echo "$file: no address" && return 1; }
  done
  (cd "$fields/lbp" && has_only_the_new)
}
has_only_the_new() { # no text has the old version, but for what happened in one
  grep -n "$(echo "$version" | sed 's/\./\\./g')" README.md CITATION.cff codemeta.json pyproject.toml \
    packaging/*/*.* packaging/*.* packaging/*/*/*.* docs/packaging.md docs/python.md lbp*.h lbp/*/*.h |
    grep -v ' before ' && return 1
  grep -q 'find_package(lbp 1\.2 ' docs/packaging.md && grep -q '^version: 1\.2\.3$' CITATION.cff &&
    grep -q '^lbp (1\.2\.3-1) ' packaging/debian/changelog && grep -q '<us@example.net>' packaging/debian/control &&
    grep -q 'Version 1\.2\.3\. MIT' lbp_stats.h
}
back() { # and back: the same bytes
  another_project "$(sed -n 's/^.define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)" https://example.org/lbp \
    maintainers@lbp.example.org && cp lbp.h "$fields/lbp/lbp.h" && sh "$fields/lbp/packaging/fields.sh" &&
    diff -r "$fields/was" "$fields/lbp"
}
wrong_address() { # a sentence, and nothing is written
  another_project 10203 "$1" us@example.net || return 1
  ! sh "$fields/lbp/packaging/fields.sh" > "$work/said" 2>&1 && grep "address=$1: write https" "$work/said" &&
    cmp README.md "$fields/lbp/README.md"
}
check 'packaging/fields.sh: everything is as lbp.h and packaging/project have it' fields_copy
check 'another version, another address' renamed
check 'and back' back
systems() { # those of the error of lbp_run.h
  grep '#error "lbp_run\.h: needs POSIX or Windows;' lbp/base/platform.h &&
    grep '"operatingSystem": ".* need POSIX or Windows"' codemeta.json
}
check 'codemeta.json: systems that it runs on' systems
check 'an address that is none' wrong_address 'git@host:lbp'
check 'none' wrong_address ''

# ---- the program -----------------------------------------------------------------------------------------------------

# by_cmake FOLDER OPTION...: CMake finds lbp and builds it
by_cmake() {
  folder=$work/$1
  shift
  mkdir -p "$folder" && cp "$consumer"/CMakeLists.txt "$consumer"/consumer.c "$folder" || return 1
  cmake -S "$folder" -B "$folder/build" -DWANTED="${version%.*}" "$@" &&
    cmake --build "$folder/build" && "$folder/build/consumer"
}
# by_pkg_config PREFIX PC-FOLDER: pkg-config does, and the headers are those under PREFIX
by_pkg_config() {
  lbp_pc() { PKG_CONFIG_PATH=$2 pkg-config --define-variable=prefix="$1" $3 lbp; }
  said=$(lbp_pc "$1" "$2" --modversion) && flags=$(lbp_pc "$1" "$2" '--cflags --libs') || return 1
  $CC "$consumer/consumer.c" "-DPACKAGE_VERSION=\"$said\"" -MD -MF "$work/used" -o "$work/consumer" $flags &&
    grep -q "$1/include/lbp_run\.h" "$work/used" && "$work/consumer"
}
another_version() { # the program notices
  $CC -I"$tree" '-DPACKAGE_VERSION="0.0.1"' "$consumer/consumer.c" -o "$work/consumer" -lm || return 1
  "$work/consumer"
  [ $? -eq 3 ]
}
check 'the program misses another version' another_version

# ---- a release -------------------------------------------------------------------------------------------------------

# with_tar WORD COMMAND...: where tar fails, after it has written all, if it creates and has this among its words
mkdir -p "$work/bin" && printf '#!/bin/sh\n"%s" "$@" || exit\ncase " $* " in *" --create "*"$FAILING"*) exit 2 ;; esac\n' \
  "$(command -v tar)" > "$work/bin/tar" && chmod +x "$work/bin/tar"
with_tar() {
  FAILING=$1 PATH=$work/bin:$PATH
  export FAILING PATH
  shift
  "$@"
}
release=$work/release
if tar --version 2> /dev/null | grep -q GNU && have sha256sum; then
  twice() {
    for k in 1 2; do make -s dist BUILD="$work/$k" || return 1; done
    cmp "$work"/1/dist/*.tar.gz "$work"/2/dist/*.tar.gz
  }
  sums() {
    mkdir -p "$release" && tar -xzf "$work"/1/dist/*.tar.gz -C "$release" &&
      (cd "$release"/lbp-* && sha256sum -c --quiet SHA256SUMS && [ -s single/lbp.h ] && [ -s single/LICENSE ] && [ -s man/man3/lbp.3 ] &&
        [ -s lbp/base/moves.h ])
  }
  check 'make dist, twice: the same bytes' twice
  check 'what is in it has the sums that it says' sums

  # of a repository of its own: top TEXT commits CHANGELOG.md with that top; dist_of NAME makes lbp-VERSION[-draft]
  own=$work/own
  own_git() { git -C "$own" -c user.name=lbp -c user.email=lbp@example.org "$@"; }
  top() {
    sed "1,/^## /s/^## .*/## $1/" CHANGELOG.md > "$own/CHANGELOG.md" && own_git commit -q --allow-empty -a -m "$1"
  }
  dist_of() {
    rm -rf "$work/own_dist" && (cd "$own" && MAKE=make sh packaging/dist.sh "$work/own_dist") > "$work/said" 2>&1 &&
      [ -s "$work/own_dist/$1.tar.gz" ]
  }
  refused() { ! dist_of any && grep "$1" "$work/said"; }
  releases() {
    mkdir "$own" && tar -xf "$work/source.tar" -C "$own" --strip-components=1 && own_git init -q . &&
      own_git add -A && own_git commit -q -m lbp && top "$version - unreleased" && dist_of "lbp-$version-draft" &&
      grep 'a draft: the top of CHANGELOG' "$work/said" && top "$version - 2026-12-01" && dist_of "lbp-$version"
  }
  broken() { ! (with_tar "$1" dist_of "lbp-$version"); }
  strays() { # what git does not know, headers too: they are not in a release, and make it no draft
    mkdir -p "$own/examples/rust/target" &&
      for file in examples/a.out examples/stray.txt examples/rust/target/ring lbp_stray.h; do : > "$own/$file"; done &&
      dist_of "lbp-$version" && tar -tzf "$work/own_dist/lbp-$version.tar.gz" > "$work/listed" && own_git clean -qfd &&
      grep /lbp_run.h "$work/listed" && ! grep 'stray\|a\.out\|/target/' "$work/listed"
  }
  ignored() { # nor, where there is no git, what .gitignore names
    rm -rf "$work/plain" && cp -R "$own" "$work/plain" && rm -rf "$work/plain/.git" && : > "$work/strays" || return 1
    tr '*' x < .gitignore | while read -r name; do
      case $name in /*) name=${name#/} ;; *) name=examples/$name ;; esac
      case $name in */) name=${name}stray ;; esac
      mkdir -p "$work/plain/$(dirname "$name")" && : > "$work/plain/$name" && echo "lbp/$name" >> "$work/strays"
    done
    sh "$work/plain/packaging/source.sh" lbp 0 > "$work/plain.tar" && tar -tf "$work/plain.tar" > "$work/listed" &&
      [ "$(wc -l < "$work/strays")" -eq "$(wc -l < .gitignore)" ] && grep -x lbp/lbp_run.h "$work/listed" &&
      ! grep -xF -f "$work/strays" "$work/listed"
  }
  changed_tree() {
    echo >> "$own/README.md" && dist_of "lbp-$version-draft" && grep 'files differ' "$work/said" && own_git checkout -q .
  }
  tagged() { # a version that is another commit
    own_git tag "v$version" && dist_of "lbp-$version" && top "$version - 2026-12-02" && refused "v$version is another commit"
  }
  top_of_another() { top '7.7.7 - 2026-12-01' && refused "the top of CHANGELOG.md is '7.7.7 - 2026-12-01'"; }
  field_of_another() {
    top "$version - 2026-12-01" && sed 's/^version: .*/version: 0.0.1/' CITATION.cff > "$own/CITATION.cff" &&
      own_git commit -q -a -m older && refused 'CITATION.cff: not as lbp.h'
  }
  if have git; then
    check 'make dist: a draft while CHANGELOG says unreleased, then a release' releases
    check 'make dist: files that git does not know are left out' strays
    if [ -f .gitignore ]; then
      check 'the source without git: so are those that .gitignore names' ignored
    else
      skip 'the source without git: there is no .gitignore'
    fi
    check 'make dist: tar fails with the source' broken --transform
    check 'make dist: tar fails with the release' broken ' -C '
    check 'make dist: a draft of changed files' changed_tree
    check 'make dist: not twice the same version' tagged
    check 'make dist: CHANGELOG begins with another version' top_of_another
    check 'make dist: another version in a field' field_of_another
  else
    skip 'make dist, drafts: no git'
  fi
else
  skip 'make dist: no GNU tar, or no sha256sum'
fi

# ---- Debian ----------------------------------------------------------------------------------------------------------

debian=$work/debian
deb=$debian/liblbp-dev_$version-1_all.deb
root=$debian/root
doc=$root/usr/share/doc/liblbp-dev
# build_deb FOLDER: the source tree, then the packages. The tests that they would run are those of `make test`
build_deb() {
  source_tree=$(sh packaging/deb.sh "$1") && cd "$source_tree" && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc
}
builds() { (build_deb "$debian") && dpkg-deb -x "$deb" "$root"; }
# the archive has all that is in the repository, but what belongs to that alone
all_files() {
  tar -tzf "$debian/lbp_$version.orig.tar.gz" | sed 's,^[^/]*/,,' | LC_ALL=C sort > "$work/packed"
  git ls-files | grep -v '^\.ci/\|^\.gitignore$' | LC_ALL=C sort | LC_ALL=C comm -23 - "$work/packed" > "$work/missing"
  ! grep . "$work/missing"
}
has_files() {
  [ "$(dpkg-deb -f "$deb" Architecture)" = all ] || return 1
  for header in $headers; do cmp "$header" "$root/usr/include/$header" || return 1; done
  for example in $(find examples -name '*.[ch]' -o -name '*.py'); do
    sed '/^#include/s,"\(\.\./\)*lbp,"lbp,' "$example" | cmp - "$doc/$example" || return 1
  done
  for file in "$doc/copyright" "$doc/changelog.gz" "$doc/changelog.Debian.gz" "$doc/README.md.gz"; do
    [ -s "$file" ] || { echo "no $file" && return 1; }
  done
}
manual() { # a page of the changelog's date, and links that lead to pages
  date=$(date -u -d "$(dpkg-parsechangelog -l packaging/debian/changelog -S Date)" +%Y-%m-%d)
  gzip -dc "$root/usr/share/man/man3/lbp_ess.3.gz" | grep "^\.TH .* $date \"lbp $version\"" &&
    [ -z "$(find -L "$root/usr/share/man" -type l)" ]
}
same_day() { # as CHANGELOG.md, if that has one
  newest=$(sed -n 's/^## //p' CHANGELOG.md | sed 1q)
  day=$(date -u -d "$(dpkg-parsechangelog -l packaging/debian/changelog -S Date)" +%Y-%m-%d)
  case $newest in *' - unreleased' | *" - $day") ;; *) echo "$newest, $day" && return 1 ;; esac
}
examples() {
  for example in "$doc"/examples/*.c "$doc/examples/ebm/ebm.c"; do
    $CC -I"$root/usr/include" -fsyntax-only "$example" || return 1
  done
}
lint() { # there is no bug that the first package could close
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$@"
}
lint_finds() { # a package without its copyright
  mkdir "$debian/less" && cp -R "$root/usr" "$debian/less" && dpkg-deb -e "$deb" "$debian/less/DEBIAN" &&
    rm "$debian/less/usr/share/doc/liblbp-dev/copyright" &&
    dpkg-deb --root-owner-group -b "$debian/less" "$debian/less.deb" || return 1
  ! lint "$debian/less.deb" > "$work/lint" && grep 'E: liblbp-dev: no-copyright-file' "$work/lint"
}
older_asked() { # names stay within a major version
  ! by_cmake debian/older -DCMAKE_PREFIX_PATH="$root/usr" -DWANTED=0.1 > "$work/refused" 2>&1 &&
    grep "lbp-config.cmake, version: $version" "$work/refused"
}
accepts() { # ASKED HAS: whether the files of version HAS suit who asks for ASKED
  sed "s/@VERSION@/$2/" packaging/lbp-config-version.cmake.in > "$work/version.cmake" &&
    printf '%s\n' "set(PACKAGE_FIND_VERSION $1)" "set(PACKAGE_FIND_VERSION_MAJOR ${1%%.*})" \
      "include($work/version.cmake)" 'if(NOT PACKAGE_VERSION_COMPATIBLE)' 'message(FATAL_ERROR no)' 'endif()' > "$work/asks.cmake" &&
    cmake -P "$work/asks.cmake"
}
asked() {
  for right in 1.0 1.2 1.2.3 1; do accepts $right 1.2.3 || return 1; done
  for wrong in 0.9 1.2.4 1.3 2.0; do ! accepts $wrong 1.2.3 || return 1; done
}
again() { (build_deb "$debian/again") > /dev/null 2>&1 && cmp "$deb" "$debian/again/${deb##*/}"; }
broken_source() { ! (with_tar --transform sh packaging/deb.sh "$work/broken"); }
if lacking=$(lacks dpkg-buildpackage dh); then
  skip "Debian: $lacking"
else
  check 'Debian: tar fails' broken_source
  check 'Debian: the package is built' builds
fi
if [ -d "$root" ]; then
  if git ls-files --error-unmatch lbp.h > /dev/null 2>&1; then
    check 'Debian: the source has all files' all_files
  else
    skip 'Debian, all files: this is no repository'
  fi
  check 'Debian: headers, examples, documents' has_files
  check 'Debian: manual pages' manual
  check 'Debian: the day of the release' same_day
  check 'Debian: the examples find the headers' examples
  check 'Debian: the same package again' again
  if have pkg-config; then
    check 'Debian: pkg-config' by_pkg_config "$root/usr" "$root/usr/share/pkgconfig"
  else
    skip 'Debian, pkg-config: not there'
  fi
  if have cmake; then
    check 'Debian: CMake' by_cmake debian/project -DCMAKE_PREFIX_PATH="$root/usr"
    check 'Debian: CMake refuses lbp for what asks for 0.1' older_asked
    check 'CMake: which versions suit which' asked
  else
    skip 'Debian, CMake: not there'
  fi
  if have lintian; then
    check 'Debian: lintian' lint "$debian/lbp_$version-1_$(dpkg --print-architecture).changes"
    check 'Debian: lintian finds what is wrong' lint_finds
  else
    skip 'Debian, lintian: not there'
  fi
fi

# ---- Conan -----------------------------------------------------------------------------------------------------------

# it looks for a compiler by itself, and takes one called cc for none
conan_2() { (unset CC CXX && CONAN_HOME=$work/conan "$CONAN" "$@" 2>&1); }
created() {
  conan_2 profile detect && conan_2 create "$tree/packaging/conan" > "$work/created"
  status=$?
  cat "$work/created"
  [ $status -eq 0 ] && grep "^lbp/$version (test package): RUN: .*consumer" "$work/created" &&
    grep "^lbp.h is version $version, the package $version\$" "$work/created"
}
if ! have "$CONAN"; then
  skip "Conan: no $CONAN"
elif ! conan_2 --version | grep -q ' version 2\.'; then
  skip "Conan: $CONAN is not version 2"
elif ! have cmake; then
  skip 'Conan: no cmake'
else
  check 'Conan: the package is created, and its test passes' created
fi

# ---- CMake, from the source ------------------------------------------------------------------------------------------

# part FOLDER LINE...: a project that has lbp in its own tree, by these lines instead of find_package
part() {
  folder=$work/$1
  shift
  mkdir -p "$folder" && cp "$consumer/consumer.c" "$folder" && printf '%s\n' "$@" > "$folder/lines" &&
    sed -e "/^find_package/{r $folder/lines" -e 'd;}' "$consumer/CMakeLists.txt" > "$folder/CMakeLists.txt" &&
    cmake -S "$folder" -B "$folder/build" && cmake --build "$folder/build" &&
    "$folder/build/consumer"
}
subdirectory() { part cmake-part "add_subdirectory(\"$tree\" lbp)"; }
apart() { # a program that has it as a part installs nothing of it
  cmake --install "$work/cmake-part/build" --prefix "$work/cmake-part/prefix" && [ ! -d "$work/cmake-part/prefix/include" ]
}
exported() { # a library that has it as a part is exported, and used by another project
  folder=$work/cmake-export prefix=$work/cmake-export/prefix
  mkdir -p "$folder/user" && cp "$consumer/consumer.c" "$folder/user" &&
    printf '%s\n' 'cmake_minimum_required(VERSION 3.15)' 'project(theirs C)' 'set(LBP_INSTALL ON)' \
      "add_subdirectory(\"$tree\" lbp)" 'add_library(theirs INTERFACE)' 'target_link_libraries(theirs INTERFACE lbp::lbp)' \
      'install(TARGETS theirs EXPORT theirs)' \
      'install(EXPORT theirs DESTINATION share/cmake/theirs FILE theirs-config.cmake)' > "$folder/CMakeLists.txt" &&
    sed 's/lbp::lbp/theirs/' "$consumer/CMakeLists.txt" |
    awk '{ print } /^find_package/ { print "find_package(theirs REQUIRED)" }' > "$folder/user/CMakeLists.txt" &&
    cmake -S "$folder" -B "$folder/build" && cmake --install "$folder/build" --prefix "$prefix" &&
    cmake -S "$folder/user" -B "$folder/user/build" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" &&
    cmake --build "$folder/user/build" && "$folder/user/build/consumer"
}
fetched() {
  part cmake-fetch 'include(FetchContent)' "FetchContent_Declare(lbp SOURCE_DIR \"$tree\")" 'FetchContent_MakeAvailable(lbp)' \
    'file(STRINGS "${lbp_SOURCE_DIR}/packaging/meson/lbp.wrap" tag REGEX "^revision")' \
    'string(REGEX REPLACE ".*v" "" lbp_VERSION "${tag}")'
}
# the release by its address and its sum; of another sum it is refused
archived() { # SUM
  part "cmake-archive-$1" 'include(FetchContent)' \
    "FetchContent_Declare(lbp URL \"file://$(echo "$work"/1/dist/*.tar.gz)\" URL_HASH SHA256=$1)" \
    'FetchContent_MakeAvailable(lbp)' 'file(STRINGS "${lbp_SOURCE_DIR}/packaging/meson/lbp.wrap" tag REGEX "^revision")' \
    'string(REGEX REPLACE ".*v" "" lbp_VERSION "${tag}")'
}
by_sum() { archived "$(cut -d ' ' -f 1 "$work"/1/dist/*.sha256)"; }
by_another_sum() {
  ! archived "$(echo another | sha256sum | cut -d ' ' -f 1)" > "$work/refused" 2>&1 && grep -i 'hash mismatch\|does not match' "$work/refused"
}
by_install() {
  cmake -S "$tree" -B "$work/cmake-tree" && cmake --install "$work/cmake-tree" --prefix "$work/cmake prefix" || return 1
  for header in $headers; do cmp "$header" "$work/cmake prefix/include/$header" || return 1; done
  cmp LICENSE "$work/cmake prefix/share/licenses/lbp/LICENSE" || return 1
  by_cmake cmake-installed -DCMAKE_PREFIX_PATH="$work/cmake prefix"
}
if have cmake; then
  check 'CMake: add_subdirectory' subdirectory
  check 'CMake: that is not installed' apart
  check 'CMake: a library that has it so is exported' exported
  check 'CMake: FetchContent' fetched
  if ls "$work"/1/dist/*.sha256 > "$work/log" 2>&1; then
    check 'CMake: FetchContent of a release, by its sum' by_sum
    check 'CMake: of another sum it is refused' by_another_sum
  else
    skip 'CMake, a release: there is none'
  fi
  check 'CMake: cmake --install, into a folder with a blank' by_install
else
  skip 'CMake: not there'
fi

# ---- Meson -----------------------------------------------------------------------------------------------------------

# project FOLDER: a project that needs lbp
project() {
  mkdir -p "$work/$1/subprojects" && cp "$consumer/consumer.c" "$work/$1" &&
    cat > "$work/$1/meson.build" << 'PROJECT'
project('consumer', 'c')
lbp = dependency('lbp', version: '>=0.8', fallback: 'lbp')
executable('consumer', 'consumer.c', dependencies: lbp, c_args: '-DPACKAGE_VERSION="@0@"'.format(lbp.version()))
PROJECT
}
built() { # FOLDER
  CC=$CC meson setup --wrap-mode=forcefallback "$work/$1/build" "$work/$1" && ninja -C "$work/$1/build" &&
    "$work/$1/build/consumer"
}
copied() { # FOLDER: lbp in the project's own tree
  project "$1" && cp -R "$tree" "$work/$1/subprojects/lbp" &&
    cp packaging/meson/packagefiles/lbp/meson.build "$work/$1/subprojects/lbp"
}
subproject() { copied meson-tree && built meson-tree; }
wrapped() { # lbp from a repository, which stands for the one that the wrap has no address of
  repository=$work/repository
  cp -R "$tree" "$repository" && git init -q "$repository" && git -C "$repository" add -A &&
    git -C "$repository" -c user.name=lbp -c user.email=lbp@example.org commit -q -m lbp &&
    git -C "$repository" tag "v$version" && project meson-wrap || return 1
  cp -R packaging/meson/. "$work/meson-wrap/subprojects" &&
    sed "s,^url = .*,url = file://$repository," packaging/meson/lbp.wrap > "$work/meson-wrap/subprojects/lbp.wrap"
  built meson-wrap
}
too_old() {
  copied meson-newer &&
    sed 's/>=0\.8/>=77/' "$work/meson-tree/meson.build" > "$work/meson-newer/meson.build" || return 1
  ! built meson-newer > "$work/refused" && grep 'lbp.*77' "$work/refused"
}
if lacking=$(lacks meson ninja); then
  skip "Meson: $lacking"
else
  check 'Meson: lbp as a subproject' subproject
  check 'Meson refuses lbp 77' too_old
  if have git; then
    check 'Meson: lbp.wrap' wrapped
  else
    skip 'Meson, lbp.wrap: no git'
  fi
fi

# ---- vcpkg -----------------------------------------------------------------------------------------------------------

installed=$work/vcpkg/installed
# nothing of it stays in vcpkg's own folders
apart="--binarysource=clear --x-buildtrees-root=$work/vcpkg/buildtrees --x-packages-root=$work/vcpkg/packages"
export VCPKG_DISABLE_METRICS=1
port() { # without a warning
  "$VCPKG" install lbp --overlay-ports="$tree/packaging/vcpkg" --x-install-root="$installed" $apart > "$work/port" 2>&1
  status=$?
  cat "$work/port"
  [ $status -eq 0 ] && ! grep -i warning "$work/port"
}
port_pc() {
  folder=$(ls -d "$installed"/*/lib/pkgconfig) && by_pkg_config "${folder%/lib/pkgconfig}" "$folder"
}
manifest() { # a project whose vcpkg.json asks for it
  vcpkg_root=${VCPKG_ROOT:-$(dirname "$(real "$(command -v "$VCPKG")")")}
  mkdir -p "$work/vcpkg/project" && echo '{"dependencies": ["lbp"]}' > "$work/vcpkg/project/vcpkg.json" &&
    by_cmake vcpkg/project -DCMAKE_TOOLCHAIN_FILE="$vcpkg_root/scripts/buildsystems/vcpkg.cmake" \
      -DVCPKG_OVERLAY_PORTS="$tree/packaging/vcpkg" -DVCPKG_INSTALL_OPTIONS="$(echo "$apart" | tr ' ' ';')"
}
if lacking=$(lacks "$VCPKG" cmake pkg-config); then
  skip "vcpkg: $lacking"
else
  check 'vcpkg: the port is built' port
  check 'vcpkg: pkg-config' port_pc
  check 'vcpkg: a project by CMake' manifest
fi

total
