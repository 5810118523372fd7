package notation

import (
	"fmt"
	"testing"
	"time"
)

// sunday is when the answers of these tests are made.
var sunday = Span{time.Date(2026, 11, 22, 9, 23, 11, 0, time.UTC), time.Date(2026, 11, 22, 9, 23, 11, 20e6, time.UTC)}

// TestLooseNotations: what is read with the day known, and what is around it.
func TestLooseNotations(t *testing.T) {
	day := sunday.From.Truncate(Day)
	month := day.AddDate(0, 0, -21)
	for text, want := range map[string]Moment{
		"22/11/2026":                 {At: day, Unit: Day},
		"11/22/2026":                 {At: day, Unit: Day},
		"due 22-11-2026":             {At: day, Unit: Day, Rest: "due "},
		"22-11-26":                   {At: day, Unit: Day},
		"26.11.22":                   {At: day, Unit: Day},
		"11/22/26":                   {At: day, Unit: Day},
		"2026. 11. 22.":              {At: day, Unit: Day, Rest: "."},
		"22 Nov 26":                  {At: day, Unit: Day},
		"22-NOV-2026":                {At: day, Unit: Day},
		"Nov 22":                     {At: day, Unit: Day, Cycle: Year},
		"November 22nd, 2026":        {At: day, Unit: Day},
		"the 22nd of November 2026":  {At: day, Unit: Day, Rest: "the "},
		"Sunday, November 22, 2026":  {At: day, Unit: Day, Rest: ", "},
		"dimanche 22 novembre 2026":  {At: day, Unit: Day, Rest: " "},
		"22 de noviembre de 2026":    {At: day, Unit: Day},
		"Sonntag, 22. November 2026": {At: day, Unit: Day, Rest: ", "},
		"воскресенье, 22 ноября 2026 г.": {At: day, Unit: Day, Rest: ",  г."},
		"niedziela, 22 listopada 2026":   {At: day, Unit: Day, Rest: ", "},
		"2026. november 22., vasárnap":   {At: day, Unit: Day, Rest: "., "},
		"Chủ Nhật, 22 tháng 11, 2026":    {At: day, Unit: Day, Rest: ", "},
		"2026年11月22日":                    {At: day, Unit: Day},
		"2026年11月22日日曜日":                 {At: day, Unit: Day},
		"2026년 11월 22일 일요일":              {At: day, Unit: Day, Rest: " "},
		"٢٢ نوفمبر ٢٠٢٦":                 {At: day, Unit: Day},
		"२२ नवंबर २०२६":                  {At: day, Unit: Day},
		"22 พฤศจิกายน 2026":              {At: day, Unit: Day},
		"November 22, 2026 at 9:23 AM":   {At: day.Add(9*time.Hour + 23*time.Minute), Unit: time.Minute},
		"22 novembre 2026 à 09h23":       {At: day.Add(9*time.Hour + 23*time.Minute), Unit: time.Minute},
		"INV-20261122-0007":              {At: day, Unit: Day, Rest: "INV--0007"},
		"INV-261122-0007":                {At: day, Unit: Day, Rest: "INV--0007"},
		"R221126":                        {At: day, Unit: Day, Rest: "R"},
		"2026-326":                       {At: day, Unit: Day},
		"2026-11":                        {At: month, Unit: Month},
		"notices-2026-11.zip":            {At: month, Unit: Month, Rest: "notices-.zip"},
		"2026-11/B":                      {At: month, Unit: Month, Rest: "/B"},
		"11/2026":                        {At: month, Unit: Month},
		"November 2026":                  {At: month, Unit: Month},
		"November":                       {At: month, Unit: Month, Cycle: Year},
		"Q4 2026":                        {At: month.AddDate(0, -1, 0), Unit: quarter},
		"2026-Q4":                        {At: month.AddDate(0, -1, 0), Unit: quarter},
		"(c) 2026":                       {At: month.AddDate(0, -10, 0), Unit: Year, Rest: "(c) "},
		"See you on Sunday":              {At: day, Unit: Day, Cycle: Week, Rest: "See you on "},
		"À dimanche":                     {At: day, Unit: Day, Cycle: Week, Rest: "À "},
		"Sun":                            {At: day, Unit: Day, Cycle: Week},
		"it is 9 o'clock":                {At: day.Add(9 * time.Hour), Unit: time.Hour, TimeOfDay: true, Cycle: Day, Rest: "it is  o'clock"},
		"9:23 AM":                        {At: day.Add(9*time.Hour + 23*time.Minute), Unit: time.Minute, TimeOfDay: true, Cycle: Day},
		"09h23":                          {At: day.Add(9*time.Hour + 23*time.Minute), Unit: time.Minute, TimeOfDay: true, Cycle: Day},
		"closed at 9 pm":                 {At: day.Add(21 * time.Hour), Unit: time.Hour, TimeOfDay: true, Cycle: Day, Rest: "closed at "},
	} {
		want.Unusual = true
		got, ok := MomentAt(Scalar{Kind: String, Text: text}, sunday)
		got.InText, got.Unusual, got.Weak = false, true, false // TestOddNotations looks at the second
		if !ok || got != want {
			t.Errorf("%q: %v\n got %+v\nwant %+v", text, ok, got, want)
		}
	}
	if m, ok := MomentAt(ScalarOf("20261122"), sunday); !ok || !m.At.Equal(day) {
		t.Errorf("20261122 is read as %+v", m)
	}
}

// Seconds since 1970 in hexadecimal digits are read where they are the answer's own.
func TestHexSeconds(t *testing.T) {
	now := ScalarOf(fmt.Sprintf(`"%x"`, sunday.From.Unix()))
	if m, ok := MomentAt(now, sunday); !ok || !m.At.Equal(sunday.From) || m.Unit != time.Second {
		t.Errorf("%s is read as %+v, %v", now.Raw, m, ok)
	}
	if m, ok := MomentOf(now); ok {
		t.Errorf("at no known time it is %+v", m)
	}
	for _, other := range []string{fmt.Sprintf("%x", sunday.From.Unix()-3600), "deadbeef", "-b03980e"} {
		if m, ok := MomentAt(ScalarOf(`"`+other+`"`), sunday); ok {
			t.Errorf("%s is read as %+v", other, m)
		}
	}
}
