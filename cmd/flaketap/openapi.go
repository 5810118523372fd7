package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

func openapiFlag() cli.Flag {
	return &cli.StringFlag{Name: "openapi",
		Usage: "OpenAPI or Swagger `FILE` whose path templates name the operations (default: templates are inferred)"}
}

// describedPaths reads the path templates of an OpenAPI file; nil where no file is named.
func describedPaths(file string) (*flow.Paths, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read OpenAPI: %w", err)
	}
	defer f.Close()
	templates, err := formats.ReadOpenAPI(f)
	if err != nil {
		return nil, console.Advise(fmt.Errorf("%s: %w", file, err), "give a description in OpenAPI 3 or Swagger 2, as JSON or YAML")
	}
	return flow.NewPaths(templates), nil
}

// describedIn reads the path templates of a description that was recorded; none where a text is none.
func describedIn(body []byte) []string {
	templates, err := formats.ReadOpenAPI(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	return templates
}
