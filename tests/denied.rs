//! A system that gives no executable memory, by a filter of system calls as sandboxes have: the runner takes over, and says so.
//!
//! The filter holds for the rest of the process, so this is one of its own, with one test.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
use xslice::{Decline, ElementType, Jit, Program, Signature, Strategy};

/// Refuses this thread `mmap` and `mprotect` with `PROT_EXEC`.
fn deny_executable_memory() {
    let step = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    // Of `struct seccomp_data`: the number of the call, and the low word of its third argument, `prot`.
    let (number, prot) = (0, 16 + 2 * 8);
    let mut filter = [
        step(BPF_LD | BPF_W | BPF_ABS, number, 0, 0),
        step(BPF_JMP | BPF_JEQ | BPF_K, libc::SYS_mmap as u32, 1, 0),
        step(BPF_JMP | BPF_JEQ | BPF_K, libc::SYS_mprotect as u32, 0, 3),
        step(BPF_LD | BPF_W | BPF_ABS, prot, 0, 0),
        step(BPF_JMP | BPF_JSET | BPF_K, libc::PROT_EXEC as u32, 0, 1),
        step(
            BPF_RET | BPF_K,
            libc::SECCOMP_RET_ERRNO | libc::EACCES as u32,
            0,
            0,
        ),
        step(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: both calls read their arguments only; `program` points to `filter`, which outlives them.
    let taken = unsafe {
        let mode = libc::SECCOMP_MODE_FILTER;
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, mode, &program) == 0
    };
    assert!(taken, "{}", std::io::Error::last_os_error());
}

#[test]
fn the_runner_takes_over_where_no_memory_may_be_executed() {
    deny_executable_memory();
    let program = Program::parse("x[::-2]").unwrap();
    let signature = Signature::new().operand(ElementType::I32, &[7]);
    let x = [0i32, 1, 2, 3, 4, 5, 6];
    for strategy in [Strategy::Keyed, Strategy::Baked] {
        let jit = Jit::with_strategy(strategy);
        let kernel = jit.compile(&program, &signature).unwrap();
        assert_eq!(kernel.declined(), Some(Decline::Memory));
        let result = kernel.collect::<i32>(&[(&x).into()]).unwrap();
        assert_eq!(result, [6, 4, 2, 0]);
        assert_eq!(jit.stats().declined, 1);
    }
}
