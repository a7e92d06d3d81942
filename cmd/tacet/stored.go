package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/tacet-privacy/tacet/io/store"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// objects are what the independent program reads in a store: it knows files alone. What
// is read goes to memory, and never to the disk.
type objects struct {
	ctx context.Context

	mu     sync.Mutex
	open   []*object // read last first
	failed error     // first answer that a store did not give: what it hides looks damaged
}

// mostObjects bounds those that keep what was read of them.
const mostObjects = 4

// An object is one of a store, opened when it is read.
type object struct {
	of     *objects
	url    string
	listed store.Entry
	at     *store.Object // nil while it is not open
}

// found are the objects of an address, and whether they are a data set; none for a path.
func (o *objects) found(address string) (members []verify.Member, many bool, err error) {
	if !store.Is(address) {
		return nil, false, nil
	}
	if !strings.HasSuffix(store.Plain(address), "/") {
		at, err := store.Open(o.ctx, address)
		if err != nil {
			return nil, false, err
		}
		return []verify.Member{{Rel: store.Name(address), In: &object{of: o, url: address}, Size: at.Size()}}, false,
			at.Close()
	}
	all, err := store.List(o.ctx, address)
	if err != nil {
		return nil, true, err
	}
	var soon []store.Named
	for _, e := range all {
		rel := strings.TrimPrefix(e.Key, store.Key(address))
		hidden := slices.ContainsFunc(strings.Split(rel, "/"), func(name string) bool {
			return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")
		})
		if !hidden && e.Size > 0 && !strings.HasSuffix(rel, "/") {
			url := store.Below(address, rel)
			members = append(members, verify.Member{Rel: rel, In: &object{of: o, url: url, listed: e}, Size: e.Size})
			soon = append(soon, store.Named{URL: url, Entry: e})
		}
	}
	if len(members) == 0 {
		return nil, true, &store.Error{Kind: store.Missing, URL: store.Plain(address)}
	}
	store.Fetch(o.ctx, soon)
	return members, true, nil
}

// ReadAt reads what is asked for, and blocks around it.
func (o *object) ReadAt(b []byte, off int64) (int, error) {
	at, err := o.of.opened(o)
	if err != nil {
		return 0, o.of.fail(err)
	}
	n, err := at.ReadAt(b, off)
	if err != nil && err != io.EOF {
		return n, o.of.fail(err)
	}
	return n, err
}

// opened opens an object, and forgets what is read longest ago.
func (o *objects) opened(one *object) (*store.Object, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if one.at == nil {
		at, err := store.OpenListed(o.ctx, one.url, one.listed)
		if err != nil {
			return nil, err
		}
		one.at = at
	} else {
		o.open = slices.DeleteFunc(o.open, func(other *object) bool { return other == one })
	}
	o.open = slices.Insert(o.open, 0, one)
	if len(o.open) > mostObjects {
		last := o.open[mostObjects]
		last.at.Close() // which it survives: it forgets
		last.at, o.open = nil, o.open[:mostObjects]
	}
	return one.at, nil
}

func (o *objects) fail(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		o.failed = err
	}
	return err
}
