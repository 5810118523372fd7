// Package described reads what descriptions of external services (OpenAPI) say that these answer, as samples for a
// search of mocks.
package described

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
)

// Services reads what descriptions say that services answer, each named as HOST=FILE.
func Services(named []string) (out []search.Sample, err error) {
	for _, one := range named {
		host, file, ok := strings.Cut(one, "=")
		if !ok || host == "" || file == "" {
			return nil, console.Usage(fmt.Errorf("--spec must be such as rates.example.com=rates.yaml, got %q", one))
		}
		samples, err := service(strings.ToLower(host), file)
		if err != nil {
			return nil, err
		}
		out = append(out, samples...)
	}
	return out, nil
}

// service reads the description of one.
func service(host, file string) (out []search.Sample, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read OpenAPI: %w", err)
	}
	defer f.Close()
	answers, err := formats.ReadAnswers(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, a := range answers {
		s := search.Sample{Service: host, Method: a.Method, Path: a.Path, Status: a.Status, JSON: a.JSON,
			Source: search.FromSpec, Values: a.Values, Kinds: map[exchange.Place]search.Kind{}}
		for _, p := range slices.Sorted(maps.Keys(a.Types)) {
			s.Kinds[p] = search.KindNamed(a.Types[p])
		}
		out = append(out, s)
	}
	return out, nil
}
