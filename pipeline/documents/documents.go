// Package documents writes the files of a release: written whole, read again, hashed,
// named in the statements of the release, and in place together or not at all.
// Metrics for a monitoring system are written apart, at the end of every run.
package documents

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A Document is a file beside the output, ready to be written.
type Document struct {
	To   *publish.File
	Data []byte
}

// WriteAll writes documents at once, since each waits for the disk.
func WriteAll(documents []Document) error {
	var syncs errgroup.Group
	for _, d := range documents {
		syncs.Go(func() error { return Write(d.To, d.Data) })
	}
	return syncs.Wait()
}

// Write fills a temporary file, syncs it and reads it again.
func Write(f *publish.File, want []byte) error {
	if _, err := f.WriteAt(want, 0); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	back, err := f.Reopen()
	if err != nil {
		return err
	}
	defer back.Close()
	if !reads(back, want) {
		return fault.New(fault.Environment, "check the disk", "%s has other bytes on the disk than were written", f.Path())
	}
	return nil
}

// reads reports whether a file holds just these bytes.
func reads(f io.Reader, want []byte) bool {
	got := make([]byte, 1<<16)
	for {
		n, err := f.Read(got)
		if n > len(want) || !bytes.Equal(got[:n], want[:n]) {
			return false
		}
		want = want[n:]
		if err != nil {
			return err == io.EOF && len(want) == 0
		}
	}
}

// Abort removes what a failed run left.
func Abort(set *publish.Set, err *error) {
	if *err != nil {
		*err = errors.Join(*err, set.Abort())
	}
}

// WritePrivate puts one file in place that only the owner may read.
func WritePrivate(path string, data []byte) error {
	return put(publish.Target{Path: path, Overwrite: true, Private: true}, data)
}

// put puts one file in place whole, or not at all.
func put(to publish.Target, data []byte) (err error) {
	set := publish.NewSet()
	defer Abort(set, &err)
	f, err := set.Add(to)
	if err != nil {
		return err
	}
	if err := Write(f, data); err != nil {
		return err
	}
	return set.Commit()
}
