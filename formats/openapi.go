package formats

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The bounds on a description of an API: bytes of the file, templates that come of it.
const (
	maxOpenAPI   = 64 << 20
	maxTemplates = 100_000
)

// openAPI is what is read of a description: the paths, and what they are below of.
type openAPI struct {
	OpenAPI  string               `yaml:"openapi"`
	Swagger  string               `yaml:"swagger"`
	BasePath string               `yaml:"basePath"`
	Paths    map[string]yaml.Node `yaml:"paths"`
	Servers  []struct {
		URL       string `yaml:"url"`
		Variables map[string]struct {
			Default string `yaml:"default"`
		} `yaml:"variables"`
	} `yaml:"servers"`
}

// ReadOpenAPI reads the path templates of an OpenAPI 3 or Swagger 2 description, JSON or YAML, sorted: each below the
// paths of the servers that the description names, and as it stands, for an API may be spoken to without the gateway
// before it. The error says what is wrong with the file, with the line where the reader knows it.
func ReadOpenAPI(r io.Reader) ([]string, error) {
	var doc openAPI
	if err := decodeOpenAPI(r, &doc); err != nil {
		return nil, err
	}
	switch {
	case doc.OpenAPI == "" && doc.Swagger == "":
		return nil, errNoVersion
	case len(doc.Paths) == 0:
		return nil, errors.New("read OpenAPI: it describes no paths")
	}
	bases := doc.bases()
	if len(doc.Paths)*len(bases) > maxTemplates {
		return nil, fmt.Errorf("read OpenAPI: it has more than %d paths", maxTemplates)
	}
	var templates []string
	for path := range doc.Paths {
		if !strings.HasPrefix(path, "/") { // an extension, x-…
			continue
		}
		for _, base := range bases {
			templates = append(templates, base+path)
		}
	}
	slices.Sort(templates)
	return slices.Compact(templates), nil
}

// errNoVersion says that a file is something else than a description.
var errNoVersion = errors.New(`read OpenAPI: it lacks the version in "openapi" or "swagger"`)

// decodeOpenAPI decodes a description, JSON or YAML.
func decodeOpenAPI(r io.Reader, into any) error {
	data, err := io.ReadAll(io.LimitReader(r, maxOpenAPI+1))
	if err != nil {
		return fmt.Errorf("read OpenAPI: %w", err)
	}
	if len(data) > maxOpenAPI {
		return fmt.Errorf("read OpenAPI: it is larger than %d bytes", maxOpenAPI)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read OpenAPI: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return nil
}

// bases are the paths that the described ones are below of, the empty one among them.
func (d *openAPI) bases() []string {
	out := []string{""}
	add := func(path string) {
		if path = strings.TrimRight(path, "/"); strings.HasPrefix(path, "/") && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	add(d.BasePath)
	for _, s := range d.Servers {
		address := s.URL
		for name, v := range s.Variables {
			address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
		}
		if u, err := url.Parse(address); err == nil {
			add(u.Path)
		}
	}
	return out
}

// ReadDescription reads an OpenAPI or Swagger description, JSON or YAML, to the values that JSON is decoded to:
// objects, arrays, texts, numbers. Keys that YAML takes for something else, such as the status 200, are texts.
func ReadDescription(r io.Reader) (map[string]any, error) {
	var doc yaml.Node
	if err := decodeOpenAPI(r, &doc); err != nil {
		return nil, err
	}
	left := maxNodes
	value, err := plainValue(&doc, 0, &left)
	if err != nil {
		return nil, fmt.Errorf("read OpenAPI: %w", err)
	}
	root, _ := value.(map[string]any)
	if root["openapi"] == nil && root["swagger"] == nil {
		return nil, errNoVersion
	}
	return root, nil
}

// The bounds on the values of a description, aliases counted as often as they are used.
const (
	maxNodes       = 1 << 20
	maxDescribedIn = 1000 // levels
)

// plainValue returns what a node holds.
func plainValue(n *yaml.Node, depth int, left *int) (any, error) {
	if *left--; *left < 0 || depth > maxDescribedIn {
		return nil, fmt.Errorf("line %d: it is nested or repeated more than descriptions are", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return plainValue(n.Content[0], depth, left)
	case yaml.AliasNode:
		return plainValue(n.Alias, depth+1, left)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			value, err := plainValue(c, depth+1, left)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		return out, nil
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := plainValue(n.Content[i+1], depth+1, left)
			if err != nil {
				return nil, err
			}
			out[n.Content[i].Value] = value
		}
		return out, nil
	}
	var value any
	err := n.Decode(&value)
	return value, err
}
