// Package git reads the history of a folder with the git program, and keeps what it read in an index, since a commit
// never changes.
//
// The repository is somebody else's: git is run without its hooks, its pagers and external programs, and fetches
// nothing. The index lies in the user's cache folder. It is a saving and nothing more: one that is damaged, of another
// version, or of a history that was rewritten, is made anew.
package git
