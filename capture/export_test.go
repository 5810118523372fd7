package capture

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// What is exported can be imported again, and shows secrets only where that is asked for.
func TestExport(t *testing.T) {
	o := ImportOptions{Destination: Destination{DB: filepath.Join(t.TempDir(), "flaketap.db")}, Files: []string{har(t, "/a?token=hunter2hunter2", "/b")}}
	if err := Import(o); err != nil {
		t.Fatal(err)
	}
	x, err := OpenExport(o.DB, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var hidden, shown bytes.Buffer
	err = x.WriteHAR(&hidden, "1")
	x.Reveal()
	if again := x.WriteHAR(&shown, "1"); err != nil || again != nil || x.Exchanges != 2 {
		t.Fatal(err, again, x.Exchanges)
	}
	if strings.Contains(hidden.String(), "hunter2") || !strings.Contains(shown.String(), "hunter2") {
		t.Errorf("hidden:\n%s\nshown:\n%s", &hidden, &shown)
	}
	if _, err := OpenExport(o.DB+".none", nil, nil); err == nil {
		t.Error("there is no such recording")
	}
}
