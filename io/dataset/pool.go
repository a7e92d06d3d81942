package dataset

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tacet-privacy/tacet/io/table"
)

// An opened member is kept for who comes next.
type opened struct {
	table.File
	disk table.Content
	end  func() error // closes disk, or ends this use of it
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
	var input *table.InputError
	if f.Tree && errors.As(err, &input) {
		return &table.InputError{What: f.Members[i].Rel + ": " + input.What, Hint: input.Hint, Err: err}
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
		return other, o.close()
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
	disk, end, err := f.content(i)
	if err != nil {
		return nil, err
	}
	if f.one == nil && f.identity[i] != "" {
		if err := f.same(i, disk); err != nil {
			return nil, errors.Join(err, end())
		}
	}
	r := f.request
	r.Threads = f.threads
	file, err := f.opener(disk, r)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &opened{File: file, disk: disk, end: end}, nil
}

// content is a member to read, and what ends that.
func (f *Files) content(i int) (disk table.Content, end func() error, err error) {
	if f.one != nil {
		f.one.use()
		return f.one.content, f.one.end, nil
	}
	if disk, err = f.Members[i].Open(); err != nil {
		return nil, nil, err
	}
	return disk, disk.Close, nil
}

// give ends a use, and closes what is idle longest where there is too much of it.
func (f *Files) give(i int, o *opened) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.uses--; o.uses > 0 {
		return
	}
	if f.idle = append(f.idle, i); len(f.idle) > mostIdle {
		f.opened[f.idle[0]].close() // nothing was written
		delete(f.opened, f.idle[0])
		f.idle = f.idle[1:]
	}
}

func (o *opened) close() error { return errors.Join(o.File.Close(), o.end()) }

// Close closes what is open.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, o := range f.opened {
		errs = append(errs, o.close())
	}
	f.opened, f.idle = map[int]*opened{}, nil
	if f.one != nil {
		errs = append(errs, f.one.end())
		f.one = nil
	}
	return errors.Join(errs...)
}

// onDisk looks at a file of which nothing is read.
func (f *Files) onDisk(i int, look func(table.Content) error) error {
	f.mu.Lock()
	o := f.opened[i]
	if o != nil {
		defer f.mu.Unlock() // which keeps it open
		return look(o.disk)
	}
	f.mu.Unlock()
	disk, end, err := f.content(i)
	if err != nil {
		return err
	}
	return errors.Join(look(disk), end())
}

func (f *Files) same(i int, disk table.Content) error {
	now, err := disk.Identity()
	if err == nil && now != f.identity[i] {
		err = fmt.Errorf("%s: %w", f.Members[i].Rel, ErrChanged)
	}
	return err
}

// A lasting content is open as long as somebody uses it, whatever becomes of its name.
type lasting struct {
	content table.Content
	mu      sync.Mutex
	users   int
}

func (l *lasting) use() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users++
}

// end is that of one use.
func (l *lasting) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 {
		return nil
	}
	return l.content.Close()
}
