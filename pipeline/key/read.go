package key

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxFile bounds the file of a key, in bytes.
const maxFile = 4096

// An Error says why a key is refused. What it says of a place that could not
// be opened does not quote it: it may be the key itself, given by mistake
// where its path belongs.
type Error struct {
	What    string
	Hint    string
	Exposed bool  // others may read the key
	Err     error // cause, may be nil; not printed
}

func (e *Error) Error() string { return e.What }

func (e *Error) Unwrap() error { return e.Err }

// Read takes a key of the type from a file that only its owner may read, or
// from an open file descriptor, "fd:3". use names the flag in errors, which
// are of type *Error.
func Read(place string, want Type, use string) (*Key, error) {
	f, name, err := open(place, use)
	if err != nil {
		return nil, err
	}
	exposed, err := guarded(f, name, strings.HasPrefix(place, "fd:"))
	if err != nil {
		f.Close()
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, &Error{What: name + " cannot be read: " + reason(err), Hint: "check the file given to " + use, Err: err}
	}
	if len(text) > maxFile {
		return nil, &Error{What: name + " " + errNotKey.Error(), Hint: hintNew(want)}
	}
	k, err := parse(text)
	if err != nil {
		return nil, &Error{What: name + " " + err.Error(), Hint: hintNew(want)}
	}
	if exposed != nil {
		return nil, exposed
	}
	if want != "" && k.typ != want {
		return nil, &Error{What: fmt.Sprintf("%s is a %s key, and %s takes a %s key", name, k.typ, use, want),
			Hint: hintNew(want)}
	}
	return k, nil
}

// open opens a place and names it.
func open(place, use string) (f *os.File, name string, err error) {
	if LooksSecret(place) {
		return nil, "", &Error{What: use + " was given the text of a key, and needs the path of its file", Exposed: true,
			Hint: "make a new key, whose text nobody has seen, and give the path of its file"}
	}
	if number, ok := strings.CutPrefix(place, "fd:"); ok {
		// A copy is opened, since closing a descriptor that turns out to be
		// the runtime's own would do harm.
		n, err := strconv.ParseUint(number, 10, 16)
		fd := -1
		if err == nil {
			fd, err = unix.FcntlInt(uintptr(n), unix.F_DUPFD_CLOEXEC, 3)
		}
		if err != nil {
			return nil, "", &Error{What: use + " names a file descriptor that is not open",
				Hint: "open it in the shell, as in " + use + " fd:3 3< FILE"}
		}
		return os.NewFile(uintptr(fd), "key"), "the file descriptor given to " + use, nil
	}
	// A pipe without a writer would make the open wait for ever.
	f, err = os.OpenFile(place, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, "", &Error{What: fmt.Sprintf("the key file given to %s cannot be read: %s", use, reason(err)),
			Hint: "give the path of the key file, never the key itself", Err: err}
	}
	return f, place, nil
}

// guarded wants a file, or a pipe that was handed over. exposed says that
// others than the owner can read it.
func guarded(f *os.File, name string, handed bool) (exposed *Error, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, &Error{What: name + " cannot be read: " + err.Error(), Hint: "check the file", Err: err}
	}
	switch kind, mode := st.Mode&unix.S_IFMT, st.Mode&0o777; {
	case handed && (kind == unix.S_IFIFO || kind == unix.S_IFSOCK):
		return nil, nil
	case kind != unix.S_IFREG:
		return nil, &Error{What: name + " is not a file", Hint: "give a file of mode 0600, or a pipe as fd:3"}
	case mode&0o077 != 0:
		return &Error{What: fmt.Sprintf("%s may be read or changed by others (mode %04o)", name, mode), Exposed: true,
			Hint: "if others may have read it, make a new key; else protect it: chmod 600 " + name}, nil
	case st.Uid != 0 && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0:
		return &Error{What: name + " belongs to another user", Exposed: true,
			Hint: "make your own key with tacet key new --output my.key"}, nil
	}
	return nil, nil
}

func hintNew(want Type) string {
	if want == "" {
		return "make a key with tacet key new --output signing.key"
	}
	return fmt.Sprintf("make a key with tacet key new --type %s --output %[1]s.key", want)
}

// reason is what the operating system says, without the path.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// LooksSecret reports text that is probably a key, where its place is wanted:
// a key file's lines, or base64 of 32 bytes and more with its padding.
func LooksSecret(text string) bool {
	return strings.ContainsAny(text, "\r\n") || strings.HasPrefix(text, drawHead) ||
		strings.HasPrefix(text, signingHead) ||
		strings.HasPrefix(text, "secret:") || len(text) >= 44 && strings.HasSuffix(text, "=")
}
