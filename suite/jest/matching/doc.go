// Package matching has snapshots of Jest say conditions by property matchers: what stands in the place of a value, in
// the arguments of the assertion and in what is stored.
package matching
