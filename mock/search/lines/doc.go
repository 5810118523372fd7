// Package lines reads what one line of source says, in most languages: what it compares something with, which statuses
// it speaks of, which type it takes something for, which names it declares, which members of members it names, and
// which headers of an answer it looks up.
package lines
