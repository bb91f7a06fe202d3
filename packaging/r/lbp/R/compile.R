# Model files become libraries, once each: the cache knows them by all that they are made from.

#' Compile a model file, or load a compiled one
#'
#' `lbp_compile` compiles a model file by R's own compiler and loads it. The second time it is only loaded.
#' `lbp_load` loads a file that `lbp_compile` has written to its `output`.
#'
#' @param source path of a C file that ends with `#include "lbp_bridge.h"`.
#' @param cc the compiler, with words that always follow it; by default the environment's `CC`, or `R CMD config CC`.
#' @param flags by default the environment's `CFLAGS`, or `-O1 -ftree-vectorize -march=native`, without the last two
#'   where the compiler refuses them. `"-O3 -march=native"` takes longer to compile and makes long runs of some models
#'   faster; `-fopenmp` runs chains on all cores.
#' @param defines more flags, such as `-DSTATES=4`.
#' @param libs arguments after the source.
#' @param output write the library to this file, always from scratch, instead of the cache.
#' @param cache whether to keep the library in `lbp_cache()`, by the contents of the source and of all files that it
#'   includes, the compiler, the flags and the version. `FALSE`: compile, load, and leave nothing behind.
#' @param path a file that `lbp_compile` has written.
#' @param clear remove all compiled models from the cache. Those in use go on working.
#' @return `lbp_compile` and `lbp_load`: a function of the model's arrays, by name, that returns a model; printing it
#'   lists them. An array is a vector, or a matrix or array of the shape that its length's product tells; a size that no
#'   array determines is given as one number. Numbers are converted if that changes none; only `float` rounds.
#'   `lbp_cache`: the folder of compiled models, the environment's `LBP_CACHE` or
#'   `tools::R_user_dir("lbp", "cache")`.
#'   `lbp_include`: the folder of the C headers, for a compiler's `-I`.
#' @section Errors:
#' There is no compiler; the compiler's own messages about the source; a file is no model, or of another version's
#' interface. The function that is returned refuses arrays that are missing, unknown, of another shape, not numbers, or
#' `NA`.
#' @examples
#' \donttest{
#' field <- lbp_compile(system.file("models", "field.c", package = "lbp"))
#' field
#' model <- field(h = c(0.5, -1, 2)) # log pi(x) = sum of h_i x_i
#' run <- lbp_run(model, draws = 1000)
#' apply(run$x, 3, mean)
#' }
#' @export
lbp_compile <- function(source, cc = NULL, flags = NULL, defines = character(), libs = "-lm", output = NULL,
                        cache = TRUE) {
  if (!is.character(source) || length(source) != 1 || is.na(source)) fail("source: the path of one model file")
  if (!file.exists(source)) fail(source, ": there is no such file")
  source <- normalizePath(source)
  default <- is.null(flags) && !nzchar(Sys.getenv("CFLAGS"))
  if (is.null(flags)) flags <- if (default) c("-O1", optional) else Sys.getenv("CFLAGS")
  if (is.null(cc) && nzchar(Sys.getenv("CC"))) cc <- Sys.getenv("CC")
  given <- list(cc = if (!is.null(cc)) words(cc), flags = c(words(flags), defines), default = default,
                libs = words(libs))
  if (!is.null(output)) {
    output <- file.path(normalizePath(dirname(output)), basename(output))
    part <- paste0(output, ".part") # who has loaded the old file goes on using it
    on.exit(unlink(part))
    build(compiler(given$cc)$command, given, source, part)
    if (!file.rename(part, output)) fail(output, ": cannot be written")
    return(lbp_load(output))
  }
  found <- if (cache) cached(given, source)
  if (!is.null(found)) return(lbp_load(found))
  folder <- tempfile("lbp-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE)) # loaded libraries stay loaded
  build(compiler(given$cc)$command, given, source, file.path(folder, "model.so"))
  lbp_load(file.path(folder, "model.so"))
}

#' @rdname lbp_compile
#' @export
lbp_include <- function() system.file("include", package = "lbp", mustWork = TRUE)

#' @rdname lbp_compile
#' @export
lbp_cache <- function(clear = FALSE) {
  folder <- Sys.getenv("LBP_CACHE")
  if (!nzchar(folder)) folder <- tools::R_user_dir("lbp", "cache")
  if (clear) unlink(list.files(folder, "[.](so|rds|part|d)$", full.names = TRUE))
  folder
}

# One of the library's own model files.
model_file <- function(name) system.file("models", name, package = "lbp", mustWork = TRUE)

# Quotes in variables of the environment and in R's configuration are the shell's.
words <- function(text) {
  if (length(text) == 1) scan(text = text, what = "", quiet = TRUE) else as.character(text)
}

# The compilers of R itself, by the names of R CMD config.
configured <- function(name) {
  said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), c("CMD", "config", name), stdout = TRUE,
                                   stderr = FALSE))
  if (is.null(attr(said, "status"))) words(paste(said, collapse = " ")) else character()
}

