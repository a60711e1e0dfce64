//! Which engine each kernel gets, and when code is compiled for it.
//!
//! A [`Jit`] is asked by program and signature, finds what it has in its cache, and decides by its [`Strategy`] what to do about the rest.
//! What machine code is made of is not known here, nor how it runs.

use crate::attempts::Attempts;
use crate::cache::{self, Cache, Cached, Limits};
use crate::kernel::{Bound, Code, Kernel};
use crate::key::{self, Body, Known};
use crate::nests::{apart, gains};
use crate::{Decline, Engine, Form, MemoryPolicy, Strategy};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use xslice_core::{Error, Plan, Program, Signature};

/// `Auto` compiles a structure when it is asked for this often with new numbers.
const VARIED: u32 = 4;

/// `Auto` bakes a kernel when it is asked for this often again.
const HOT: u32 = 16;

/// Counts since a [`Jit`] was made, and sizes now.
///
/// ```
/// use xslice_core::{ElementType, Program, Signature};
/// let (jit, program) = (xslice_jit::Jit::new(), Program::parse("x[::-1]")?);
/// let signature = Signature::new().operand(ElementType::F32, &[9]);
/// for _ in 0..3 {
///     jit.compile(&program, &signature)?;
/// }
/// let stats = jit.stats();
/// assert_eq!((stats.misses, stats.hits), (1, 2));
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Requests answered from the cache.
    pub hits: u64,
    /// Requests for which a plan was compiled, or refused.
    pub misses: u64,
    /// Functions compiled to machine code.
    pub compiled: u64,
    /// Kernels in the cache.
    pub kernels: usize,
    /// About the bytes of memory that the cache holds: plans, programs with their constants, signatures, code.
    pub bytes: usize,
    /// Bytes of code that the cache holds, in whole pages.
    pub code_bytes: usize,
    /// Bytes of code in use, with kernels that the cache no longer holds.
    pub code_bytes_in_use: usize,
    /// Kernels for which machine code was wanted and the runner took over.
    pub declined: u64,
    /// The same by reason; reasons without a case are left out.
    pub reasons: Vec<(Decline, u64)>,
}

/// Options of a [`Jit`].
///
/// ```
/// use xslice_jit::{Jit, Strategy};
/// let jit = Jit::builder().strategy(Strategy::Keyed).code_bytes(1 << 20).kernels(256).build();
/// assert_eq!(jit.stats().kernels, 0);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct JitBuilder {
    strategy: Strategy,
    limits: Limits,
    memory: MemoryPolicy,
}

impl JitBuilder {
    /// Which engine kernels get; `Auto` unless told.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Bytes of memory that the cache holds at most; 256 MiB unless told. They are those of plans, of programs with their constants, of
    /// signatures and of code, each counted once. A kernel that takes more by itself works, and is not kept.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// Bytes of code, in whole pages, that the cache holds at most; 16 MiB unless told.
    pub fn code_bytes(mut self, bytes: usize) -> Self {
        self.limits.code_bytes = bytes;
        self
    }

    /// Kernels that the cache holds at most, and structures; 4096 unless told.
    pub fn kernels(mut self, kernels: usize) -> Self {
        self.limits.kernels = kernels;
        self
    }

    /// A hook for tests.
    #[doc(hidden)]
    pub fn memory(mut self, policy: MemoryPolicy) -> Self {
        self.memory = policy;
        self
    }

    /// The `Jit`. Reads `XSLICE_JIT`.
    #[must_use]
    pub fn build(self) -> Jit {
        let off =
            std::env::var_os("XSLICE_JIT").is_some_and(|value| value.eq_ignore_ascii_case("off"));
        Jit {
            strategy: if off { Strategy::Runner } else { self.strategy },
            memory: self.memory,
            in_use: Arc::default(),
            pages: Attempts::default(),
            state: Mutex::new(State {
                cache: Cache::new(self.limits),
                hits: 0,
                misses: 0,
                compiled: 0,
                declined: [0; Decline::ALL.len()],
            }),
        }
    }
}

