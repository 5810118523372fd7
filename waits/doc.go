// Package waits says which times a wait might be given that turned out too short: from waits like it in the same suite,
// from what it and they were once given, and from constants that are there for it.
//
// [NewCorpus] takes the files of a suite, as [read.Parse] gives them, and its history, as [past.Read] does, and
// [Corpus.Suggest] ranks. A time is suggested only where the suite or its history has it: none is made up, and none is
// proven to be enough.
package waits
