// Package expect reads and writes assertions in the words of Jest's expect, which Vitest has too. What assertions of
// Node's assert say is read in the same words.
package expect
