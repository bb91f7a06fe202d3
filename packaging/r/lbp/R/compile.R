# Model files become libraries, once each: the cache knows them by what they are made from.

lbp_include <- function() system.file("include", package = "lbp", mustWork = TRUE)

# One of the library's own model files.
model_file <- function(name) system.file("models", name, package = "lbp", mustWork = TRUE)

lbp_cache <- function(clear = FALSE) {
  folder <- Sys.getenv("LBP_CACHE")
  if (!nzchar(folder)) folder <- tools::R_user_dir("lbp", "cache")
  if (clear) unlink(list.files(folder, "[.](so|rds|part|d)$", full.names = TRUE))
  folder
}

# Quotes in Makefiles and in variables of the environment are the shell's.
words <- function(text) if (length(text) == 1) scan(text = text, what = "", quiet = TRUE) else as.character(text)

# What R itself compiles with, by the names of R CMD config; asked once.
configured <- function(name) {
  if (is.null(state[[name]])) {
    said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), c("CMD", "config", name), stdout = TRUE, stderr = FALSE))
    state[[name]] <- if (is.null(attr(said, "status"))) words(paste(said, collapse = " ")) else character()
  }
  state[[name]]
}

compiler <- function(cc) {
  command <- if (!is.null(cc)) words(cc) else if (nzchar(Sys.getenv("CC"))) words(Sys.getenv("CC")) else configured("CC")
  path <- if (length(command)) Sys.which(command[1]) else ""
  if (!nzchar(path)) {
    fail("there is no C compiler '", if (length(command)) command[1], "': install one (gcc, clang), or name one by cc or CC")
  }
  about <- file.info(normalizePath(path))
  list(command = command, identity = c(command, rownames(about), about$size, format(about$mtime, "%s")))
}

build <- function(command, arguments) {
  said <- suppressWarnings(system2(command[1], shQuote(c(command[-1], arguments)), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) {
    fail(paste(c(paste0(paste(c(command, arguments), collapse = " "), ":"), said), collapse = "\n"))
  }
}

# What -march=native depends on.
machine <- function() {
  about <- if (file.exists("/proc/cpuinfo")) readLines("/proc/cpuinfo", 200, warn = FALSE) else character()
  c(Sys.info()[c("sysname", "machine")], unique(grep("^(vendor_id|cpu family|model|flags|CPU part|Features)\\b", about, value = TRUE)))
}

text_sum <- function(text) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(enc2utf8(text), file, useBytes = TRUE)
  unname(tools::md5sum(file))
}

# The files that a compiler's -MD names.
prerequisites <- function(rules) {
  text <- sub("^[^:]*:", "", paste(sub("\\\\$", "", readLines(rules, warn = FALSE)), collapse = " "))
  normalizePath(gsub("\\\\(.)", "\\1", regmatches(text, gregexpr("(\\\\.|[^\\\\[:space:]])+", text))[[1]]))
}

# The library of a record, if all files that it was made from are as they were; else NULL.
fresh <- function(record) {
  known <- tryCatch(suppressWarnings(readRDS(record)), error = function(error) NULL)
  if (!is.list(known) || !is.character(known$files) || !is.character(known$library)) return(NULL)
  library <- file.path(dirname(record), known$library)
  same <- identical(tools::md5sum(names(known$files)), known$files) &&
    identical(paste0(unname(tools::md5sum(library)), ".so"), known$library)
  if (same) library
}

# The library of a source, made if need be; NULL: the cache's folder can't be written to.
cached <- function(command, arguments, source, libs, identity) {
  record <- file.path(lbp_cache(), paste0(text_sum(identity), ".rds"))
  found <- fresh(record)
  if (!is.null(found)) return(found)
  folder <- dirname(record)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  part <- tempfile("lbp-", folder, ".part")
  rules <- sub("part$", "d", part)
  on.exit(unlink(c(part, rules)))
  if (!suppressWarnings(file.create(part))) return(NULL)
  build(command, c(arguments, "-MD", "-MF", rules, source, "-o", part, libs))
  library <- paste0(unname(tools::md5sum(part)), ".so")
  saveRDS(list(library = library, files = tools::md5sum(prerequisites(rules))), rules)
  # a file that others may have loaded is never written to: it is replaced as a whole
  if (!file.rename(part, file.path(folder, library)) || !file.rename(rules, record)) return(NULL)
  file.path(folder, library)
}

lbp_compile <- function(source, cc = NULL, flags = NULL, defines = character(), libs = "-lm", output = NULL, cache = TRUE) {
  if (!is.character(source) || length(source) != 1 || is.na(source)) fail("source: the path of a model file")
  if (!file.exists(source)) fail(source, ": there is no such file")
  source <- normalizePath(source)
  with <- compiler(cc)
  if (is.null(flags)) flags <- if (nzchar(Sys.getenv("CFLAGS"))) Sys.getenv("CFLAGS") else "-O1 -march=native"
  position <- configured("CPICFLAGS")
  arguments <- c(words(flags), defines, "-shared", if (length(position)) position else "-fPIC", "-pthread",
                 paste0("-I", lbp_include()))
  if (!is.null(output)) {
    output <- file.path(normalizePath(dirname(output)), basename(output))
    build(with$command, c(arguments, source, "-o", output, libs))
    return(lbp_load(output))
  }
  paths <- Sys.getenv(c("CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SDKROOT"))
  identity <- c(as.character(utils::packageVersion("lbp")), with$identity, arguments, libs, source, paths,
                if (any(grepl("native", arguments))) machine() else Sys.info()[c("sysname", "machine")])
  found <- if (cache) cached(with$command, arguments, source, libs, identity)
  if (!is.null(found)) return(lbp_load(found))
  folder <- tempfile("lbp-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE)) # what is loaded stays so
  build(with$command, c(arguments, source, "-o", file.path(folder, "model.so"), libs))
  lbp_load(file.path(folder, "model.so"))
}

# What lbp_bridge.h's LBP_BRIDGE_ABI is.
interface <- 3L

lbp_load <- function(path) {
  if (!is.character(path) || length(path) != 1 || !file.exists(path)) fail("path: a library that lbp_compile has made")
  loaded <- tryCatch(dyn.load(normalizePath(path)), error = function(error) fail(conditionMessage(error)))
  names <- c("about", "wants", "model", "model_free", "sampler", "sampler_free", "text", "set", "give", "run", "get",
             "step", "logp")
  symbol <- function(name) {
    tryCatch(getNativeSymbolInfo(name, loaded), error = function(error) {
      fail(path, ": no library that lbp_compile has made: it has no ", name)
    })
  }
  library <- list2env(lapply(stats::setNames(paste0("lbp_bridge_c_", names), names), symbol), parent = emptyenv())
  library$session <- state$session
  library$loaded <- loaded
  about <- .C(library$about, abi = 0L, name = raw(1024))
  if (about$abi != interface) {
    fail(sprintf("%s: interface %d, not %d: compile it again", path, about$abi, interface))
  }
  library$name <- text_of(about$name)
  structure(function(...) new_model(library, list(...)), class = "lbp_library", name = library$name,
            wants = wants(library))
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

print.lbp_library <- function(x, ...) {
  wants <- attr(x, "wants")
  sizes <- wants$name[wants$length == ""]
  arrays <- with(wants[wants$length != "", ], sprintf("%s (%s, %s)", name, type, length))
  cat("lbp model ", attr(x, "name"), " of ", paste(arrays, collapse = ", "), "; sizes ", paste(sizes, collapse = ", "),
      "\n", sep = "")
  invisible(x)
}
