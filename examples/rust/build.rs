//! Compiles the model in C and links it, without crates: `cargo build` runs it first. Copy it next to your Cargo.toml
//! and change the two paths. The compiler is CC, or cc.
use std::{env, path::PathBuf, process::Command, process::Stdio};

const MODEL: &str = "../bridge/qubo.c"; // ends with #include "lbp_bridge.h"
const HEADERS: &str = "../.."; // the folder of lbp_bridge.h

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let (object, library) = (out.join("model.o"), out.join("libmodel.a"));
    let words = env::var("CC").unwrap_or_else(|_| "cc".to_string()); // such as "ccache gcc"
    let compiler = || {
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(words);
        command
    };
    // some compilers refuse it on ARM and on RISC-V: tried on an empty program
    let mut native = compiler();
    native.args(["-march=native", "-E", "-x", "c", "/dev/null"]).stdout(Stdio::null()).stderr(Stdio::null());
    let native = if native.status().map_or(false, |s| s.success()) { "-march=native" } else { "-O3" };
    // link one model per program this way: all models have the same functions
    run(compiler().args(["-O3", native, "-fPIC", "-c", MODEL, "-I", HEADERS, "-o"]).arg(&object));
    run(Command::new("ar").arg("crs").arg(&library).arg(&object));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=model");
    println!("cargo:rustc-link-lib=m");
    println!("cargo:rerun-if-env-changed=CC");
    let headers = PathBuf::from(HEADERS); // not as a whole: it may have files that Cargo itself writes
    let top = headers.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_header = |path: &PathBuf| path.extension() == Some("h".as_ref());
    for file in [PathBuf::from(MODEL), headers.join("lbp")].into_iter().chain(top.filter(is_header)) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
}
