package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The bounds on what is copied.
const (
	maxFiles = 100_000
	maxBytes = 2 << 30
)

// linked are the folders that copies share with the suite, as they are large, and no tests of its own change them.
var linked = map[string]bool{"node_modules": true, "venv": true, ".venv": true}

// copySuite copies a suite's folder to a new one beside it, or among temporary folders where none can be made there,
// and returns where that is.
func copySuite(root string) (dir string, err error) {
	name := filepath.Base(root) + "_tune_*" // of letters that are those of a package too
	if dir, err = os.MkdirTemp(filepath.Dir(root), name); err != nil {
		if dir, err = os.MkdirTemp("", name); err != nil {
			return "", fmt.Errorf("make a folder for a copy of the suite: %w", err)
		}
	}
	c := copying{from: root, to: dir}
	if err := filepath.WalkDir(root, c.entry); err != nil {
		return "", errors.Join(fmt.Errorf("copy suite: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}

// copying is a copy that is being made.
type copying struct {
	from, to string
	files    int
	bytes    int64
}

// entry copies one entry of a folder.
func (c *copying) entry(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(c.from, path)
	if err != nil || rel == "." {
		return err
	}
	to := filepath.Join(c.to, rel)
	if c.files++; c.files > maxFiles || c.bytes > maxBytes {
		return fmt.Errorf("%s has more than %d files, or %d bytes; --suite names a smaller folder", c.from, maxFiles, maxBytes)
	}
	switch {
	case d.IsDir() && d.Name() == ".git":
		return fs.SkipDir
	case d.IsDir() && linked[d.Name()]:
		if err := os.Symlink(path, to); err != nil {
			return err
		}
		return fs.SkipDir
	case d.IsDir():
		return os.Mkdir(to, 0o755)
	case d.Type()&fs.ModeSymlink != 0:
		return c.link(path, to)
	case d.Type().IsRegular():
		return c.file(path, to)
	}
	return nil // a socket, a device
}

// link has a link lead to the same place as before: within the copy where it leads within the suite.
func (c *copying) link(path, to string) error {
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(c.from, filepath.Join(filepath.Dir(path), target))
	if inside := err == nil && filepath.IsLocal(rel); !filepath.IsAbs(target) && !inside {
		target = filepath.Join(filepath.Dir(path), target)
	}
	return os.Symlink(target, to)
}

// file copies a file, with when it was changed.
func (c *copying) file(path, to string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxBytes-c.bytes+1))
	c.bytes += n
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