/// Compiles programs to kernels, and remembers them. `Send` and `Sync`: one is for all threads, and [`global`](crate::global) is for a whole
/// process.
///
/// ```
/// use xslice_core::{ElementType, Program, Signature};
/// use xslice_jit::Jit;
/// let (jit, program) = (Jit::new(), Program::parse("x[:, ::-1]")?);
/// for rows in [1, 2] {
///     // Meant to be called before every run: what is known is found in a cache.
///     let kernel = jit.compile(&program, &Signature::new().operand(ElementType::U8, &[rows, 2]))?;
///     let x = [1u8, 2, 3, 4];
///     let y = kernel.collect::<u8>(&[(&x[..2 * rows]).into()])?;
///     assert_eq!(y, [2, 1, 4, 3][..2 * rows]);
/// }
/// # Ok::<(), xslice_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Jit {
    strategy: Strategy,
    memory: MemoryPolicy,
    /// Bytes of all code that lives.
    in_use: Arc<AtomicUsize>,
    /// To get executable memory.
    pages: Attempts,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    cache: Cache,
    hits: u64,
    misses: u64,
    compiled: u64,
    /// By position in [`Decline::ALL`].
    declined: [u64; Decline::ALL.len()],
}

impl Default for Jit {
    fn default() -> Self {
        Self::new()
    }
}

impl Jit {
    /// A `Jit` with [`Strategy::Auto`] and the default bounds.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A `Jit` with this strategy and the default bounds.
    #[must_use]
    pub fn with_strategy(strategy: Strategy) -> Self {
        Self::builder().strategy(strategy).build()
    }

    /// A `Jit` with options.
    pub fn builder() -> JitBuilder {
        JitBuilder {
            strategy: Strategy::default(),
            limits: Limits {
                bytes: 256 << 20,
                code_bytes: 16 << 20,
                kernels: 4096,
            },
            memory: MemoryPolicy::default(),
        }
    }

    /// The strategy; `Runner` if `XSLICE_JIT=off`.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The kernel of `program` for `signature`, from the cache or compiled now. What is found allocates nothing, unless it is baked now:
    /// [`Strategy`] says when machine code is made, and which engine a kernel gets. To make it takes some 100 KiB of the thread's stack.
    ///
    /// # Errors
    /// As [`Program::compile`], whatever the engine: that there is no machine code is no error, see [`Kernel::declined`]. Errors are not
    /// cached.
    pub fn compile(&self, program: &Program, signature: &Signature) -> Result<Kernel, Error> {
        let hash = cache::hash_of(program, signature);
        let found = self.state().find(hash, program, signature);
        if let Some((kernel, hits)) = found {
            if hits == HOT && self.strategy == Strategy::Auto {
                return Ok(self.bake(hash, program, signature, kernel));
            }
            return Ok(kernel);
        }
        let plan = Arc::new(program.compile(signature)?);
        let kernel = self.bind(&plan);
        self.keep(hash, program, signature, &kernel);
        Ok(kernel)
    }

