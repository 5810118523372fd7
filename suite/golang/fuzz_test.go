package golang

import (
	"os"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// FuzzRead follows what is no suite, or a damaged one.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"../../cmd/flaketap/testdata/written/go/shop_test.go", "testdata/written.go", "testdata/answers.go",
		"testdata/testify.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("package a\nimport (\"net/http\"; \"testing\")\nfunc a[T any](x ...T) T { return a(x...) }\nfunc TestA(t *testing.T) { x, _ := http.Get(\"/\" + a(a)); for { if x.StatusCode != 1 { t.Error() } } }\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "a_test.go", data) })
}
