// Package book makes a site of the documentation: pages that need no server, with a table of contents and a search.
//
//  1. docs/README.md is read: its headings are the parts of the book, the links in its lists the chapters, in their
//     order.
//  2. Each chapter is parsed, and its headings get the names by which other pages link to them.
//  3. Links between chapters become links between pages; what else of the repository they lead to is copied. One that
//     leads nowhere is an error, as is a chapter that no list has: the book is also the test of the documentation.
//  4. The pages are written, and an index of their sections, in which the search looks.
package book
