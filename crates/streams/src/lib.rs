//! Native stream operators and folds; one operator, one file.
