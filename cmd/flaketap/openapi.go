package main

import (
	"bytes"
	"fmt"
	"io"
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
	templates, err := readDescribed(file, formats.ReadOpenAPI)
	if err != nil {
		return nil, err
	}
	return flow.NewPaths(templates), nil
}

// description reads an OpenAPI file as a whole; nil where no file is named.
func description(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	return readDescribed(file, formats.ReadDescription)
}

// readDescribed reads something of an OpenAPI file.
func readDescribed[T any](file string, read func(io.Reader) (T, error)) (what T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return what, fmt.Errorf("read OpenAPI: %w", err)
	}
	defer f.Close()
	if what, err = read(f); err != nil {
		return what, console.Advise(fmt.Errorf("%s: %w", file, err), "give a description in OpenAPI 3 or Swagger 2, as JSON or YAML")
	}
	return what, nil
}

// describedIn reads the path templates of a description that was recorded; none where a text is none.
func describedIn(body []byte) []string {
	templates, err := formats.ReadOpenAPI(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	return templates
}
