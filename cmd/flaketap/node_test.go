package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/flaketap/flaketap/internal/testbed/cluster"
)

// nodeMain is a node of a cluster as a process, told in JSON.
func nodeMain(told string) {
	var n cluster.Node
	err := json.Unmarshal([]byte(told), &n)
	if err == nil {
		err = n.Run(context.Background())
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
