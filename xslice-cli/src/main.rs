//! The command line of xslice.

fn main() -> std::process::ExitCode {
    xslice_cli::main()
}
