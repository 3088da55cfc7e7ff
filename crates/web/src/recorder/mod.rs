//! The recorder: functions that take and give plain numbers. Whatever is larger stands in one buffer,
//! the *scratch*, which the page writes arguments to and reads results from. Tensors are numbers too,
//! each a handle that the page gives back when it is done with it.
//!
//! Functions give [`FAILED`] where a call was rejected; [`fault`] then tells why.
mod compiled;
mod held;
mod optimizers;
mod scratch;
mod slab;
mod tensors;

use brasa::{Error, ErrorKind, Result, Tensor};
use brasa_ir::Site;
use held::Held;
use scratch::Scratch;
use std::cell::{Cell, RefCell};

/// What a function gives where a call was rejected.
pub const FAILED: u32 = u32::MAX;
/// A handle to nothing.
pub const NONE: u32 = u32::MAX - 1;

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
    static TENSORS: RefCell<Held> = const { RefCell::new(Held::new()) };
    static FAULT: RefCell<Option<Error>> = const { RefCell::new(None) };
    static SITE: Cell<u32> = const { Cell::new(0) };
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Calls a function of the page's with tensors, whose handles are in the scratch; gives the handle
    /// of its result, or [`FAILED`] where it threw.
    fn trace(function: u32, count: u32) -> u32;
}

#[cfg(not(target_family = "wasm"))]
unsafe fn trace(_: u32, _: u32) -> u32 {
    FAILED
}

/// Has to be called before all else.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn start() {
    brasa::set_default_device(brasa::Device::remote());
}

/// The name of the build, which the page's own must equal; its length.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn build_name() -> u32 {
    written(|to| to.text(option_env!("BRASA_BUILD").unwrap_or("unnamed")))
}

/// Makes the scratch at least this long and gives its address.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn scratch(len: u32) -> *mut u8 {
    SCRATCH.with_borrow_mut(|scratch| scratch.reserve(len as usize))
}

/// Says where calls from here on are made: place `n` of the page's list, or nowhere in particular (0).
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn set_site(n: u32) {
    SITE.set(n);
}

/// Why the last call was rejected: kind, op, message, place. Gives how long the answer is.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn fault() -> u32 {
    let Some(error) = FAULT.take() else { return 0 };
    written(|to| write_error(to, &error))
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

/// The place of the current call.
fn site() -> Site {
    match SITE.get() {
        0 => Site::Text("".into()),
        n => Site::Text(format!("#{n}").into()),
    }
}

/// Writes a result to the scratch; gives its length.
fn written(write: impl FnOnce(&mut scratch::Writer)) -> u32 {
    let mut writer = scratch::Writer::default();
    write(&mut writer);
    SCRATCH.with_borrow_mut(|scratch| scratch.write(writer))
}

/// Reads the arguments that the page has left in the scratch.
fn arguments<T>(len: u32, read: impl FnOnce(&mut scratch::Reader) -> Result<T>) -> Result<T> {
    let scratch = SCRATCH.take();
    let result = read(&mut scratch.read(len as usize));
    SCRATCH.set(scratch);
    result
}

/// The number that a call gives, or [`FAILED`].
fn outcome(result: Result<u32>) -> u32 {
    result.unwrap_or_else(|error| {
        FAULT.set(Some(error));
        FAILED
    })
}

/// `outcome` of calls that are rejected by the facade itself.
fn caught(body: impl FnOnce() -> Result<u32>) -> u32 {
    outcome(brasa::catch(body).and_then(|result| result))
}

fn tensor(handle: u32) -> Result<Tensor> {
    let lost = || {
        let error = Error::stale("tensor", "it was disposed of");
        error.help("keep it outside of scope(), or use it before dispose()")
    };
    TENSORS.with_borrow_mut(|all| all.get(handle)).ok_or_else(lost)
}

/// A new handle to what the page wants to keep.
fn handle(x: Tensor) -> u32 {
    TENSORS.with_borrow_mut(|all| all.add(x, false))
}

/// A new handle to the result of an op, which the page may have forgotten already.
fn soft(x: Tensor) -> u32 {
    TENSORS.with_borrow_mut(|all| all.add(x, true))
}

/// Handles of all, in the scratch; how many they are.
fn handles(all: Vec<Tensor>) -> u32 {
    let count = all.len() as u32;
    let all: Vec<u32> = all.into_iter().map(soft).collect();
    written(|to| all.iter().for_each(|handle| to.u32(*handle)));
    count
}
