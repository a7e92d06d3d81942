package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/tacet-privacy/tacet/io/store"
)

// Check reports whether path may become an output: its folder can be written to,
// or be made, and path is free, or a regular file that overwrite allows to
// replace. A link, folder, device, pipe or socket is refused, and so is a file
// that is one of inputs under whatever name. Errors are a TargetError or a
// SystemError.
func Check(path string, overwrite bool, inputs ...fs.FileInfo) error {
	_, err := check(path, overwrite, inputs)
	return err
}

// check returns what stands at path, nil where nothing does.
func check(path string, overwrite bool, inputs []fs.FileInfo) (fs.FileInfo, error) {
	if path == "" {
		return nil, &TargetError{`""`, "is not a file name", "name a file", false}
	}
	if store.Is(path) {
		return nil, checkStored(path, overwrite)
	}
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if last := path[len(path)-1]; os.IsPathSeparator(last) {
			return nil, &TargetError{path, "names a folder", "name a file", false}
		}
		return nil, checkFolder(path)
	case errors.Is(err, unix.ENOTDIR):
		return nil, checkFolder(path)
	case err != nil:
		return nil, systemError("looking at", path, err)
	}
	for _, in := range inputs {
		if os.SameFile(st, in) {
			return nil, &TargetError{path, "is read by this run", "give another file or folder", false}
		}
	}
	if what := irregular(st.Mode()); what != "" {
		return nil, &TargetError{path, "is " + what + ", not a regular file", "give a regular file or a new one", false}
	}
	if !overwrite {
		return nil, &TargetError{path, "exists", "remove it, give another file, or give --overwrite", true}
	}
	return st, checkFolder(path)
}

// checkFolder looks at the folder of a path, or at the first above it that is there,
// in which the others can be made.
func checkFolder(path string) error {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		st, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Lstat(dir); err == nil {
				return &TargetError{path, "is in a folder that is a link to nothing", "give a file in another folder", false}
			}
			continue
		case errors.Is(err, unix.ENOTDIR), err == nil && !st.IsDir():
			return &TargetError{path, "is in a path that is not a folder", "give a file in a folder", false}
		case err != nil:
			return systemError("looking at the folder", dir, err)
		}
		return systemError("writing to the folder", dir, unix.Access(dir, unix.W_OK|unix.X_OK))
	}
}

// InFolder refuses a path whose folder is not there: a slip in the path of a file
// that is kept from run to run must not make another.
func InFolder(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &TargetError{path, "is in a folder that does not exist", "check the path, or make the folder " + dir, false}
	}
	return nil
}

// irregular names what m is, "" for a regular file.
func irregular(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return ""
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a special file"
}
