package pipeline

import (
	"bytes"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/tacet-privacy/tacet/io/publish"
	"github.com/tacet-privacy/tacet/pipeline/fault"
)

// A document is a file beside the output, ready to be written.
type document struct {
	to   *publish.File
	data []byte
}

// writeAll writes documents at once, since each waits for the disk.
func writeAll(documents []document) error {
	var syncs errgroup.Group
	for _, d := range documents {
		syncs.Go(func() error { return writeWhole(d.to, d.data) })
	}
	return syncs.Wait()
}

// writeWhole fills a temporary file, syncs it and reads it again.
func writeWhole(f *publish.File, want []byte) error {
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
		return fault.New(fault.Environment, "check the disk", "%s reads back other bytes than were written", f.Path())
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
