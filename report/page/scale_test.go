package page

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/recorded"
)

// maxPage is what a page of five thousand places may take, in bytes.
const maxPage = 5_000_000

func TestPageOfFiveThousandPlacesIsSmall(t *testing.T) {
	f := gathered(t, recorded.Wide(250, 20), 10)
	page := write(t, f)
	if n := f.Summary.Volatile(); n < 5000 || len(f.Places) < 5000 {
		t.Fatalf("%d places move, %d are told", n, len(f.Places))
	}
	if len(page) > maxPage {
		t.Errorf("the page has %d bytes", len(page))
	}
	if n := strings.Count(page, "<details class=p "); n < 5000 {
		t.Errorf("%d places are on the page", n)
	}
	if n := strings.Count(page, "<mark>"); n < 5000 {
		t.Errorf("%d values are on the page", n)
	}
}
