//! The kernels through C, for a process of another language: open a workload, run a strategy of it, read the buffers.
//!
//! All functions take what [`xslice_open`] gave and share these rules (S): the handle is not null, was not closed, and is used by one
//! thread at a time; memory that a function points to belongs to the handle and lives as long as it.

use crate::forms::Form;
use crate::onnx;
use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use xslice_cli::Result;
use xslice_cli::bench::data::Data;
use xslice_cli::bench::prepared::{Copy, Prepared, Strategy};
use xslice_cli::bench::{traffic, workloads};

/// A workload that is ready to run.
pub struct Handle {
    prepared: Prepared,
    description: CString,
    model: Vec<u8>,
}

/// Compiles the workload of that name; null if there is none.
///
/// # Safety
/// `name` points to bytes that end in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_open(name: *const c_char) -> *mut Handle {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    match open(name) {
        Ok(Some(handle)) => Box::into_raw(Box::new(handle)),
        Ok(None) => ptr::null_mut(),
        Err(error) => {
            eprintln!("{error}");
            ptr::null_mut()
        }
    }
}

fn open(name: &CStr) -> Result<Option<Handle>> {
    let mut all = workloads::all();
    let Some(workload) = all.find(|workload| workload.name.as_bytes() == name.to_bytes()) else {
        return Ok(None);
    };
    let form = Form::new(workload)?;
    let prepared = Prepared::new(workload)?;
    let strategies = Strategy::ALL.iter().enumerate();
    let strategies: Vec<_> = strategies
        .filter(|(_, strategy)| prepared.has(**strategy))
        .map(|(at, strategy)| format!("\"{}\": {at}", strategy.name()))
        .collect();
    let text = format!(
        "{{\"form\": {}, \"strategies\": {{{}}}, \"copies\": {}, \"traffic\": {:.6}}}",
        form.json(),
        strategies.join(", "),
        Copy::candidates(prepared.generates()).len(),
        traffic(&prepared)
    );
    Ok(CString::new(text).ok().map(|description| Handle {
        prepared,
        description,
        model: onnx::model(&form),
    }))
}

/// The names of all workloads, one a line; of the process.
#[unsafe(no_mangle)]
pub extern "C" fn xslice_names() -> *const c_char {
    static NAMES: std::sync::OnceLock<CString> = std::sync::OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let names: Vec<_> = workloads::all().map(|workload| workload.name).collect();
        CString::new(names.join("\n")).unwrap_or_default()
    });
    names.as_ptr()
}

/// The form of the workload, its strategies and its traffic, as JSON.
///
/// # Safety
/// (S)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_describe(handle: *const Handle) -> *const c_char {
    // SAFETY: (S).
    let handle = unsafe { &*handle };
    handle.description.as_ptr()
}

/// The workload as an ONNX model, and its length.
///
/// # Safety
/// (S), and `len` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_model(handle: *const Handle, len: *mut usize) -> *const u8 {
    // SAFETY: (S); `len` is the caller's promise.
    let (handle, len) = unsafe { (&*handle, &mut *len) };
    *len = handle.model.len();
    handle.model.as_ptr()
}

/// The bytes of operand `at`, null if there is none.
///
/// # Safety
/// (S); they are read only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_operand(handle: *const Handle, at: usize) -> *const u8 {
    // SAFETY: (S).
    let handle = unsafe { &*handle };
    let operand = handle.prepared.operands().get(at);
    operand.map_or(ptr::null(), |data| data.input().bytes().as_ptr())
}

/// The bytes of the result.
///
/// # Safety
/// (S); they are read only, and not during [`xslice_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_output(handle: *const Handle) -> *const u8 {
    // SAFETY: (S).
    let handle = unsafe { &*handle };
    let output: &Data = handle.prepared.output();
    output.input().bytes().as_ptr()
}

/// Runs strategy `at` that many times; 0 if it did.
///
/// # Safety
/// (S)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_run(handle: *mut Handle, at: usize, times: u64) -> c_int {
    // SAFETY: (S).
    let handle = unsafe { &mut *handle };
    let strategy = Strategy::ALL.get(at);
    let ran = strategy.map(|strategy| handle.prepared.run(*strategy, times));
    c_int::from(!matches!(ran, Some(Ok(()))))
}

/// Runs copy `at`, which bounds every strategy, that many times; 0 if it did.
///
/// # Safety
/// (S)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_copy(handle: *mut Handle, at: usize, times: u64) -> c_int {
    // SAFETY: (S).
    let handle = unsafe { &mut *handle };
    let copy = Copy::candidates(handle.prepared.generates()).get(at);
    let ran = copy.map(|copy| handle.prepared.copy(*copy, times));
    c_int::from(!matches!(ran, Some(Ok(()))))
}

/// Frees the workload.
///
/// # Safety
/// (S); the handle is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xslice_close(handle: *mut Handle) {
    // SAFETY: (S); `xslice_open` made it by `Box::into_raw`.
    drop(unsafe { Box::from_raw(handle) });
}
