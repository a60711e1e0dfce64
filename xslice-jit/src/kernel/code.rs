//! The machine code of one function: how it is compiled, the pages that it lies in, and what it calls.
//!
//! A [`Code`] owns the pages of its function and gives them back when the last kernel that uses it is gone.

use crate::assembly;
use crate::codegen::{self, Helpers};
use crate::key::{Body, Structure};
use crate::pieces::LINE;
use crate::{Decline, Listing};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{
    BranchProtection, JITBuilder, JITMemoryKind, JITMemoryProvider, JITModule, SystemMemoryProvider,
};
use cranelift_module::{FuncId, Module, ModuleError, ModuleResult, default_libcall_names};
use std::cell::RefCell;
use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use xslice_core::ir::Schedule;

/// `fn(numbers, buffers, dst, first, second) -> passed`: see `codegen`.
type Entry =
    unsafe extern "C" fn(*const i64, *const *const u8, *mut u8, *const u8, *const u8) -> bool;

/// The machine code of one structure, or of one nest if its numbers are baked in.
pub(crate) struct Code {
    pub(super) entry: Entry,
    pages: Pages,
}

/// The module that owns the pages, freed with it: a dropped `JITModule` alone would leak them. `JITModule` is `Send` but not `Sync`,
/// so it lies behind a lock that nothing but `drop` takes.
struct Pages {
    module: Mutex<Option<JITModule>>,
    bytes: usize,
    /// Bytes in use by all code of one `Jit`.
    in_use: Arc<AtomicUsize>,
}

impl Code {
    /// Machine code of `body`, in pages of its own.
    pub(crate) fn compile(
        body: Body<'_>,
        memory: MemoryPolicy,
        in_use: &Arc<AtomicUsize>,
    ) -> Result<Self, Decline> {
        let isa = codegen::host().map_err(|_| Decline::Host)?;
        let mut builder = JITBuilder::with_isa(isa.clone(), default_libcall_names());
        if let Some(denied) = Denied::by(memory) {
            builder.memory_provider(Box::new(denied));
        }
        if !can_be_profiled() {
            return Err(Decline::Codegen);
        }
        let mut pages = Pages {
            module: Mutex::new(None),
            bytes: 0,
            in_use: Arc::clone(in_use),
        };
        let module = pages.own(JITModule::new(builder));
        let signature = codegen::signature(isa);
        let id = module
            .declare_anonymous_function(&signature)
            .map_err(declined)?;
        let bytes = match body {
            Body::Pieces(pieces) => {
                let code = assembly::assemble(&assembly::instructions(pieces), pieces);
                let defined = module.define_function_bytes(id, LINE as u64, &code, &[]);
                defined.map_err(declined)?;
                code.len()
            }
            Body::Keyed(structure) => generated(module, isa, id, structure, None)?,
            Body::Baked(structure, numbers) => {
                generated(module, isa, id, structure, Some(numbers))?
            }
        };
        module.finalize_definitions().map_err(declined)?;
        let address = module.get_finalized_function(id);
        pages.measure(bytes);
        // SAFETY: `address` is the function that was just compiled with `codegen::signature`, which has the five pointer parameters, the
        // result (0 or 1) and the calling convention of `Entry`; or it was assembled for these by `assembly`, which writes no register
        // that the convention keeps, of instructions that the processor has (`pieces::of`). Its pages are executable since
        // `finalize_definitions` and stay mapped while `pages` lives, which is as long as `entry`.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Ok(Self { entry, pages })
    }

    /// About what a module of the code generator takes beside the pages of its function.
    pub(crate) const HEAP: usize = 2 << 10;

