//! coord
