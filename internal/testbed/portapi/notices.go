package portapi

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) noticeRoutes() []route {
	return []route{
		service.On("GET", "/board", a.today),
		service.On("GET", "/notices/{id}", a.getNotice),
		service.On("POST", "/notices", a.postNotice),
	}
}

// today is the board at the gate, in the language of who looks at it, and in English for the crews.
func (a *API) today(r *request) answer {
	t, english, now := tongueOf(r), tongues()[0], r.now
	next := now.Truncate(24*time.Hour).AddDate(0, 0, 1)
	era := fmt.Sprintf("令和%d年%d月%d日", now.Year()-2018, now.Month(), now.Day())
	roman := strings.Fields("I II III IV V VI VII VIII IX X XI XII")[now.Month()-1]
	return service.Reply(http.StatusOK, object{
		"language": t.tag, "headline": t.write(t.long, now), "in_english": english.write(english.long, now),
		"numeric": t.write(t.numeric, now), "brief": t.write(t.brief, now), "month": now.Format("2006-01"),
		"month_name": t.write(t.month, now), "meeting": t.write(t.meet, next),
		"tomorrow": t.write("{day}", next) + " 06:00", "greeting": t.greeting(now),
		"hour": now.Hour(), "hour_text": now.Format("3 PM"), "week": isoWeek(now), "week_number": weekText(now),
		"quarter": fmt.Sprintf("Q%d %d", (int(now.Month())+2)/3, now.Year()), "era": era,
		"roman": fmt.Sprintf("%d-%s-%d", now.Day(), roman, now.Year()), "ordinal": now.Format("2006-002"),
		"compact": now.Format("060102"), "slug": now.Format("2006-01-02") + "-gate-board",
		"us_deadline": now.AddDate(0, 0, 10).Format("01/02/2006"), "footer": now.Format("(c) 2006 Harbour One Terminals"),
		"since": "(c) 2019 Harbour One", "opening": t.opening, "price": t.price, "release": "2024.11",
		"opened":            t.write(t.long, time.Date(1998, 11, 22, 0, 0, 0, 0, time.UTC)),
		"milestones":        []string{"22 Nov 98", "11/22/2003", "22/11/2003", "2003-11-22T09:00:00Z", "令和元年5月1日"},
		"days_to_christmas": christmas(now), "fiscal_year": fmt.Sprintf("FY%d/%02d", now.Year(), (now.Year()+1)%100),
		"last_post": "posted 3 minutes ago", "closed_on": "Sunday, December 25, 2022", "lock_hours": "PT12H",
		"read_at": now.Format("Jan 2, 2006, 3:04:05.000 PM"), "clock": t.write("{day} ", now) + now.Format("15:04"),
	}).With("Content-Language", t.tag).With("Vary", "Accept-Language").With("Expires", next.Format(http.TimeFormat))
}

// christmas returns how many days it is until Christmas, none on the last days of the year.
func christmas(t time.Time) int {
	day := time.Date(t.Year(), 12, 25, 0, 0, 0, 0, time.UTC)
	return max(0, int(day.Sub(t.Truncate(24*time.Hour)).Hours()/24))
}

// weekText returns the number of the week as people say it.
func weekText(t time.Time) string {
	_, week := t.ISOWeek()
	return fmt.Sprintf("Week %d", week)
}

// notice is one of those that hang on the board for good.
type notice struct{ id, title, text, posted, author, born string }

func notices() []notice {
	return []notice{
		{"N-7", "Gate 3 closed", "Gate 3 is closed since Sunday, November 22, 2020. See you on Monday.", "11/22/2020",
			"Åsa Lind", "22/11/1971"},
		{"N-12", "Nouveau portique", "Le portique 4 est en service depuis le dimanche 22 novembre 2015.", "22/11/2015",
			"Zoé Prévost", "3 févr. 68"},
		{"N-19", "雨天時の注意", "2018年11月22日木曜日から適用。", "2018/11/22", "佐藤", "昭和43年11月22日"},
		{"N-23", "تنبيه", "اعتبارًا من الأحد، ٢٢ نوفمبر ٢٠٢٠", "٢٢/١١/٢٠٢٠", "ليلى", "٣/٢/١٩٨٠"},
	}
}

// getNotice shows a notice as it was hung up, and how often notices were read.
func (a *API) getNotice(r *request) answer {
	for _, n := range notices() {
		if n.id == r.params["id"] {
			a.state.views++
			hung := time.Date(2014, 11, 22, 0, 0, 0, 0, time.UTC)
			return service.Reply(http.StatusOK, object{
				"id": n.id, "title": n.title, "text": n.text, "posted": n.posted, "author": n.author, "author_born": n.born,
				"posted_text": "posted 3 minutes ago", "views": a.state.views, "reading_time": "3 min", "copyright": "© 2019",
				"seen": "Seen " + r.now.Format("Monday at 15:04:05.000000"), "days_on_board": int(r.now.Sub(hung).Hours() / 24),
				"version": "2024.11", "invoice": "INV-20191122-0007", "checksum": md5Of(n.text), "expires": "never",
				"rss_guid": "tag:port.example,2019-11-22:" + n.id, "priority": 3,
			}).With("Last-Modified", "Sun, 22 Nov 2020 09:00:00 GMT").With("Etag", `"`+md5Of(n.id)[:12]+`"`)
		}
	}
	return a.missing(r)
}

// postNotice hangs up a notice for the day.
func (a *API) postNotice(r *request) answer {
	in, bad := decode[struct {
		Title string `json:"title"`
		Until string `json:"until"`
	}](a, r)
	if bad != nil {
		return *bad
	}
	if in.Title == "" || in.Until == "" || len(in.Title) > 200 {
		return a.invalid(r, []rule{{"title", "must have 1 to 200 letters"}, {"until", "must be a day"},
			{"gate", "must be known"}, {"reason", "must be given"}, {"tags", "must not be empty"}})
	}
	a.state.notices++
	id, t := fmt.Sprintf("N-%d", a.state.notices), tongueOf(r)
	return service.Reply(http.StatusCreated, object{
		"id": id, "title": in.Title, "until": in.Until, "posted": ago(0), "banner": "Notice of " + t.write(t.long, r.now),
		"slug":      r.now.Format("2006/01/02/") + strings.ToLower(strings.ReplaceAll(in.Title, " ", "-")),
		"object_id": fmt.Sprintf("%08x", r.now.Unix()) + a.hex(8), "share_token": a.draw(10, crockford),
		"text_md5":  md5Of(in.Title),
		"review_on": t.write(t.numeric, r.now.AddDate(0, 0, 14)),
		"hung_at":   r.now.Format("15:04:05.000"), "archive": r.now.Format("notices-2006-01.zip"), "lang": t.tag,
		"message": "Notice " + id + " is on the board.", "board": "gate-3",
	}).With("Location", "/notices/"+id).With("Content-Language", t.tag)
}
