package build

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// A change is read back by its own test, whether that makes what it changes or not.
func TestReadBack(t *testing.T) {
	for _, tt := range []struct {
		name    string
		runs    int
		session []string
		want    []string
	}{{
		name: "a thing that was there before", runs: 2, session: []string{
			`GET /settings > 200 {"days":21}`, `PATCH /settings {"days":28} > 200 {"days":28}`, `GET /settings > 200 {"days":28}`},
		want: []string{"get_settings_is_200: tested GET /settings",
			"patch_settings_then_get_settings_after_patch: tested PATCH /settings, tested GET /settings"},
	}, {
		name: "one that is taken away", runs: 2, session: []string{`DELETE /books/dune > 204`, `GET /books/dune > 404 {}`},
		want: []string{"delete_books_dune_then_get_books_dune_ends_in_404: tested DELETE /books/dune, tested GET /books/dune"},
	}, {
		name: "runs that tell nothing", runs: 0, session: []string{
			`PATCH /settings {"days":28} > 200 {"days":28}`, `GET /settings > 200 {"days":28}`},
		want: []string{"patch_settings_is_200: tested PATCH /settings", "get_settings_after_patch_is_200: tested GET /settings"},
	}, {
		name: "another write since, below it", runs: 2, session: []string{`PATCH /settings {"days":28} > 200 {"days":28}`,
			`POST /settings/undo > 200 {}`, `GET /settings > 200 {"days":21}`},
		want: []string{"patch_settings_is_200: tested PATCH /settings", "post_settings_undo_is_200: tested POST /settings/undo",
			"get_settings_after_patch_is_200: tested GET /settings"},
	}, {
		name: "refused", runs: 2, session: []string{
			`PATCH /settings {"days":28} > 200 {"days":28}`, `GET /settings > 403 {"days":28}`},
		want: []string{"patch_settings_is_200: tested PATCH /settings", "get_settings_after_patch_is_403: tested GET /settings"},
	}, {
		name: "what a test makes itself", runs: 2, session: []string{`POST /books {"title":"Dune"} > 201 {"id":4711}`,
			`PATCH /books/4711 {"title":"Momo"} > 200 {"id":4711}`, `GET /books/4711 > 200 {"id":4711,"title":"Momo"}`},
		want: []string{"post_books_is_201: tested POST /books",
			"patch_book_then_get_book_after_patch: set-up POST /books, tested PATCH /books/{id}, tested GET /books/{id}"},
	}} {
		src := session(t, tt.session...)
		for i := range src.Steps {
			s := &src.Steps[i]
			s.Exchange.Sequence = "" // what the client has no names for
			for run := range tt.runs {
				s.Observations = append(s.Observations,
					&exchange.Observation{Run: run + 1, Seq: s.Exchange.Seq, Response: s.Exchange.Response})
			}
		}
		if diff := cmp.Diff(tt.want, shown(build(t, src, Options{}))); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}