    /// Bytes of memory mapped for the code.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.bytes
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl Pages {
    fn own(&mut self, module: JITModule) -> &mut JITModule {
        let slot = self
            .module
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        slot.insert(module)
    }

    /// Memory is mapped in pages, for each function its own.
    fn measure(&mut self, code: usize) {
        self.bytes = code.next_multiple_of(region::page::size());
        self.in_use.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.in_use.fetch_sub(self.bytes, Ordering::Relaxed);
        let slot = self
            .module
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = slot.take() {
            // SAFETY: `Pages` is dropped with the `Code` that holds the only copy of the entry point, and a call holds a
            // reference to that `Code` until it returns: no function of the module runs, and none is called afterwards.
            unsafe { module.free_memory() }
        }
    }
}

/// Defines a function by the code generator. Gives its bytes.
fn generated(
    module: &mut JITModule,
    isa: &OwnedTargetIsa,
    id: FuncId,
    structure: &Structure,
    baked: Option<&[i64]>,
) -> Result<usize, Decline> {
    with_workspace(|context, frontend| {
        codegen::write(context, frontend, isa, structure, baked, helpers());
        module.define_function(id, context).map_err(declined)?;
        let code = context.compiled_code();
        Ok(code.map_or(0, |code| code.code_buffer().len()))
    })
}

/// Whether functions can be written down for `perf` where the environment asks for it. The code generator does that, and panics where it
/// cannot.
fn can_be_profiled() -> bool {
    if !cfg!(unix) || std::env::var_os("PERF_BUILDID_DIR").is_none() {
        return true;
    }
    let map = format!("/tmp/perf-{}.map", std::process::id());
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(map)
        .is_ok()
}

/// Cranelift's working memory, kept for the next compilation of this thread.
fn with_workspace<T>(
    compile: impl FnOnce(&mut Context, &mut FunctionBuilderContext) -> Result<T, Decline>,
) -> Result<T, Decline> {
    thread_local! {
        static WORKSPACE: RefCell<Option<Box<(Context, FunctionBuilderContext)>>> = const { RefCell::new(None) };
    }
    let taken = WORKSPACE.try_with(RefCell::take).ok().flatten();
    let mut workspace =
        taken.unwrap_or_else(|| Box::new((Context::new(), FunctionBuilderContext::new())));
    let result = compile(&mut workspace.0, &mut workspace.1);
    // Only a compilation that came to its end gives its workspace back: one that panicked may have left it in disorder.
    let _ = WORKSPACE.try_with(|kept| kept.replace(Some(workspace)));
    result
}

fn declined(error: ModuleError) -> Decline {
    match error {
        ModuleError::Allocation { .. } | ModuleError::Backend(_) => Decline::Memory,
        _ => Decline::Codegen,
    }
}

/// Runs the move of a schedule and the loops that machine code leaves to it. Called by machine code only; nothing in it panics, so nothing
/// unwinds through machine code.
///
/// # Safety
/// `schedule` is of a plan that lives; the rest is the contract of [`Schedule::run_innermost`].
unsafe extern "C" fn innermost(
    dst: *mut u8,
    src: *const u8,
    operand: *const u8,
    schedule: *const Schedule,
    table: *const u8,
) -> bool {
    // SAFETY: the address is the one that `key::split` took of a schedule of the plan that the calling kernel holds. The schedule is
    // verified (I2) and the loops of machine code are its outer ones, so the positions are in bounds (I3); source and destination are
    // distinct borrows (I5).
    unsafe { (*schedule).run_innermost(dst, src, table, operand) }
}

/// Runs all of a schedule. Called likewise.
///
/// # Safety
/// `schedule` is of a plan that lives; the rest is the contract of [`Schedule::run_whole`].
unsafe extern "C" fn whole(
    schedule: *const Schedule,
    buffers: *const *const u8,
    dst: *mut u8,
) -> bool {
    // SAFETY: as in `innermost`; machine code hands on the buffers that it was called with, which are in the order of `key::split` (I3, I5).
    unsafe { (*schedule).run_whole(dst, buffers) }
}

fn helpers() -> Helpers {
    Helpers {
        innermost: innermost as *const () as usize,
        whole: whole as *const () as usize,
    }
}

/// Where pages for code come from: a hook for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// The system.
    #[default]
    System,
    /// No pages at all.
    NoPages,
    /// Pages that can not be made executable.
    NeverExecutable,
}

/// A host that gives no executable memory, for tests: it refuses pages, or refuses to make them executable.
struct Denied {
    at_once: bool,
    pages: SystemMemoryProvider,
}

impl Denied {
    fn by(policy: MemoryPolicy) -> Option<Self> {
        let at_once = match policy {
            MemoryPolicy::System => return None,
            MemoryPolicy::NoPages => true,
            MemoryPolicy::NeverExecutable => false,
        };
        let pages = SystemMemoryProvider::new();
        Some(Self { at_once, pages })
    }
}

impl JITMemoryProvider for Denied {
    fn allocate(&mut self, size: usize, align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        if self.at_once {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        self.pages.allocate(size, align, kind)
    }

    unsafe fn free_memory(&mut self) {
        // SAFETY: as the caller promises.
        unsafe { self.pages.free_memory() }
    }

    fn finalize(&mut self, _: BranchProtection) -> ModuleResult<()> {
        let err = io::Error::from(io::ErrorKind::PermissionDenied);
        Err(ModuleError::Allocation { err })
    }
}

/// Machine code as text.
pub(crate) fn listing(body: Body<'_>) -> Result<Listing, Decline> {
    let (structure, baked) = match body {
        Body::Keyed(structure) => (structure, None),
        Body::Baked(structure, numbers) => (structure, Some(numbers)),
        Body::Pieces(pieces) => {
            return Ok(Listing {
                clif: pieces.to_string(),
                assembly: assembly::text(&assembly::instructions(pieces)),
            });
        }
    };
    let isa = codegen::host().map_err(|_| Decline::Host)?;
    with_workspace(|context, frontend| {
        codegen::write(context, frontend, isa, structure, baked, helpers());
        let clif = context.func.display().to_string();
        context.set_disasm(true);
        let code = context.compile(&**isa, &mut ControlPlane::default());
        let code = code.map_err(|_| Decline::Codegen)?;
        let assembly = code.vcode.clone().unwrap_or_default();
        Ok(Listing { clif, assembly })
    })
}
