// Package approval reads and writes the calls of Python by which tests compare a text with an approved one: of
// pytest-snapshot, which has the text scrubbed before, and of approvaltests, which take scrubbers as options.
package approval
