#!/usr/bin/env bash
# The first hour of a user: every command of README.md and docs/guide.md in their order, on a clean clone, and every program of the
# guide, its output compared with what the guide prints. Left out: tests and benches, which .ci/run runs by themselves, and installing.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
export CARGO_TERM_COLOR=never PATH="$target/release:$PATH"
cargo build --release --workspace --locked --quiet

# commands FILE: the lines of its blocks of sh.
commands() { awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on && NF' "$1"; }

run_commands() {
  while IFS= read -r command <&3; do
    case "$command" in
      "cargo test"* | "cargo install"* | "cargo bench"*) echo "-- $command" ;;
      *)
        echo "\$ $command"
        bash -euo pipefail -c "$command" >"$target/first-hour.txt" || { cat "$target/first-hour.txt"; exit 1; }
        ;;
    esac
  done 3< <(commands "$1")
}

run_programs() {
  local folder="$target/first-hour" source name
  rm -rf "$folder"
  mkdir -p "$folder"
  # A block of Rust is a program; the block of text after it is what it prints.
  awk -v folder="$folder" '
    /^```rust$/ { file = folder "/program" ++count ".rs"; next }
    /^```text$/ && count && !printed[count]++ { file = folder "/program" count ".txt"; next }
    /^```/ { file = ""; next }
    file { print > file }
  ' "$1"
  # By the compiler itself: a crate of its own would compile every dependency again.
  cargo build --release --workspace --locked --quiet --features rayon
  for source in "$folder"/*.rs; do
    name="${source%.rs}"
    echo "$1: $(basename "$name")"
    rustc --edition 2024 -D warnings -L "dependency=$target/release/deps" --extern "xslice=$target/release/libxslice.rlib" \
      -o "$name" "$source"
    "$name" | diff "$name.txt" -
  done
}

run_commands README.md
run_programs docs/guide.md
run_commands docs/guide.md
echo "first hour: ${SECONDS} s"
