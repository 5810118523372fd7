// Posts a body to each URL with the client that every program has.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	for _, url := range os.Args[2:] {
		resp, err := http.Post(url, "text/plain", strings.NewReader(os.Args[1]))
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("%s answers %s", url, resp.Status)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		resp.Body.Close()
	}
}
