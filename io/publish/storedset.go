package publish

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/tacet-privacy/tacet/io/store"
)

// A set of files that go to a store waits on this machine until all are whole. An
// object is there whole or not at all, but a store cannot put many in place at once. So
// the first is a claim, whose content is the hash of all others: only who writes just
// these objects goes on where a claim stands, and completes what a run left that was
// ended.
type storedSet struct {
	folder string   // its address
	lock   *os.File // of the folder in which files wait
	whole  bool     // its objects are all that shall stand there
	claim  string   // what the claim says, "" until it is known
	stand  map[string]bool
	hidden map[string]store.Entry // objects that wait below the address
	copies bool                   // the store copies them, and nothing over another object
}

// ClaimName is that of the claim. It begins with a dot, as those who read many objects
// leave out.
const ClaimName = ".tacet-set"

// stageStored is Stage for the objects below an address.
func (s *Set) stageStored(address string) (err error) {
	s.stored = &storedSet{folder: store.Folder(address)}
	s.staging, s.stored.lock, err = waiting()
	return err
}

// Whole says that the objects of the set are all that shall stand below an address, and
// looks at what stands there: nothing, or what a run left that had claimed it.
func (s *Set) Whole(address string) error {
	if s.stored == nil { // nothing is staged, but adopted
		s.stored = &storedSet{folder: store.Folder(address)}
	}
	all, err := store.List(s.ctx, s.stored.folder)
	if err != nil {
		return err
	}
	s.stored.whole, s.stored.stand, s.stored.hidden = true, map[string]bool{}, map[string]store.Entry{}
	root, claimed := store.Key(s.stored.folder), false
	for _, e := range all {
		rel := strings.TrimPrefix(e.Key, root)
		switch {
		case rel == ClaimName:
			claimed = true
		case strings.HasPrefix(rel, ".tacet-"):
			s.stored.hidden[store.Plain(store.Below(s.stored.folder, rel))] = e
		case rel != "":
			s.stored.stand[store.Plain(store.Below(s.stored.folder, rel))] = true
		}
	}
	if n := len(s.stored.stand); n > 0 && !claimed {
		return &TargetError{store.Plain(s.stored.folder), fmt.Sprintf("exists: %d objects stand there", n),
			"give another address", true}
	}
	return nil
}

// Vacant refuses an address below which something stands.
func (s *Set) Vacant(address string) error {
	all, err := store.List(s.ctx, store.Folder(address))
	if err == nil && len(all) > 0 {
		err = &TargetError{store.Plain(address), fmt.Sprintf("exists: %d objects stand there", len(all)),
			"give another address, or remove what a run left there that was ended: release.json says that a report is whole",
			true}
	}
	return err
}

// addStored is AddStaged for an object.
func (s *Set) addStored(t Target) (*File, error) {
	plain := store.Plain(t.Path)
	if s.stored.stand[plain] && !t.Same {
		return nil, &TargetError{plain, "exists", "give another address", true}
	}
	delete(s.stored.stand, plain)
	return s.staged(t), nil
}

// adoptStored is Adopt for an object; where there is none at path, its target must stand.
func (s *Set) adoptStored(t Target, path string) (*File, error) {
	plain := store.Plain(t.Path)
	waits, found := s.stored.hidden[store.Plain(path)]
	if !found {
		if !s.stored.stand[plain] {
			return nil, fs.ErrNotExist
		}
		path = t.Path
	}
	delete(s.stored.stand, plain)
	f := &File{target: t, set: s, stored: true, named: true, staged: path, closed: true, adopted: true, waits: waits}
	s.files = append(s.files, f)
	return f, nil
}

// Claim says what all objects of the staged folder are together, before Commit; it does
// nothing where there are none.
func (s *Set) Claim(hash string) {
	if s.stored != nil {
		s.stored.claim = hash + "\n"
	}
}

// upload puts the staged objects into their store, behind their claim.
func (s *Set) upload() error {
	if s.stored == nil {
		return nil
	}
	if n := len(s.stored.stand); n > 0 {
		return &TargetError{store.Plain(s.stored.folder), fmt.Sprintf("holds %d objects of something else", n),
			"give another address", true}
	}
	if s.stored.whole {
		if err := s.makeClaim(); err != nil {
			return err
		}
	}
	s.step("claimed")
	if err := s.mayCopy(); err != nil {
		return err
	}
	large, failed := errgroup.WithContext(s.ctx)
	small, failed := errgroup.WithContext(failed)
	large.SetLimit(goingUp)
	small.SetLimit(store.AtOnce)
	for _, f := range s.files {
		at := large
		if f.light() {
			at = small
		}
		if f.staged != "" && failed.Err() == nil { // what is on its way then goes up
			at.Go(f.uploadStaged)
		}
	}
	return cmp.Or(small.Wait(), large.Wait(), s.ctx.Err())
}

// goingUp is how many objects go up, or are compared, at once; small ones are more.
const goingUp = 4

// light reports whether a file that waits takes less time to go up than to be asked about.
func (f *File) light() bool {
	size := f.waits.Size
	if st, err := os.Stat(f.staged); err == nil {
		size = st.Size()
	}
	return size <= store.Small/8
}

