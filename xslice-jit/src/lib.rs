//! Machine code at run time.
