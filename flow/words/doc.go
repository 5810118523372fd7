// Package words judges names and texts by their looks alone: what reads like a word that a person chose
// ([LooksLikeWord]), what like an id ([LooksLikeID]), what is so particular that two equal texts mean the same thing
// ([Particular]), what the name of a member says that it refers to ([IDOf], [IsToken], [IsCursor]). It also makes names
// for variables ([Namer]).
//
// The rules are kept together since those who find ids in paths and those who find values in bodies have to agree. They
// are guesses from English and from the habits of REST APIs, so nothing may rest upon one of them alone: package flow
// asks for the structure of resources too. The forms that are defined elsewhere name their source (RFC 9562 for UUIDs).
//
// Nothing is looked up and nothing is remembered; texts of any bytes are fine.
package words
