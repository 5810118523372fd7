// Package archive keeps what a search found: a folder with the stubs of each behavior, an index, and a recording of the
// trials that prove it.
//
// In that recording, [Trials], the sequence of an exchange is the folder of its behavior. Each trial is two exchanges
// of it: the API's, and the one by which its external services tell what they were asked ([search.Journal]).
package archive
