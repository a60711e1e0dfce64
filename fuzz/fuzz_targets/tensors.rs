#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| xslice_fuzz::entries::tensors(data));
