//! The parts of the xslice command line.
