// Package cmdline makes of what a user typed what the flag parser reads, and adds what a settings file says.
//
// In order:
//
//  1. [SplitClient] cuts off the command behind "--", which is not flaketap's to read.
//  2. [HelpAfter] and [Reorder] put the words as the parser wants them: it stops at the first positional argument, and
//     would take all flags behind it for arguments.
//  3. [WithSettings] puts before the user's flags those of the settings file, flaketap.yaml, for what neither
//     the command line nor the environment sets, and returns its rules.
//  4. [FlagMistake] says of what the parser then refuses what it would have taken.
//
// Beside that it holds what the help shows to be typed ([Examples]), which files the values of --db name
// ([Recordings]), and how an error is told, with what to do about it ([Message]).
package cmdline
