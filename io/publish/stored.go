package publish

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/tacet-privacy/tacet/io/store"
)

// checkStored reports whether an object of a store may become an output. That it is
// free is decided once more by the store, when the object is put in place.
func checkStored(url string, overwrite bool) error {
	if strings.HasSuffix(store.Plain(url), "/") || store.Name(url) == "/" {
		return &TargetError{store.Plain(url), "names no object", "name one, such as " + store.Join(store.Plain(url),
			"out.parquet"), false}
	}
	switch free, err := store.Free(context.Background(), url); {
	case err != nil:
		return err
	case !free && !overwrite:
		return &TargetError{store.Plain(url), "exists", "give another address, or give --overwrite", true}
	}
	return nil
}

// upload puts the file in place in its store, whole or not at all. Unless it may be
// replaced, the store refuses where another run was faster.
func (f *File) upload() error {
	st, err := f.temp.Stat()
	if err != nil {
		return systemError("reading", f.target.Path, err)
	}
	to := store.Target{URL: f.target.Path, Create: !f.target.Overwrite}
	err = store.Put(f.set.ctx, to, io.NewSectionReader(f.temp, 0, st.Size()))
	if refused := (*store.Error)(nil); errors.As(err, &refused) && refused.Kind == store.Exists {
		return &TargetError{store.Plain(f.target.Path), "appeared during the run", "give another address", true}
	}
	f.placed = err == nil
	return err
}
