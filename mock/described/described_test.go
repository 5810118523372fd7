package described

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// Descriptions are told apart by what they hold; of those of gRPC there is one for a service, with its unary methods as
// samples.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const service = `syntax = "proto3"; package r; message M { string a = 1; int32 n = 2; }
service S { rpc Get(M) returns (M); rpc Watch(M) returns (stream M); }`
	proto := write("r.proto", service)
	all, err := Read(t.Context(), []string{"Rates.example.com:50051=" + proto})
	if err != nil || len(all.Samples) != 1 || all.GRPC["rates.example.com:50051"] == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	if s := all.Samples[0]; s.Service != "rates.example.com:50051" || s.Method != "POST" || s.Path != "/r.S/Get" ||
		s.Source != search.FromSpec || s.Kinds["/body/n"] != kind.Named("integer") || s.Kinds["/body/a"] != kind.Named("string") {
		t.Errorf("%+v", s)
	}
	yaml := write("api.yaml", "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n"+
		"          description: a\n          content: {application/json: {schema: {type: object, properties: {n: {type: integer}}}}}\n")
	if all, err = Read(t.Context(), []string{"a=" + yaml}); err != nil || len(all.GRPC) > 0 || len(all.Samples) != 1 ||
		all.Samples[0].Kinds["/body/n"] != kind.Named("integer") {
		t.Errorf("%+v, %v", all, err)
	}
	for named, want := range map[string]string{
		"rates=":                        "--spec must be such as rates.example.com=rates.yaml",
		"=" + proto:                     "--spec must be such as",
		"a=" + proto + " A=" + proto:    "two descriptions of gRPC for a",
		"a=" + write("empty", ""):       "is empty",
		"a=" + filepath.Join(dir, "no"): "read description",
		"a=" + write("set", "\x0a\x0b\x0a\x03a.x\x1a\x04none"): "protoc's --include_imports",
	} {
		if _, err := Read(t.Context(), strings.Fields(named)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", named, err, want)
		}
	}
	if calls, err := ReadCalls(t.Context(), []string{"a=" + proto}); err != nil || len(calls) != 1 {
		t.Errorf("%v, %v", calls, err)
	}
	if _, err := ReadCalls(t.Context(), []string{"a=" + yaml}); err == nil || !strings.Contains(err.Error(), "--spec takes descriptions of gRPC here") {
		t.Errorf("of OpenAPI: %v", err)
	}
}
