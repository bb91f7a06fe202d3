//! An Ising ring from Rust: `cargo run --release` in this folder, or without Cargo
//!   cc -O3 -march=native -fPIC -c -I../.. ../bridge/qubo.c -o qubo.o
//!   rustc --edition 2021 -O ring.rs -C link-arg=qubo.o -C link-arg=-lm && ./ring
mod lbp;

use lbp::{raw, Array, Error, Model, Sampler};

const N: usize = 50;
const J: f64 = 0.4;

/// log pi = J * (the sum of s_i s_i+1), s = 2 x - 1, up to a constant: each pair has 4 x_i x_j - 2 x_i - 2 x_j
fn ring() -> Result<Model, Error> {
    let (mut ends, mut value) = (Vec::new(), Vec::new());
    for i in 0..N as u32 {
        ends.extend([i, (i + 1) % N as u32, i, i]);
        value.extend([-4.0 * J, 4.0 * J]); // of the energy, which is -log pi
    }
    Model::new(&[
        Array::new("n", &[], &[N as u32])?,
        Array::new("ends", &[2 * N, 2], &ends)?,
        Array::new("value", &[2 * N], &value)?,
    ])
}

/// The mean of s_i s_i+1 over all draws.
fn bond(x: &[u8]) -> f64 {
    let alike = x.chunks(N).flat_map(|x| (0..N).map(|i| x[i] == x[(i + 1) % N])).filter(|&alike| alike).count();
    2.0 * alike as f64 / x.len() as f64 - 1.0
}

fn sample(model: &Model, seed: u64) -> Result<Vec<u8>, Error> {
    let mut sampler = Sampler::new(model)?;
    sampler.set("seed", seed)?.set("sampler", "gibbs")?.set("chains", 4)?.set("draws", 1000)?.set("thin", 5)?;
    sampler.give(&Array::new("start", &[N], &[0u8; N])?)?; // all chains begin there
    sampler.run("run")?;
    for (name, sentence) in sampler.warnings() {
        println!("{name}: {sentence}");
    }
    let (shape, x) = sampler.get::<u8>("x")?;
    println!("{} chains, {} draws, {} sites", shape[0], shape[1], shape[2]);
    let (_, lp) = sampler.get::<f64>("lp")?;
    println!("mean log pi {:.12}", lp.iter().sum::<f64>() / lp.len() as f64);
    Ok(x.to_vec())
}

fn run() -> Result<(), Error> {
    let model = ring()?;
    println!("lbp {}, {}, {} sites", lbp::version(), lbp::name(), model.sites());
    let x = sample(&model, 7)?;
    let t = J.tanh();
    let exact = (t + t.powi(N as i32 - 1)) / (1.0 + t.powi(N as i32));
    println!("mean of s_i s_i+1 {:.12}, exact {exact:.6}", bond(&x));
    println!("draws {}", x.iter().fold(0, |hash, &v| (hash * 31 + v as u64) % 1000000007));

    let mut steps = Sampler::new(&model)?;
    steps.set("sampler", "gibbs")?;
    let mut state = [0u8; N];
    let info = steps.step(3, 20, &mut state)?;
    println!("20 sweeps flip {} sites; log pi {:.12}", info[raw::JUMP], steps.logp(&state)?);
    println!("{}", state.iter().map(|v| v.to_string()).collect::<String>());

    // several threads, each with its own sampler
    let means: Vec<f64> = std::thread::scope(|scope| {
        let run = |seed| {
            let model = &model;
            move || -> Result<f64, Error> {
                let mut sampler = Sampler::new(model)?;
                sampler.set("seed", seed)?.set("sampler", "gibbs")?.run("run")?;
                Ok(bond(sampler.get::<u8>("x")?.1))
            }
        };
        let threads = [1, 2].map(|seed: u64| scope.spawn(run(seed)));
        threads.map(|thread| thread.join().expect("a thread panicked")).into_iter().collect::<Result<_, _>>()
    })?;
    println!("two threads {:.12} {:.12}", means[0], means[1]);

    match steps.set("chain", 4) {
        Err(error) => println!("refused: {}", error.sentence),
        Ok(_) => println!("an unknown option was taken"),
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("ring: {error}");
        std::process::exit(1);
    }
}