// makeClaim puts the claim, or finds the same one: of a run that was ended, or that
// writes the same objects at this moment.
func (s *Set) makeClaim() error {
	url := store.Below(s.stored.folder, ClaimName)
	err := store.Put(s.ctx, store.Target{URL: url, Create: true}, strings.NewReader(s.stored.claim))
	if !collides(err) {
		return err
	}
	same, err := sameObject(s, url, strings.NewReader(s.stored.claim))
	if err == nil && !same {
		err = &TargetError{store.Plain(s.stored.folder), "holds the objects of another run, or gets them at this moment",
			"give another address", true}
	}
	return err
}

// mayCopy finds out whether the store refuses to copy over an object: where it does not, the claim is as before.
func (s *Set) mayCopy() error {
	if !slices.ContainsFunc(s.files, func(f *File) bool { return f.adopted }) {
		return nil
	}
	url := store.Below(s.stored.folder, ClaimName)
	e, err := store.Stat(s.ctx, url)
	if err == nil {
		_, err = store.Copy(s.ctx, url, e, url)
	}
	if s.stored.copies = collides(err); s.stored.copies || errors.As(err, new(*store.Error)) {
		return nil // a store that knows no such question is not asked again
	}
	return err
}

// uploadStaged puts one of many objects into its store, and gives its room back. One that
// stands with the same bytes stays.
func (f *File) uploadStaged() error {
	if f.staged == f.target.Path {
		f.placed = true
		return nil
	}
	if f.adopted && f.set.stored.copies {
		ok, err := store.Copy(f.set.ctx, f.staged, f.waits, f.target.Path)
		if f.placed = ok && err == nil; f.placed || err != nil && !collides(err) {
			return err
		}
	}
	from, err := f.openWaiting()
	if err != nil {
		return err
	}
	defer from.Close()
	content := func() io.Reader {
		_, _ = from.Seek(0, io.SeekStart) // as it is at first
		return hashed(from, f.expect)
	}
	err = store.Put(f.set.ctx, store.Target{URL: f.target.Path, Create: true}, content())
	if collides(err) && f.target.Same {
		var same bool
		if same, err = sameObject(f.set, f.target.Path, content()); err == nil && !same {
			err = &TargetError{store.Plain(f.target.Path), "exists and holds something else", "give another address", true}
		}
	}
	if err != nil {
		return err
	}
	f.placed = true
	if f.adopted { // its folder goes when all is done
		return nil
	}
	return systemError("removing the temporary file of", f.target.Path, remove(f.staged))
}

// openWaiting opens what waits to go up.
func (f *File) openWaiting() (io.ReadSeekCloser, error) {
	if !f.adopted {
		disk, err := os.Open(f.staged)
		return disk, systemError("reading", f.staged, err)
	}
	o, err := store.OpenListed(f.set.ctx, f.staged, f.waits)
	if err != nil {
		return nil, err
	}
	return struct {
		*io.SectionReader
		io.Closer
	}{io.NewSectionReader(o, 0, o.Size()), o}, nil
}

// errChanged is an object that is not the one that was checked.
var errChanged = errors.New("it changed after it was checked")

// hashed is r, which fails at its end unless it gave what has the hash sum; "" is any.
func hashed(r io.Reader, sum string) io.Reader {
	if sum == "" {
		return r
	}
	return &hashedReader{r, sha256.New(), sum}
}

type hashedReader struct {
	r   io.Reader
	h   hash.Hash
	sum string
}

func (r *hashedReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.h.Write(b[:n])
	if errors.Is(err, io.EOF) && hex.EncodeToString(r.h.Sum(nil)) != r.sum {
		return n, errChanged
	}
	return n, err
}

func collides(err error) bool {
	var refused *store.Error
	return errors.As(err, &refused) && refused.Kind == store.Exists
}

// sameObject reports whether an object holds what r gives.
func sameObject(s *Set, url string, r io.Reader) (bool, error) {
	o, err := store.Open(s.ctx, url)
	if err != nil {
		return false, err
	}
	defer o.Close()
	return same(r, io.NewSectionReader(o, 0, o.Size()))
}

// waitingName begins the names of folders in which files wait until they go up.
const waitingName = ".tacet-waiting-"

// waiting makes such a folder, which is locked while its process lives, and removes those
// whose process is dead.
func waiting() (string, *os.File, error) {
	of := os.TempDir()
	old, _ := filepath.Glob(filepath.Join(escapeGlob(of), waitingName+"*"))
	for _, dir := range old {
		if f, err := lockFolder(dir); err == nil {
			os.RemoveAll(dir)
			f.Close()
		}
	}
	for {
		dir, err := os.MkdirTemp(of, waitingName)
		if err != nil {
			return "", nil, systemError("making a folder in", of, err)
		}
		f, err := lockFolder(dir)
		switch {
		case err == nil && sameFile(f, dir):
			return dir, f, nil
		case noLocks(err): // there nothing is ever removed, since the lock fails for others, too
			return dir, nil, nil
		case err == nil:
			f.Close() // another run took it for that of a dead one
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, fs.ErrNotExist):
			return "", nil, systemError("locking", dir, err)
		}
	}
}

// lockFolder takes the lock of a folder, which ends with the process.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err := lock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// end gives up the lock of the folder, which is gone by now.
func (s *storedSet) end() error {
	if s == nil || s.lock == nil {
		return nil
	}
	return s.lock.Close()
}
