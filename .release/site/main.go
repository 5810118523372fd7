// Command site writes the documentation as a site into a folder: go run ./.release/site DIR, at the repository's root.
package main

import (
	"fmt"
	"os"

	"github.com/flaketap/flaketap/internal/book"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "site: want one argument, the folder to write into")
		os.Exit(2)
	}
	if err := book.Make(os.DirFS("."), os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
}
