// Package ownfiles reads the files of an API for [search.Words]: names that may be those of fields in what its services
// answer, and values that it compares them with.
//
// # The way of a word
//
//  1. [Choose] tells by the command that starts the API ([Started]) which files are its own: a script and the folder
//     that it lies in, a jar, the folders of a class path, a program. What it cannot tell so is not guessed.
//  2. [Read] goes through a folder in the order of names (folder.go), since the first words are kept where there are
//     too many. What an API has of others is left out: hidden folders, node_modules, virtual environments, and in a
//     jar the jars within it and the packages that are not those of its main class (jar.go).
//  3. Texts go to [search.Words.Add] as they are. What is compiled becomes units of what stands together: a class
//     (class.go; JVMS 4) with the small numbers that its code compares something with (code.go), a struct of a Go
//     program (golang.go), whose tags are read by way of the descriptions that reflection needs, which stripping
//     leaves.
//
// Files are hostile: each decoder ends at the first part that is not as it should be, and what is unpacked is bounded
// by what has been read of all files, whatever an archive says of its sizes.
package ownfiles
