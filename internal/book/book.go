package book

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// contents is the file that lists the chapters.
const contents = "docs/README.md"

// Book is the documentation, read and checked.
type Book struct {
	Parts []Part
	// Copied are the files of the repository that pages show or link to and that are no chapters, by their paths, which
	// they keep.
	Copied map[string][]byte
}

// Part is a row of chapters that belong together.
type Part struct {
	Title    string
	Chapters []*Chapter
}

// Chapter is one page.
type Chapter struct {
	File     string // its path in the repository
	Page     string // the name of its page
	Title    string // by which it is listed
	Sections []Section

	source []byte
	doc    ast.Node
}

// Section is what stands beneath one heading, down to the next.
type Section struct {
	ID    string // of its heading; "" for what stands before the first
	Title string
	Text  string // as it is read, on one line
}

// Read reads the book of a repository. The error has each link that leads nowhere and each page that no list has.
func Read(repository fs.FS) (*Book, error) {
	r := reader{repository: repository, parser: markdown().Parser(), book: &Book{Copied: map[string][]byte{}}}
	if err := r.list(); err != nil {
		return nil, err
	}
	for _, c := range r.book.Chapters() {
		r.link(c)
	}
	r.unlisted()
	return r.book, errors.Join(r.faults...)
}

// markdown is how chapters are read and written.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
}

// Chapters returns all chapters in their order.
func (b *Book) Chapters() (out []*Chapter) {
	for _, p := range b.Parts {
		out = append(out, p.Chapters...)
	}
	return out
}

// chapter returns the one of a file; nil where there is none.
func (b *Book) chapter(file string) *Chapter {
	all := b.Chapters()
	if i := slices.IndexFunc(all, func(c *Chapter) bool { return c.File == file }); i >= 0 {
		return all[i]
	}
	return nil
}

// has reports whether a chapter has a section of that name.
func (c *Chapter) has(id string) bool {
	return slices.ContainsFunc(c.Sections, func(s Section) bool { return s.ID == id })
}

// reader reads a book.
type reader struct {
	repository fs.FS
	parser     parser.Parser
	book       *Book
	faults     []error
}

// list reads which chapters there are, and each of them.
func (r *reader) list() error {
	front, err := r.parse(contents)
	if err != nil {
		return err
	}
	front.Page = "index.html"
	r.book.Parts = []Part{{Chapters: []*Chapter{front}}}
	return ast.Walk(front.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering && h.Level == 2 {
			r.book.Parts = append(r.book.Parts, Part{Title: plain(h, front.source)})
		}
		item, ok := n.(*ast.ListItem)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		link := first(item)
		if link == nil || len(r.book.Parts) < 2 {
			return ast.WalkStop, fmt.Errorf("read %s: %q: an item of its lists begins with a link, below a heading", contents,
				plain(item, front.source))
		}
		c, err := r.parse(path.Join(path.Dir(contents), string(link.Destination)))
		if err != nil {
			return ast.WalkStop, err
		}
		c.Title = plain(link, front.source)
		c.Page = strings.ToLower(strings.TrimSuffix(path.Base(c.File), ".md")) + ".html"
		for _, other := range r.book.Chapters() {
			if other.Page == c.Page {
				return ast.WalkStop, fmt.Errorf("read %s: %s and %s would be one page", contents, other.File, c.File)
			}
		}
		last := &r.book.Parts[len(r.book.Parts)-1]
		last.Chapters = append(last.Chapters, c)
		return ast.WalkSkipChildren, nil
	})
}

// first returns the link with which an item begins; nil where it begins otherwise.
func first(item *ast.ListItem) *ast.Link {
	if item.FirstChild() == nil {
		return nil
	}
	link, _ := item.FirstChild().FirstChild().(*ast.Link)
	return link
}

// parse reads a chapter, whose links still lead to files.
func (r *reader) parse(file string) (*Chapter, error) {
	source, err := fs.ReadFile(r.repository, file)
	if err != nil {
		return nil, fmt.Errorf("read chapter: %w", err)
	}
	c := &Chapter{File: file, source: source, doc: r.parser.Parse(text.NewReader(source))}
	if h, ok := c.doc.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		c.Title = plain(h, source)
	} else {
		return nil, fmt.Errorf("read chapter %s: it does not begin with a heading", file)
	}
	c.Sections = sections(c.doc, source)
	return c, nil
}

// sections cuts a chapter at its headings.
func sections(doc ast.Node, source []byte) (out []Section) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			out = append(out, Section{ID: string(name), Title: plain(h, source)})
			continue
		}
		last := &out[len(out)-1] // a chapter begins with a heading
		last.Text = strings.TrimSpace(last.Text + " " + plain(n, source))
	}
	return out
}

// link makes the links of a chapter lead to pages, and says which lead nowhere.
func (r *reader) link(c *Chapter) {
	fault := func(format string, args ...any) {
		r.faults = append(r.faults, fmt.Errorf("%s: %w", c.File, fmt.Errorf(format, args...)))
	}
	// The error is always nil: the function returns none.
	_ = ast.Walk(c.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Link:
			n.Destination, err = r.destination(c, string(n.Destination))
		case *ast.Image:
			n.Destination, err = r.destination(c, string(n.Destination))
		case *ast.RawHTML, *ast.HTMLBlock:
			fault("HTML is not shown: write code in backquotes")
		}
		if err != nil {
			fault("%w", err)
		}
		return ast.WalkContinue, nil
	})
}

// destination returns where a link of a chapter leads in the site.
func (r *reader) destination(c *Chapter, to string) ([]byte, error) {
	if strings.Contains(to, "://") {
		return []byte(to), nil
	}
	file, id, _ := strings.Cut(to, "#")
	at := c
	if file != "" {
		file = path.Join(path.Dir(c.File), file)
		at = r.book.chapter(file)
	}
	if at == nil {
		data, err := fs.ReadFile(r.repository, file)
		if err != nil {
			return nil, fmt.Errorf("link to %s: %w", to, err)
		}
		r.book.Copied[file] = data
		return []byte(file), nil
	}
	if id == "" {
		return []byte(at.Page), nil
	}
	if !at.has(id) {
		return nil, fmt.Errorf("link to %s: %s has no such heading", to, at.File)
	}
	return []byte(at.Page + "#" + id), nil
}

// unlisted says which pages of the folder of the documentation no list has.
func (r *reader) unlisted() {
	files, err := fs.Glob(r.repository, path.Join(path.Dir(contents), "*.md"))
	if err != nil {
		r.faults = append(r.faults, fmt.Errorf("list chapters: %w", err))
	}
	for _, file := range files {
		if r.book.chapter(file) == nil {
			r.faults = append(r.faults, fmt.Errorf("%s: %s does not list it", file, contents))
		}
	}
}

// plain returns the text of a node as it is read, on one line.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	// The error is always nil: the function returns none.
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
