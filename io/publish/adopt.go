package publish

import (
	"os"
	"path/filepath"

	"github.com/tacet-privacy/tacet/io/store"
)

// Adopt is AddStaged for a file that an earlier run wrote whole at path. Where that is
// gone, what stands at the target is taken for it: a Commit was ended half-way. The
// file stays where it is if this set fails.
func (s *Set) Adopt(t Target, path string) (*File, error) {
	t.Same = true
	if store.Is(t.Path) {
		return s.adoptStored(t, path)
	}
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		if _, err := os.Lstat(t.Path); err != nil {
			return nil, err
		}
		path = t.Path
	}
	if _, err := check(t.Path, true, s.inputs); err != nil {
		return nil, err
	}
	if err := s.Folder(filepath.Dir(t.Path)); err != nil {
		return nil, err
	}
	f := &File{target: t, set: s, named: true, staged: path, closed: true, adopted: true}
	s.files = append(s.files, f)
	return f, nil
}
