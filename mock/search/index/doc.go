// Package index writes what a search found: a folder of stubs for each behavior, and an index of all that was learned;
// and reads what others need of that index.
package index
