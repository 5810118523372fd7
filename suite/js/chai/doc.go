// Package chai reads and writes assertions in the words of Chai's expect: those of tests for Mocha or Vitest, and of
// the scripts of Postman, where expect is pm.expect.
//
// A chain is taken apart into its words first, then read from its subject on, word by word: most join the others only,
// some say something about the subject, some go on with a part of it. A chain with a word that is not known is not
// understood.
package chai
