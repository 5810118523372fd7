// Package restore says how the state that tests depend on is found: by what the exchanges of a session say, or, where
// there is an API to make them on, by trials, each on an API that was reset or started anew, several beside each other
// where each has an API of its own.
package restore
