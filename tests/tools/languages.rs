//! Part of languages.sh: lbp.rs refuses shapes of other numbers than there are, states and results of other types.
#[allow(dead_code)]
#[path = "../../examples/rust/lbp.rs"]
mod lbp;
use lbp::{Array, Model, Sampler};

fn refused(shape: &[usize], data: &[u8]) {
    let error = Array::new("start", shape, data).err().unwrap_or_else(|| panic!("{shape:?} is taken"));
    assert!(error.sentence.contains("do not have the shape"), "{}", error.sentence);
}

fn main() -> Result<(), lbp::Error> {
    refused(&[3], &[0; 2]);
    refused(&[], &[]);
    refused(&[1, 1, 1, 2], &[0; 2]);
    refused(&[1 << (usize::BITS - 1), 2], &[]); // 2^64 is 0
    refused(&[1 << (usize::BITS - 1), 2, 2], &[]);
    let ends = [0u32, 1];
    let model = Model::new(&[
        Array::new("n", &[], &[2u32])?,
        Array::new("ends", &[1, 2], &ends)?,
        Array::new("value", &[1], &[1.0])?,
    ])?;
    let mut sampler = Sampler::new(&model)?;
    assert!(sampler.give(&Array::new("start", &[0, 2], &[0u8; 0])?).is_err());
    assert!(sampler.logp(&[0u8; 3]).is_err() && sampler.logp(&[0u16; 2]).is_err());
    sampler.set("draws", 100)?.run("run")?;
    assert!(sampler.get::<f32>("lp").is_err() && sampler.get::<f64>("no such").is_err());
    Ok(())
}