# The files that R's configuration is read from: asking R itself takes a tenth of a second.
configuration <- function() {
  files <- c(file.path(R.home("etc"), .Platform$r_arch, "Makeconf"), tools::makevars_site(), tools::makevars_user())
  c(R.home(), files, tools::md5sum(files))
}

# The compiler's command, and which program it is, which an update of it changes.
compiler <- function(cc) {
  command <- if (is.null(cc)) configured("CC") else cc
  path <- if (length(command)) Sys.which(command[1]) else ""
  if (!nzchar(path)) {
    fail("there is no C compiler '", if (length(command)) command[1],
         "': install one (gcc, clang), or name one by cc or CC")
  }
  list(command = command, identity = identity_of(normalizePath(path)))
}

identity_of <- function(path) c(path, file.info(path)$size, format(file.info(path)$mtime, "%s"))

# Flags that are left out where the compiler refuses them, as some do -march=native on ARM and on RISC-V. Vectorised
# loops make sweeps and annealing as fast as by -O3, which takes twice as long to compile.
optional <- c("-ftree-vectorize", "-march=native")

# Whether a compiler accepts a flag, tried on an empty program.
takes <- function(flag, command) {
  arguments <- c(command[-1], flag, "-E", "-x", "c", "/dev/null")
  suppressWarnings(system2(command[1], shQuote(arguments), stdout = FALSE, stderr = FALSE)) == 0
}

build <- function(command, given, source, output, more = character()) {
  refused <- if (given$default) Filter(function(flag) !takes(flag, command), optional)
  given$flags <- given$flags[!given$flags %in% refused]
  position <- configured("CPICFLAGS")
  arguments <- c(command[-1], given$flags, "-shared", if (length(position)) position else "-fPIC", "-pthread",
                 paste0("-I", lbp_include()), more, source, "-o", output, given$libs)
  said <- suppressWarnings(system2(command[1], shQuote(arguments), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) {
    fail(paste(c(paste0(paste(c(command[1], arguments), collapse = " "), ":"), said), collapse = "\n"))
  }
}

# The processor, on which -march=native depends.
machine <- function() {
  about <- if (file.exists("/proc/cpuinfo")) readLines("/proc/cpuinfo", 200, warn = FALSE) else character()
  wanted <- "^(vendor_id|cpu family|model|flags|CPU part|Features)\\b"
  c(Sys.info()[c("sysname", "machine")], unique(grep(wanted, about, value = TRUE)))
}

sum_of <- function(text) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(enc2utf8(text), file, useBytes = TRUE)
  unname(tools::md5sum(file))
}

# Paths, of which those in this package begin with "@" in place of its folder: it may be moved, or installed again.
root <- function() paste0(system.file(package = "lbp"), "/")

movable <- function(paths) {
  here <- startsWith(paths, root())
  ifelse(here, paste0("@", substring(paths, nchar(root()) + 1)), paths)
}

sums <- function(paths) {
  at <- ifelse(startsWith(paths, "@"), paste0(root(), substring(paths, 2)), paths)
  stats::setNames(tools::md5sum(at), paths)
}

# The files that a compiler's -MD names.
prerequisites <- function(rules) {
  text <- sub("^.*?:(?=\\s|$)", "", paste(sub("\\\\$", "", readLines(rules, warn = FALSE)), collapse = " "), perl = TRUE)
  names <- regmatches(text, gregexpr("(\\\\.|[^\\\\[:space:]])+", text))[[1]]
  normalizePath(gsub("$$", "$", gsub("\\\\(.)", "\\1", names), fixed = TRUE))
}

# The library of a record, if the compiler and all files that it was made from are as they were; else NULL.
fresh <- function(record) {
  known <- tryCatch(suppressWarnings(readRDS(record)), error = function(error) NULL)
  if (!is.list(known) || !is.character(known$files) || !is.character(known$library)) return(NULL)
  library <- file.path(dirname(record), known$library)
  same <- identical(identity_of(known$compiler[1]), known$compiler) &&
    identical(sums(names(known$files)), known$files) &&
    identical(paste0(unname(tools::md5sum(library)), ".so"), known$library)
  if (same) library
}

