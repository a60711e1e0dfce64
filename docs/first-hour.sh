#!/usr/bin/env bash
# The first hour of a user: every command of README.md and docs/guide.md in their order, on a clean clone, and every program of the
# guide as a user would compile it, its output compared with what the guide prints. Left out: tests and benches, which .ci/run runs by themselves, and installing.
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

# The programs of the guide, in a new crate with the dependency that it names; `../xslice` is this checkout.
run_programs() {
  local folder="$target/first-hour" source name
  rm -rf "$folder"
  mkdir -p "$folder/src/bin"
  # A block of Rust is a program; the block of text after it is what it prints. A block of TOML belongs into Cargo.toml.
  awk -v folder="$folder" '
    /^```toml$/ { file = folder "/dependencies"; next }
    /^```rust$/ { file = folder "/src/bin/program" ++count ".rs"; next }
    /^```text$/ && count && !printed[count]++ { file = folder "/program" count ".txt"; next }
    /^```/ { file = ""; next }
    file { print > file }
  ' "$1"
  {
    printf '[package]\nname = "first-hour"\nversion = "0.0.0"\nedition = "2024"\n\n'
    sed "s|\"\.\./xslice\"|\"$PWD\"|" "$folder/dependencies"
    printf '\n[lints.rust]\nwarnings = "deny"\n\n[workspace]\n\n'
    # As the workspace does, so that its dependencies are not compiled again.
    sed -n '/^\[profile.release\]/,$p' Cargo.toml
  } >"$folder/Cargo.toml"
  cp Cargo.lock "$folder"
  cargo build --release --offline --quiet --manifest-path "$folder/Cargo.toml" --target-dir "$target"
  for source in "$folder"/src/bin/*.rs; do
    name="$(basename "$source" .rs)"
    echo "$1: $name"
    "$target/release/$name" | diff "$folder/$name.txt" -
  done
}

run_commands README.md
run_programs docs/guide.md
run_commands docs/guide.md
echo "first hour: ${SECONDS} s"
