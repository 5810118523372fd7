// Package outfile writes output files whole or not at all: beside their places first, and put there by a rename, so
// that a failure, a full disk or an end of the process leaves no half file and what was there stays.
package outfile
