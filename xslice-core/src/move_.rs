//! Moves
