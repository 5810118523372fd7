// Package name finds the words of which the names of written tests are made: what a request is for, by its template,
// and what sets it apart from another of its operation. They follow from the requests alone, so a name stays when
// other tests come.
package name
