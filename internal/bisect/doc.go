// Package bisect finds by halving what of a list brings a result about: [Shortest] the shortest beginning that does,
// and [Few] the few things that do together. It is the step that delta debugging repeats (Zeller and Hildebrandt 2002,
// Simplifying and Isolating Failure-Inducing Input) where more things never undo what fewer did. Each question may be
// an expensive trial, so it asks as few as halving can: the logarithm of the length, for each of the few.
package bisect
