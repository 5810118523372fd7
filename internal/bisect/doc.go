// Package bisect finds by halving the shortest beginning of a list that brings a result about. It is the step that
// delta debugging repeats (Zeller and Hildebrandt 2002, Simplifying and Isolating Failure-Inducing Input) where more
// things never undo what fewer did. Each question may be an expensive trial, so it asks as few as halving can: the
// logarithm of the length.
package bisect
