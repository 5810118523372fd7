package book

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"

	"github.com/flaketap/flaketap/internal/outfile"
)

//go:embed page.html
var pageHTML string

//go:embed search.html
var searchHTML string

//go:embed book.css
var bookCSS []byte

//go:embed search.js
var searchJS []byte

// Make reads the book of a repository and writes its site into a folder, which is made where it is missing.
func Make(repository fs.FS, dir string) error {
	b, err := Read(repository)
	if err != nil {
		return err
	}
	files, err := b.Site()
	if err != nil {
		return err
	}
	return outfile.WriteAll(dir, files, nil)
}

// view is what a page shows.
type view struct {
	Book       *Book
	Title      string
	Page       string // its name
	Body       template.HTML
	Prev, Next *Chapter
}

// Site returns the files of the book's site. Nothing in them asks for anything but each other.
func (b *Book) Site() ([]outfile.File, error) {
	page, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	index, err := b.index()
	if err != nil {
		return nil, err
	}
	out := []outfile.File{{Name: "book.css", Data: bookCSS}, {Name: "search.js", Data: searchJS}, {Name: "index.js", Data: index}}
	for name, data := range b.Copied {
		out = append(out, outfile.File{Name: name, Data: data})
	}
	write := func(v view) error {
		v.Book = b
		var w bytes.Buffer
		if err := page.Execute(&w, v); err != nil {
			return fmt.Errorf("write page %s: %w", v.Page, err)
		}
		out = append(out, outfile.File{Name: v.Page, Data: w.Bytes()})
		return nil
	}
	renderer := markdown().Renderer()
	all := b.Chapters()
	for i, c := range all {
		var body bytes.Buffer
		if err := renderer.Render(&body, c.source, c.doc); err != nil {
			return nil, fmt.Errorf("write page of %s: %w", c.File, err)
		}
		// What goldmark makes of text is safe: HTML within it is an error of Read.
		v := view{Title: c.Title, Page: c.Page, Body: template.HTML(body.String())} //nolint:gosec
		if i > 0 {
			v.Prev = all[i-1]
		}
		if i+1 < len(all) {
			v.Next = all[i+1]
		}
		if err := write(v); err != nil {
			return nil, err
		}
	}
	return out, write(view{Title: "Search", Page: "search.html", Body: template.HTML(searchHTML)}) //nolint:gosec
}

// found is a section in the index, as the search reads it.
type found struct {
	Page    string `json:"page"`
	Chapter string `json:"chapter"`
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Text    string `json:"text"`
}

// index returns the sections of all chapters as a script: a page that was opened from a disk may load that, and nothing
// else.
func (b *Book) index() ([]byte, error) {
	var all []found
	for _, c := range b.Chapters() {
		for _, s := range c.Sections {
			all = append(all, found{Page: c.Page, Chapter: c.Title, ID: s.ID, Title: s.Title, Text: s.Text})
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	return append(append([]byte("const sections = "), data...), ";\n"...), nil
}
