// Package described reads what descriptions of external services say: what these answer (OpenAPI), as samples for a
// search of mocks, and what calls of gRPC mean.
package described

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/formats"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/grpc"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Services are what descriptions say.
type Services struct {
	Samples []search.Sample
	GRPC    grpc.Services
}

// Read reads descriptions, each named as HOST=FILE, or as HOST:PORT=FILE for gRPC.
func Read(ctx context.Context, named []string) (all Services, err error) {
	all.GRPC = grpc.Services{}
	for _, one := range named {
		host, file, ok := strings.Cut(one, "=")
		if !ok || host == "" || file == "" {
			return all, console.Usage(fmt.Errorf("--spec must be such as rates.example.com=rates.yaml, got %q", one))
		}
		host = strings.ToLower(host)
		calls, err := describesCalls(file)
		if err != nil {
			return all, err
		}
		if !calls {
			samples, err := service(host, file)
			if err != nil {
				return all, err
			}
			all.Samples = append(all.Samples, samples...)
			continue
		}
		if all.GRPC[host] != nil {
			return all, console.Usage(fmt.Errorf("--spec names two descriptions of gRPC for %s: write one descriptor set of both", host))
		}
		if all.GRPC[host], err = grpc.ReadFile(ctx, file); err != nil {
			return all, err
		}
		all.Samples = append(all.Samples, callSamples(host, all.GRPC[host])...)
	}
	return all, nil
}

// ReadCalls reads descriptions of gRPC: where no samples are needed, those of OpenAPI say nothing.
func ReadCalls(ctx context.Context, named []string) (grpc.Services, error) {
	all, err := Read(ctx, named)
	if err == nil && len(all.GRPC) < len(named) {
		err = console.Usage(errors.New("--spec takes descriptions of gRPC here: a file of source, NAME.proto, or a descriptor set of protoc's; mock search alone reads OpenAPI"))
	}
	return all.GRPC, err
}

// describesCalls reports whether a file describes gRPC.
func describesCalls(file string) (bool, error) {
	if grpc.IsSource(file) {
		return true, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return false, fmt.Errorf("read description: %w", err)
	}
	defer f.Close()
	beginning := make([]byte, 512)
	n, err := io.ReadFull(f, beginning)
	if err != nil && n == 0 {
		return false, fmt.Errorf("read description: %s is empty", file)
	}
	return grpc.IsSet(beginning[:n]), nil
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
		out = append(out, sample(search.Sample{Service: host, Method: a.Method, Path: a.Path, Status: a.Status,
			JSON: a.JSON, Values: a.Values}, a.Types))
	}
	return out, nil
}

// sample is one of a description, whose fields have types in the words of JSON Schema.
func sample(of search.Sample, types map[exchange.Place]string) search.Sample {
	of.Source, of.Kinds = search.FromSpec, make(map[exchange.Place]kind.Kind, len(types))
	for p, named := range types {
		of.Kinds[p] = kind.Named(named)
	}
	return of
}

// callSamples are what unary methods answer.
func callSamples(host string, d *grpc.Description) (out []search.Sample) {
	for _, path := range d.Methods() {
		m := d.Method(path)
		if !m.Unary() {
			continue
		}
		a := m.Sample()
		out = append(out, sample(search.Sample{Service: host, Method: http.MethodPost, Path: path, Status: http.StatusOK,
			JSON: a.JSON, Values: a.Values}, a.Types))
	}
	return out
}
