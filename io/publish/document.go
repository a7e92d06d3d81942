package publish

import (
	"bytes"
	"errors"

	"golang.org/x/sync/errgroup"
)

// A Document is a file whose content is known whole, ready to be written.
type Document struct {
	To   *File
	Data []byte
}

// WriteAll fills documents at once, since each waits for the disk.
func WriteAll(documents []Document) error {
	var syncs errgroup.Group
	for _, d := range documents {
		syncs.Go(func() error { return d.To.Fill(d.Data) })
	}
	return syncs.Wait()
}

// Put puts one file in place whole, or not at all.
func Put(to Target, data []byte) (err error) {
	set := NewSet()
	defer set.AbortOn(&err)
	f, err := set.Add(to)
	if err != nil {
		return err
	}
	if err := f.Fill(data); err != nil {
		return err
	}
	return set.Commit()
}

// AbortOn aborts after an error; it is deferred.
func (s *Set) AbortOn(err *error) {
	if *err != nil {
		*err = errors.Join(*err, s.Abort())
	}
}

// Fill writes all of a file, syncs it and reads it again.
func (f *File) Fill(want []byte) error {
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
	is, err := same(back, bytes.NewReader(want))
	if err == nil && !is {
		err = errOtherBytes
	}
	return systemError("reading again", f.target.Path, err)
}