    /// Counts and sizes.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let reasons = Decline::ALL.into_iter().zip(state.declined);
        Stats {
            hits: state.hits,
            misses: state.misses,
            compiled: state.compiled,
            kernels: state.cache.len(),
            bytes: state.cache.bytes(),
            code_bytes: state.cache.code_bytes(),
            code_bytes_in_use: self.in_use.load(Ordering::Relaxed),
            declined: state.declined.iter().sum(),
            reasons: reasons.filter(|(_, count)| *count > 0).collect(),
        }
    }

    /// Forgets every kernel and all code that no kernel uses. Kernels in use go on working.
    pub fn clear(&self) {
        self.state().cache.clear();
    }

    fn keep(&self, hash: u64, program: &Program, signature: &Signature, kernel: &Kernel) {
        let cached = Cached::new(program, signature, kernel);
        self.state().cache.keep(hash, cached);
    }

    /// The kernel of a new plan.
    fn bind(&self, plan: &Arc<Plan>) -> Kernel {
        let kernel = match self.strategy {
            Strategy::Runner => Ok(None),
            Strategy::Keyed | Strategy::Auto => self.keyed(plan),
            Strategy::Baked => self.baked(plan, apart(plan, key::split_known)).map(Some),
        };
        match kernel {
            Ok(Some(kernel)) => kernel,
            Ok(None) => Kernel::runner(Arc::clone(plan), None),
            Err(reason) => self.decline(plan, reason),
        }
    }

    /// A hot kernel, baked and cached in the place of the old one; the old one if it gains nothing.
    fn bake(&self, hash: u64, program: &Program, signature: &Signature, old: Kernel) -> Kernel {
        let plan = old.plan();
        // What is baked was cached anew, so it becomes hot once more.
        let is_baked = old.engine() == Engine::Baked;
        if is_baked || old.declined().is_some() {
            return old;
        }
        let nests = apart(plan, key::split_known);
        if !gains(plan) && !nests.iter().flatten().any(Known::has_vectors) {
            return old;
        }
        let kernel = match self.baked(plan, nests) {
            Ok(kernel) => kernel,
            Err(reason) if old.engine() == Engine::Runner => self.decline(plan, reason),
            Err(_) => return old,
        };
        self.keep(hash, program, signature, &kernel);
        kernel
    }

    /// A kernel of the code of structures: what there is of it, the rest compiled now. `None`: `Auto` waits for more requests.
    fn keyed(&self, plan: &Arc<Plan>) -> Result<Option<Kernel>, Decline> {
        let at_once = self.strategy == Strategy::Keyed;
        let mut is_ripe = at_once || gains(plan);
        let mut nests = Vec::with_capacity(plan.nests().count());
        for parts in apart(plan, key::split)? {
            let (asked, code) = self.state().cache.ask(&parts.structure);
            is_ripe &= at_once || code.is_some() || asked >= VARIED;
            nests.push((parts, code));
        }
        if !is_ripe {
            return Ok(None);
        }
        let mut bound = Vec::with_capacity(nests.len());
        for (parts, code) in nests {
            let code = match code {
                Some(code) => code,
                None => {
                    let code = self.code(Body::Keyed(&parts.structure))?;
                    self.state().cache.keep_code(&parts.structure, code)
                }
            };
            let arguments = parts.arguments;
            bound.push(Bound { code, arguments });
        }
        let bound = bound.into();
        Ok(Some(Kernel::machine(Arc::clone(plan), Form::Keyed, bound)))
    }

    /// A kernel of code that knows its numbers, compiled now.
    fn baked(
        &self,
        plan: &Arc<Plan>,
        nests: Result<Vec<Known>, Decline>,
    ) -> Result<Kernel, Decline> {
        let bound = nests?.into_iter().map(|known| {
            let code = self.code(known.body())?;
            let arguments = known.into_arguments();
            Ok(Bound { code, arguments })
        });
        let bound = bound.collect::<Result<_, _>>()?;
        Ok(Kernel::machine(Arc::clone(plan), Form::Baked, bound))
    }

    /// Compiles, without the lock. Where there was no executable memory, most requests do not ask for it again.
    fn code(&self, body: Body<'_>) -> Result<Arc<Code>, Decline> {
        if !self.pages.is_due() {
            return Err(Decline::Memory);
        }
        let code = Code::compile(body, self.memory, &self.in_use);
        self.pages.note(!matches!(code, Err(Decline::Memory)));
        self.state().compiled += u64::from(code.is_ok());
        code.map(Arc::new)
    }

    fn decline(&self, plan: &Arc<Plan>, reason: Decline) -> Kernel {
        let at = Decline::ALL.iter().position(|other| *other == reason);
        self.state().declined[at.unwrap_or(0)] += 1;
        Kernel::runner(Arc::clone(plan), Some(reason))
    }

    /// A panic elsewhere leaves the cache whole: every change to it is finished before anything that might panic.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(
        &mut self,
        hash: u64,
        program: &Program,
        signature: &Signature,
    ) -> Option<(Kernel, u32)> {
        let Some(cached) = self.cache.find(hash, program, signature) else {
            self.misses += 1;
            return None;
        };
        cached.hits = cached.hits.saturating_add(1);
        self.hits += 1;
        Some((cached.kernel.clone(), cached.hits))
    }
}
