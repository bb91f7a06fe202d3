//! lbp from Rust: the functions of lbp_bridge.h (`raw`), and safe types around them: `Model`, `Sampler`, `Array`,
//! `Error`. One file, no crates. Link it with one model that ends with `#include "lbp_bridge.h"`, as build.rs does.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::{fmt, marker::PhantomData, ptr};

#[allow(dead_code)]
pub mod raw {
    use std::os::raw::{c_char, c_int, c_void};

    pub const ABI: u32 = 4;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Array {
        pub name: *const c_char,
        pub length: *const c_char,
        pub kind: i32, // UINT8 ... DOUBLE
        pub dims: u32,
        pub shape: [u64; 3],
        pub data: *const c_void,
    }

    pub const UINT8: i32 = 0;
    pub const UINT16: i32 = 1;
    pub const UINT32: i32 = 2;
    pub const UINT64: i32 = 3;
    pub const INT32: i32 = 4;
    pub const INT64: i32 = 5;
    pub const FLOAT: i32 = 6;
    pub const DOUBLE: i32 = 7;

    pub const ACCEPT: usize = 0;
    pub const PARAMETER: usize = 1;
    pub const JUMP: usize = 2;
    pub const PROPOSED: usize = 3;
    pub const EVALUATIONS: usize = 4;
    pub const LOG_RATIO: usize = 5;
    pub const INFO: usize = 6;

    pub enum Model {}
    pub enum Sampler {}
    pub type Tell = extern "C" fn(data: *mut c_void, line: *const c_char, last: c_int);

    extern "C" {
        pub fn lbp_bridge_abi() -> u32;
        pub fn lbp_bridge_version() -> u32;
        pub fn lbp_bridge_name() -> *const c_char;
        pub fn lbp_bridge_error(status: c_int) -> *const c_char;
        pub fn lbp_bridge_wants(k: u32, array: *mut Array) -> c_int;
        pub fn lbp_bridge_model_array(model: *const Model, k: u32, array: *mut Array) -> c_int;
        pub fn lbp_bridge_model_make(
            arrays: *const Array,
            count: u32,
            model: *mut *mut Model,
            why: *mut c_char,
        ) -> c_int;
        pub fn lbp_bridge_model_free(model: *mut Model);
        pub fn lbp_bridge_sites(model: *const Model) -> u32;
        pub fn lbp_bridge_item_bytes(model: *const Model) -> u32;
        pub fn lbp_bridge_sampler_make(model: *mut Model, sampler: *mut *mut Sampler) -> c_int;
        pub fn lbp_bridge_sampler_free(sampler: *mut Sampler);
        pub fn lbp_bridge_message(sampler: *const Sampler) -> *const c_char;
        pub fn lbp_bridge_set(sampler: *mut Sampler, name: *const c_char, value: *const c_char) -> c_int;
        pub fn lbp_bridge_option(sampler: *mut Sampler, k: u32, value: *mut c_char) -> *const c_char;
        pub fn lbp_bridge_give(sampler: *mut Sampler, array: *const Array) -> c_int;
        pub fn lbp_bridge_listen(sampler: *mut Sampler, tell: Option<Tell>, data: *mut c_void);
        pub fn lbp_bridge_run(sampler: *mut Sampler, driver: *const c_char) -> c_int;
        pub fn lbp_bridge_interrupt(sampler: *mut Sampler);
        pub fn lbp_bridge_get(sampler: *mut Sampler, name: *const c_char, array: *mut Array) -> c_int;
        pub fn lbp_bridge_result(sampler: *mut Sampler, k: u32) -> *const c_char;
        pub fn lbp_bridge_sampler_name(sampler: *const Sampler) -> *const c_char;
        pub fn lbp_bridge_warning(sampler: *const Sampler, k: u32) -> *const c_char;
        pub fn lbp_bridge_warning_name(sampler: *const Sampler, k: u32) -> *const c_char;
        pub fn lbp_bridge_step(
            sampler: *mut Sampler,
            seed: u64,
            stream: u64,
            steps: u32,
            x: *mut c_void,
            info: *mut f64,
        ) -> c_int;
        pub fn lbp_bridge_logp(sampler: *mut Sampler, x: *const c_void, logp: *mut f64) -> c_int;
    }
}

/// A status other than LBP_OK, and the library's sentence: what is wrong, with the value, and what to do.
#[derive(Debug, Clone)]
pub struct Error {
    pub status: i32,
    pub sentence: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} (status {})", self.sentence, self.status)
    }
}

