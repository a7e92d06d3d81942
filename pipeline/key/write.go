package key

import (
	"bytes"
	"errors"
	"os"

	"github.com/tacet-privacy/tacet/io/publish"
)

// Write puts a key into a new file of mode 0600. A file that exists is
// refused. Errors are those of package publish.
func Write(path string, k *Key) error {
	set := publish.NewSet()
	err := add(set, publish.Target{Path: path, Private: true}, k)
	if err == nil {
		err = set.Commit()
	}
	return errors.Join(err, set.Abort())
}

// Rotate puts a new key of the same type in the place of one, which it keeps
// beside it under the name that it returns. Either both files are there
// afterwards or nothing has changed; one that was killed in between left the
// old key twice, which the next takes as it is. Errors are *Error and those of
// package publish; fresh is nil but where the new key stands nevertheless.
func Rotate(path, created string) (old, fresh *Key, kept string, err error) {
	if old, err = Read(path, "", "--key"); err != nil {
		return nil, nil, "", err
	}
	if fresh, err = New(old.Type(), created); err != nil {
		return nil, nil, "", err
	}
	if old.Type() == Draw {
		history := old.History()
		fresh.history = func() []byte { return history }
	}
	kept = path + "." + old.ID()
	before, err := os.Lstat(path)
	set, twin := publish.NewSet(), holds(kept, old)
	if err == nil && !twin {
		err = add(set, publish.Target{Path: kept, Private: true}, old)
	}
	own := err == nil && !twin
	if err == nil {
		err = add(set, publish.Target{Path: path, Overwrite: true, Private: true}, fresh)
	}
	if err == nil {
		err = set.Commit()
	}
	var target *publish.TargetError
	own = own && !(errors.As(err, &target) && target.Exists) // which another rotation keeps
	err = errors.Join(err, set.Abort())
	if now, gone := os.Lstat(path); err != nil && gone == nil && os.SameFile(before, now) {
		if fresh = nil; own {
			_ = os.Remove(kept) // of which err says enough
		}
	}
	return old, fresh, kept, err
}

// holds reports whether the file has this very key.
func holds(path string, k *Key) bool {
	is, err := Read(path, k.Type(), "--key")
	return err == nil && bytes.Equal(is.Text(), k.Text())
}

func add(set *publish.Set, t publish.Target, k *Key) error {
	f, err := set.Add(t)
	var target *publish.TargetError
	if errors.As(err, &target) && target.Exists {
		return &publish.TargetError{Path: target.Path, What: target.What,
			Hint: "give another file; a replaced key cannot be recovered", Exists: true}
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(k.Text(), 0); err != nil {
		return err
	}
	return f.Close()
}
