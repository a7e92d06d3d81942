package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tacet-privacy/tacet/io/table"
)

// An opened member is kept for who comes next.
type opened struct {
	table.File
	disk table.Content
	uses int
}

// mostIdle bounds the files that are open and not in use.
const mostIdle = 16

// with hands out an open member. What is wrong with it is said with its name where
// there are several.
func (f *Files) with(i int, work func(o *opened) error) error {
	o, err := f.take(i)
	if err == nil {
		err = work(o)
		f.give(i, o)
	}
	if f.Tree && errors.As(err, new(*table.InputError)) {
		return table.Within(err, "%s", f.Members[i].Rel)
	}
	return err
}

func (f *Files) take(i int) (*opened, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.again(i); o != nil {
		return o, nil
	}
	f.mu.Unlock()
	o, err := f.begin(i)
	f.mu.Lock()
	if err != nil {
		return nil, err
	}
	if other := f.again(i); other != nil { // somebody else was faster
		return other, o.disk.Close()
	}
	o.uses, f.opened[i] = 1, o
	return o, nil
}

// again begins another use of a member that is open; nil where it is not.
func (f *Files) again(i int) *opened {
	o := f.opened[i]
	if o == nil {
		return nil
	}
	if o.uses == 0 {
		f.idle = slices.DeleteFunc(f.idle, func(k int) bool { return k == i })
	}
	o.uses++
	return o
}

// begin opens a member.
func (f *Files) begin(i int) (*opened, error) {
	disk, err := f.disk(i)
	if err != nil {
		return nil, err
	}
	r := f.request
	r.Threads = f.threads
	file, err := f.opener(disk, r)
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	return &opened{File: file, disk: disk}, nil
}

// disk is a member to read, which must be the one that was opened first.
func (f *Files) disk(i int) (table.Content, error) {
	disk, err := f.Members[i].Open()
	if f.identity[i] == "" {
		return disk, err
	}
	changed := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		now, unknown := disk.Identity()
		changed, err = unknown == nil && now != f.identity[i], unknown
	}
	if changed {
		err = fmt.Errorf("%s: %w", f.Members[i].Rel, ErrChanged)
	}
	if err != nil && disk != nil {
		err = errors.Join(err, disk.Close())
	}
	return disk, err
}

// give ends a use, and closes what is idle longest where there is too much of it.
func (f *Files) give(i int, o *opened) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.uses--; o.uses > 0 {
		return
	}
	if f.idle = append(f.idle, i); len(f.idle) > mostIdle {
		f.opened[f.idle[0]].disk.Close() // nothing was written
		delete(f.opened, f.idle[0])
		f.idle = f.idle[1:]
	}
}

// Close closes what is open.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, o := range f.opened {
		errs = append(errs, o.disk.Close())
	}
	f.opened, f.idle = map[int]*opened{}, nil
	return errors.Join(errs...)
}