impl std::error::Error for Error {}

/// # Safety
/// `text` is NULL, or a text that ends with 0.
unsafe fn string(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    Some(CStr::from_ptr(text).to_string_lossy().into_owned())
}

fn c_string(text: &str) -> Result<CString, Error> {
    CString::new(text)
        .map_err(|_| Error { status: -1, sentence: format!("{text:?}: a text may not contain the byte 0") })
}

fn fail(status: c_int, sentence: Option<String>) -> Error {
    let general = || unsafe { string(raw::lbp_bridge_error(status)) };
    Error { status, sentence: sentence.filter(|s| !s.is_empty()).or_else(general).unwrap_or_default() }
}

/// The model's name.
pub fn name() -> String {
    unsafe { string(raw::lbp_bridge_name()) }.unwrap_or_default()
}

/// The library's version, such as 1.2.3.
pub fn version() -> String {
    let v = unsafe { raw::lbp_bridge_version() };
    format!("{}.{}.{}", v / 10000, v / 100 % 100, v % 100)
}

/// Numbers that the library takes and returns.
///
/// # Safety
/// The library reads and writes them as KIND, so they must have its size, and any bits must be one of them.
pub unsafe trait Item: Copy {
    const KIND: i32;
}
macro_rules! items { ($($t:ty = $kind:ident),*) => { $(unsafe impl Item for $t { const KIND: i32 = raw::$kind; })* } }
items!(u8 = UINT8, u16 = UINT16, u32 = UINT32, u64 = UINT64, i32 = INT32, i64 = INT64, f32 = FLOAT, f64 = DOUBLE);

/// An array for the library: its name, its shape, the last index first in memory, and its numbers.
pub struct Array<'a> {
    name: CString,
    raw: raw::Array,
    numbers: PhantomData<&'a ()>,
}

impl<'a> Array<'a> {
    pub fn new<T: Item>(name: &str, shape: &[usize], data: &'a [T]) -> Result<Array<'a>, Error> {
        let numbers = shape.iter().try_fold(1, |product: usize, &side| product.checked_mul(side));
        if shape.len() > 3 || numbers != Some(data.len()) {
            let sentence = format!("{name}: {} numbers do not have the shape {shape:?}", data.len());
            return Err(Error { status: -1, sentence });
        }
        let mut sides = [0; 3];
        for (side, &given) in sides.iter_mut().zip(shape) {
            *side = given as u64;
        }
        let raw = raw::Array {
            name: ptr::null(),
            length: ptr::null(),
            kind: T::KIND,
            dims: shape.len() as u32,
            shape: sides,
            data: data.as_ptr() as *const c_void,
        };
        Ok(Array { name: c_string(name)?, raw, numbers: PhantomData })
    }

    fn pass(&self) -> raw::Array {
        raw::Array { name: self.name.as_ptr(), ..self.raw }
    }
}

/// A model: it owns copies of its arrays. Samplers of one model may run in several threads.
pub struct Model(*mut raw::Model);

unsafe impl Send for Model {}
unsafe impl Sync for Model {} // runs only read it

impl Model {
    pub fn new(arrays: &[Array]) -> Result<Model, Error> {
        let abi = unsafe { raw::lbp_bridge_abi() };
        if abi != raw::ABI {
            return Err(Error {
                status: -1,
                sentence: format!("lbp.rs is for interface {}, the model has {abi}", raw::ABI),
            });
        }
        let passed: Vec<raw::Array> = arrays.iter().map(Array::pass).collect();
        let (mut model, mut why) = (ptr::null_mut(), [0 as c_char; 1024]);
        unsafe {
            match raw::lbp_bridge_model_make(passed.as_ptr(), passed.len() as u32, &mut model, why.as_mut_ptr()) {
                0 => Ok(Model(model)),
                status => Err(fail(status, string(why.as_ptr()))),
            }
        }
    }

    pub fn sites(&self) -> usize {
        unsafe { raw::lbp_bridge_sites(self.0) as usize }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { raw::lbp_bridge_model_free(self.0) }
    }
}

/// A sampler of a model: options, and the results of its last run, which borrow it.
pub struct Sampler<'m> {
    raw: *mut raw::Sampler,
    model: &'m Model,
}

unsafe impl Send for Sampler<'_> {} // by one thread at a time

