// Package read finds the waits in the text of a test: the places where it lets time pass, or says for how long it
// looks for something at most.
//
// [Parse] reads one file to its [Wait] values, its constants and the words of its lines; [Link] gives waits whose time
// is a constant of another file that time. [Fragment] reads a line by itself, as a history has it. What is a wait in
// which language is said by the tables of forms, one file each.
//
// Texts are somebody else's: size, depth and counts are bounded, and what is no program gives no waits.
package read
