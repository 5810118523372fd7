package demoapi

import (
	"fmt"
	"net/http"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// guests is what clients leave behind: a guestbook, the words searched for, a journal of what was done.
type guests struct {
	book    []entry
	words   []string // the first 50, the latest last
	journal []journalEntry
}

// entry is one entry of the guestbook.
type entry struct {
	ID       int    `json:"id"`
	Author   string `json:"author"`
	Text     string `json:"text"`
	PostedAt string `json:"postedAt"`
}

// journalEntry is one line of the journal.
type journalEntry struct {
	At     string `json:"at"`
	Action string `json:"action"`
}

// leftBehind returns what an earlier client left: a recording finds it, and after a reset nobody does.
func leftBehind() guests {
	return guests{
		book: []entry{
			{1, "Grace", "It works on my machine.", "2026-03-02T09:00:00.000000000Z"},
			{2, "Linus", "Show me the code.", "2026-03-02T09:05:00.000000000Z"},
			{3, "Edsger", "Goto the next page.", "2026-03-03T10:00:00.000000000Z"},
		},
		words: []string{"abacus", "slide rule"},
		journal: []journalEntry{
			{"2026-03-02T09:00:00.000000000Z", "guestbook signed"},
			{"2026-03-02T09:05:00.000000000Z", "guestbook signed"},
			{"2026-03-03T10:00:00.000000000Z", "guestbook signed"},
		},
	}
}

// note writes a line into the journal, which keeps the first 1000.
func (a *API) note(action string) {
	if g := &a.state.guests; len(g.journal) < 1000 {
		g.journal = append(g.journal, journalEntry{nanos(a.now()), action})
	}
}

// searched remembers a word that was searched for.
func (g *guests) searched(word string) {
	if len(g.words) < 50 {
		g.words = append(g.words, word)
	}
}

func (a *API) guestRoutes() []route {
	return []route{
		service.On("GET", "/guestbook", a.readGuestbook),
		service.On("POST", "/guestbook", a.signGuestbook),
		service.On("GET", "/guestbook/{id}", a.guestbookEntry),
		service.On("GET", "/journal", a.readJournal),
		service.On("GET", "/visits", a.countVisit),
	}
}

// readGuestbook shows the first page.
func (a *API) readGuestbook(*request) answer {
	book := a.state.guests.book
	return service.Reply(http.StatusOK, struct {
		Title   string  `json:"title"`
		Count   int     `json:"count"`
		Entries []entry `json:"entries"`
	}{"Guestbook", len(book), append([]entry{}, book[:min(50, len(book))]...)})
}

// guestInput is what an entry of the guestbook is made of.
type guestInput struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

func (a *API) signGuestbook(r *request) answer {
	in, bad := decode[guestInput](r)
	if bad != nil {
		return *bad
	}
	v := violations{lang: r.lang}
	v.check(fits(in.Author, 1, 40), "author", ruleLength, 1, 40)
	v.check(fits(in.Text, 1, 500), "text", ruleLength, 1, 500)
	if len(v.list) > 0 {
		return v.answer()
	}
	g := &a.state.guests
	if len(g.book) >= maxEntries {
		return full()
	}
	e := entry{len(g.book) + 1, in.Author, in.Text, nanos(a.now())}
	g.book = append(g.book, e)
	a.note("guestbook signed")
	return service.Reply(http.StatusCreated, e).With("Location", fmt.Sprintf("/guestbook/%d", e.ID))
}

func (a *API) guestbookEntry(r *request) answer {
	id, ok := r.id()
	if book := a.state.guests.book; ok && id <= len(book) {
		return service.Reply(http.StatusOK, book[id-1])
	}
	return notFound()
}

// readJournal lists the first 50 things done.
func (a *API) readJournal(*request) answer {
	all := a.state.guests.journal
	return service.Reply(http.StatusOK, struct {
		Total   int            `json:"total"`
		Entries []journalEntry `json:"entries"`
	}{len(all), append([]journalEntry{}, all[:min(50, len(all))]...)})
}

// countVisit counts in two ways: since the reset, and since the process began.
func (a *API) countVisit(*request) answer {
	a.state.visits++
	a.lasting.visits++
	return service.Reply(http.StatusOK, struct {
		Ever       int `json:"ever"`
		SinceReset int `json:"sinceReset"`
	}{a.lasting.visits, a.state.visits})
}