impl<'m> Sampler<'m> {
    pub fn new(model: &'m Model) -> Result<Sampler<'m>, Error> {
        let mut raw = ptr::null_mut();
        match unsafe { raw::lbp_bridge_sampler_make(model.0, &mut raw) } {
            0 => Ok(Sampler { raw, model }),
            status => Err(fail(status, None)),
        }
    }

    fn judge(&self, status: c_int) -> Result<(), Error> {
        if status == 0 {
            return Ok(());
        }
        Err(fail(status, unsafe { string(raw::lbp_bridge_message(self.raw)) }))
    }

    /// Sets an option of lbp_run by its name: set("chains", 8)?.
    pub fn set(&mut self, name: &str, value: impl ToString) -> Result<&mut Self, Error> {
        let (name, value) = (c_string(name)?, c_string(&value.to_string())?);
        let status = unsafe { raw::lbp_bridge_set(self.raw, name.as_ptr(), value.as_ptr()) };
        self.judge(status)?;
        Ok(self)
    }

    /// Sets an option that is an array: "start", "clamp", "tempering.ladder".
    pub fn give(&mut self, array: &Array) -> Result<&mut Self, Error> {
        let status = unsafe { raw::lbp_bridge_give(self.raw, &array.pass()) };
        self.judge(status)?;
        Ok(self)
    }

    /// Does a whole run by "run", "anneal" or "ais".
    pub fn run(&mut self, driver: &str) -> Result<(), Error> {
        let driver = c_string(driver)?;
        let status = unsafe { raw::lbp_bridge_run(self.raw, driver.as_ptr()) };
        self.judge(status)
    }

    /// A result of the last run: its shape, and its numbers.
    pub fn get<T: Item>(&self, name: &str) -> Result<(Vec<usize>, &[T]), Error> {
        let c_name = c_string(name)?;
        let mut a: raw::Array = unsafe { std::mem::zeroed() };
        let status = unsafe { raw::lbp_bridge_get(self.raw, c_name.as_ptr(), &mut a) };
        if status != 0 {
            return Err(Error { status, sentence: format!("the last run has no result {name:?}") });
        }
        if a.kind != T::KIND {
            let sentence =
                format!("{name}: its numbers are of type {}, not {} (raw::DOUBLE and so on)", a.kind, T::KIND);
            return Err(Error { status: -1, sentence });
        }
        let shape: Vec<usize> = a.shape[..a.dims as usize].iter().map(|&side| side as usize).collect();
        let items = shape.iter().product();
        if items == 0 {
            return Ok((shape, &[]));
        }
        Ok((shape, unsafe { std::slice::from_raw_parts(a.data as *const T, items) }))
    }

    /// Why results of the last run may be unreliable although there was no error: names and sentences.
    pub fn warnings(&self) -> Vec<(String, String)> {
        let warning = |k| unsafe {
            Some((string(raw::lbp_bridge_warning_name(self.raw, k))?, string(raw::lbp_bridge_warning(self.raw, k))?))
        };
        (0..).map_while(warning).collect()
    }

    fn is_state<T: Item>(&self, x: &[T]) -> Result<(), Error> {
        let (sites, bytes) = (self.model.sites(), unsafe { raw::lbp_bridge_item_bytes(self.model.0) as usize });
        if x.len() == sites && std::mem::size_of::<T>() == bytes {
            return Ok(());
        }
        Err(Error { status: -1, sentence: format!("a state has {sites} items of {bytes} bytes, not {}", x.len()) })
    }

    /// Takes `steps` steps from x, which becomes the last state. Returns figures: [raw::ACCEPT] and so on.
    pub fn step<T: Item>(&mut self, seed: u64, steps: u32, x: &mut [T]) -> Result<[f64; raw::INFO], Error> {
        self.is_state(x)?;
        let mut info = [0.0; raw::INFO];
        let state = x.as_mut_ptr() as *mut c_void;
        let status = unsafe { raw::lbp_bridge_step(self.raw, seed, 0, steps, state, info.as_mut_ptr()) };
        self.judge(status)?;
        Ok(info)
    }

    /// log pi of a state.
    pub fn logp<T: Item>(&mut self, x: &[T]) -> Result<f64, Error> {
        self.is_state(x)?;
        let mut logp = 0.0;
        let status = unsafe { raw::lbp_bridge_logp(self.raw, x.as_ptr() as *const c_void, &mut logp) };
        self.judge(status)?;
        Ok(logp)
    }
}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        unsafe { raw::lbp_bridge_sampler_free(self.raw) }
    }
}