# The library of a source, made if need be; NULL: the cache's folder can't be written to.
cached <- function(given, source) {
  paths <- Sys.getenv(c("PATH", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                        "SDKROOT"))
  own <- any(grepl("native", unlist(given)))
  record <- file.path(lbp_cache(), paste0(sum_of(c(
    as.character(utils::packageVersion("lbp")), given$cc, "", given$flags, "", given$libs, "", movable(source), paths,
    configuration(), if (own) machine() else Sys.info()[c("sysname", "machine")])), ".rds"))
  found <- fresh(record)
  if (!is.null(found)) return(found)
  with <- compiler(given$cc)
  folder <- dirname(record)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE, mode = "0700")
  part <- tempfile("lbp-", folder, ".part")
  rules <- sub("part$", "d", part)
  on.exit(unlink(c(part, rules)))
  if (!suppressWarnings(file.create(part))) return(NULL)
  build(with$command, given, source, part, c("-MD", "-MF", rules))
  library <- paste0(unname(tools::md5sum(part)), ".so")
  known <- list(library = library, compiler = with$identity, files = sums(movable(prerequisites(rules))))
  saveRDS(known, rules)
  # a file that others may have loaded is never written to: it is replaced as a whole
  if (!file.rename(part, file.path(folder, library)) || !file.rename(rules, record)) return(NULL)
  file.path(folder, library)
}

# The same number as lbp_bridge.h's LBP_BRIDGE_ABI.
interface <- 4L

entries <- c("about", "wants", "model", "model_free", "sampler", "sampler_free", "text", "set", "give", "run", "get",
             "step", "logp")

#' @rdname lbp_compile
#' @export
lbp_load <- function(path) {
  if (!is.character(path) || length(path) != 1 || !file.exists(path)) {
    fail("path: a file that lbp_compile has written, not ", paste(format(path), collapse = " "))
  }
  path <- normalizePath(path)
  # R unloads a file that it loads again, under the models that use it: each file is loaded once, and another one in its
  # place as a copy
  key <- paste(path, tools::md5sum(path))
  library <- state$libraries[[key]]
  if (is.null(library)) {
    library <- symbols(path)
    state$libraries[[key]] <- library
  }
  structure(function(...) new_model(library, list(...)), class = "lbp_library", name = library$name,
            wants = wants(library))
}

# A library of C as an environment of its functions.
symbols <- function(path) {
  from <- path
  if (path %in% vapply(getLoadedDLLs(), `[[`, "", "path")) {
    from <- tempfile("lbp-", fileext = ".so")
    file.copy(path, from)
    on.exit(unlink(from))
  }
  no_model <- paste0(path, ": no model of lbp: its source must end with #include \"lbp_bridge.h\"")
  loaded <- tryCatch(dyn.load(from), error = function(error) {
    fail(path, ": it can't be loaded as a library: ", conditionMessage(error))
  })
  found <- lapply(stats::setNames(nm = entries), function(name) {
    tryCatch(getNativeSymbolInfo(paste0("lbp_bridge_c_", name), loaded), error = function(error) fail(no_model))
  })
  library <- list2env(found, parent = emptyenv())
  library$session <- state$session
  library$loaded <- loaded
  about <- .C(library$about, abi = 0L, name = raw(1024))
  if (about$abi != interface) {
    fail(sprintf("%s: interface %d, not %d: compile it again, with this version's headers", path, about$abi,
                 interface))
  }
  library$name <- text_of(about$name)
  library
}

# The arrays of a model, and then its sizes, which arrays tell, or which are given as one number.
wants <- function(library) {
  all <- data.frame(name = character(), type = character(), length = character())
  repeat {
    want <- .C(library$wants, k = nrow(all), name = raw(1024), type = raw(1024), length = raw(1024))
    want <- lapply(want[-1], text_of)
    if (want$name == "") return(all)
    all <- rbind(all, as.data.frame(want))
  }
}

#' @export
print.lbp_library <- function(x, ...) {
  wants <- attr(x, "wants")
  sizes <- wants$name[wants$length == ""]
  arrays <- with(wants[wants$length != "", ], sprintf("%s (%s, %s)", name, type, length))
  cat("lbp model ", attr(x, "name"), " of ", paste(arrays, collapse = ", "), "; sizes ", paste(sizes, collapse = ", "),
      "\n", sep = "")
  invisible(x)
}
