//! The recorder: exported functions take and return plain numbers. Larger values go through one
//! buffer, the *scratch*: the page writes arguments to it and reads results from it. Tensors are
//! numbered handles, which the page releases when it is done with them.
//!
//! Functions return [`FAILED`] if a call was rejected; [`fault`] then returns the error.
mod compiled;
mod optimizers;
mod scratch;
mod slab;
mod tensor_table;
mod tensors;

use brasa::{Error, ErrorKind, Result, Tensor};
use brasa_ir::Site;
use scratch::Scratch;
use std::cell::{Cell, RefCell};
use tensor_table::TensorTable;

/// The return value of a rejected call.
pub const FAILED: u32 = u32::MAX;
/// The handle of no tensor.
pub const NONE: u32 = u32::MAX - 1;

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    static TENSORS: RefCell<TensorTable> = const { RefCell::new(TensorTable::new()) };
    static FAULT: RefCell<Option<Error>> = const { RefCell::new(None) };
    static SITE: Cell<u32> = const { Cell::new(0) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Calls one of the page's functions with the tensors whose handles are in the scratch.
    /// Returns the handle of its result, or [`FAILED`] if it threw.
    fn trace(function: u32, count: u32) -> u32;
}

#[cfg(not(target_family = "wasm"))]
unsafe fn trace(_: u32, _: u32) -> u32 {
    FAILED
}

/// Must be called first.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn start() {
    brasa::set_default_device(brasa::Device::remote());
}

/// Writes the name of the build, which must equal the page's; returns its length.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn build_name() -> u32 {
    write_result(|to| to.text(option_env!("BRASA_BUILD").unwrap_or("unnamed")))
}

/// Grows the scratch to at least this length and returns its address.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn scratch(len: u32) -> *mut u8 {
    SCRATCH.with_borrow_mut(|scratch| scratch.reserve(len as usize))
}

/// Sets the call site of the following calls: entry `n` of the page's list, or 0 for none.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_site(n: u32) {
    SITE.set(n);
}

/// Writes the error of the last rejected call: kind, op, message, call site. Returns the length.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn fault() -> u32 {
    let Some(error) = FAULT.take() else { return 0 };
    write_result(|to| write_error(to, &error))
}

fn write_error(to: &mut scratch::Writer, error: &Error) {
    to.byte(match error.kind() {
        ErrorKind::Shape => 0,
        ErrorKind::DType => 1,
        ErrorKind::Argument => 2,
        ErrorKind::Data => 3,
        ErrorKind::Stale => 4,
        ErrorKind::Device => 5,
    });
    to.text(error.op());
    to.text(&error.message());
    to.text(&error.site().map_or(String::new(), Site::to_string));
}

/// The site of the current call.
fn site() -> Site {
    match SITE.get() {
        0 => Site::Text("".into()),
        n => Site::Text(format!("#{n}").into()),
    }
}

/// Writes a result to the scratch; returns its length.
fn write_result(write: impl FnOnce(&mut scratch::Writer)) -> u32 {
    let mut writer = scratch::Writer::default();
    write(&mut writer);
    SCRATCH.with_borrow_mut(|scratch| scratch.write(writer))
}

/// Reads the arguments that the page has written to the scratch.
fn read_arguments<T>(len: u32, read: impl FnOnce(&mut scratch::Reader) -> Result<T>) -> Result<T> {
    let scratch = SCRATCH.take();
    let result = read(&mut scratch.read(len as usize));
    SCRATCH.set(scratch);
    result
}

/// The return value of a call: its number, or [`FAILED`].
fn status_of(result: Result<u32>) -> u32 {
    result.unwrap_or_else(|error| {
        FAULT.set(Some(error));
        FAILED
    })
}

/// `status_of`, for calls that `brasa` may reject by panicking.
fn run_call(body: impl FnOnce() -> Result<u32>) -> u32 {
    status_of(brasa::catch(body).and_then(|result| result))
}

fn tensor(handle: u32) -> Result<Tensor> {
    let disposed = || {
        let error = Error::stale("tensor", "it was disposed of");
        error.help("keep it outside of scope(), or use it before dispose()")
    };
    TENSORS.with_borrow_mut(|all| all.get(handle)).ok_or_else(disposed)
}

/// A new handle to a tensor that is never evicted.
fn handle(x: Tensor) -> u32 {
    TENSORS.with_borrow_mut(|all| all.add(x, false))
}

/// A new handle to the result of an op, which may be evicted.
fn evictable_handle(x: Tensor) -> u32 {
    TENSORS.with_borrow_mut(|all| all.add(x, true))
}

/// Writes new handles of all to the scratch; returns their number.
fn write_handles(all: Vec<Tensor>) -> u32 {
    let count = all.len() as u32;
    let all: Vec<u32> = all.into_iter().map(evictable_handle).collect();
    write_result(|to| all.iter().for_each(|handle| to.u32(*handle)));
    count
}
