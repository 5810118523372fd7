package ownfiles

import (
	"archive/zip"
	"io"
	"path"
	"slices"
	"strings"
)

// jars says which jars are read.
type jars int

const (
	ofAny  jars = iota
	ofMain      // those that have a main class, or are packed to be run: others are libraries
)

// packed are the folders in which archives of Spring Boot, and of servlets, have the classes of the API alone.
var packed = []string{"BOOT-INF/classes/", "WEB-INF/classes/"}

// jar reads the classes of a jar that are the API's own: those in a folder of packed; else those whose packages begin
// as that of the main class does; else all. What an archive says of sizes is not trusted: no more is unpacked than is
// left.
func (r *reading) jar(at io.ReaderAt, size int64, which jars) {
	z, err := zip.NewReader(at, size)
	if err != nil {
		return
	}
	prefix, is := r.ownIn(z)
	if !is && which == ofMain {
		return
	}
	slices.SortStableFunc(z.File, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range z.File {
		if r.files >= maxFiles || r.left <= 0 {
			return
		}
		if !strings.HasPrefix(f.Name, prefix) || !strings.HasSuffix(f.Name, ".class") || strings.HasPrefix(f.Name, "META-INF/") ||
			f.UncompressedSize64 > maxFile {
			continue
		}
		r.files++
		r.unpack(f, r.small)
	}
}

// ownIn is how names of the API's own classes begin, and whether a jar says that it can be run.
func (r *reading) ownIn(z *zip.Reader) (prefix string, is bool) {
	for _, p := range packed {
		if slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, p) }) {
			return p, true
		}
	}
	manifest := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == "META-INF/MANIFEST.MF" })
	if manifest < 0 {
		return "", false
	}
	r.unpack(z.File[manifest], func(f io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(f, maxFile))
		for line := range strings.Lines(string(text)) {
			if main, has := strings.CutPrefix(line, "Main-Class:"); has {
				prefix, is = packagesOf(strings.TrimSpace(main)), true
			}
		}
		return err
	})
	return prefix, is
}

// packagesOf is the folder of the first two packages that a class is in.
func packagesOf(class string) string {
	dir := path.Dir(strings.ReplaceAll(class, ".", "/"))
	if dir == "." {
		return ""
	}
	parts := strings.Split(dir, "/")
	return strings.Join(parts[:min(2, len(parts))], "/") + "/"
}

// unpack gives what a part of an archive holds; one that is damaged is left out.
func (r *reading) unpack(f *zip.File, to func(io.Reader) error) {
	content, err := f.Open()
	if err != nil {
		return
	}
	defer content.Close()
	_ = to(content) // what could be read of it is taken
}
