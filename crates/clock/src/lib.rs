//! The clock, the scheduler, and the virtual clock of tests.
