package suggest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/waits/folder"
)

// Options say what is asked.
type Options struct {
	Places  []Place  // what times are asked for; none: all waits of the suite in the working folder
	Suite   string   // the folder whose waits are looked at; "": the one around each place
	Results []string // files of results, of which tests that failed come first
	Most    int      // how many times are suggested for one wait
	Commits int      // of the history, at most; negative: no history is read
	Cache   string   // the folder of indexes; "": none is kept
}

// Place is a folder, a file, or a line of one.
type Place struct {
	Path string
	Line int // from 1; 0: all of the file, or a folder
	dir  bool
}

// String is the place as a user writes it.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return p.Path + ":" + strconv.Itoa(p.Line)
}

// PlaceOf reads FILE, FILE:LINE, FILE:LINE:COLUMN or DIR. A file whose name ends so is taken for itself.
func PlaceOf(arg string) (Place, error) {
	p := Place{Path: arg}
	info, err := os.Stat(arg)
	for range 2 {
		path, line := lineOf(p.Path)
		if _, missing := os.Stat(p.Path); missing == nil || line == 0 {
			break
		}
		p = Place{Path: path, Line: line}
		info, err = os.Stat(path)
	}
	if err != nil {
		return p, fmt.Errorf("read test: %w", err)
	}
	if p.dir = info.IsDir(); p.dir && p.Line > 0 {
		return p, fmt.Errorf("read test: %s is a folder, which has no line %d", p.Path, p.Line)
	}
	return p, nil
}

// lineOf cuts a number off that stands behind a colon; 0 where there is none.
func lineOf(arg string) (path string, line int) {
	i := strings.LastIndexByte(arg, ':')
	if i <= 0 {
		return arg, 0
	}
	n, err := strconv.Atoi(arg[i+1:])
	if err != nil || n < 1 {
		return arg, 0
	}
	return arg[:i], n
}

// Folder is the folder of the suite that a place belongs to.
func (o Options) Folder(ctx context.Context, p Place) (string, error) {
	root, err := o.folderOf(p, outerOf(ctx, p), folder.Around)
	return absolute(root), err
}

// folderOf is the folder that a place belongs to, within an outer one, where none is named: the one around its file.
func (o Options) folderOf(p Place, outer string, around func(file, outer string) string) (string, error) {
	switch {
	case o.Suite != "":
		return o.Suite, nil
	case p.dir:
		return p.Path, nil
	}
	abs, err := filepath.Abs(p.Path)
	if err != nil {
		return "", fmt.Errorf("read test: %w", err)
	}
	return around(abs, outer), nil
}
