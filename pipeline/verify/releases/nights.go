package releases

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/tacet-privacy/tacet/pipeline/verify/kernel"
)

// A Release is what is held to the releases before it: its files, and what was proven of
// them.
type Release struct {
	*kernel.Release
	*kernel.Facts
	*kernel.Result
	Path   string // of the report
	Report []byte // report.json

	Ledger, History, Key string // files; "" for none
}

// nights are a release with the ledger, the record history and the draw key. Each may be
// missing.
type nights struct {
	*Release
	report  report
	claims  *series
	book    *Book
	booked  *Booked
	history *History
	key     *Key

	own     *Plan            // this release's
	plans   map[string]*Plan // of nights before, by hash; nil for those that are not known
	world   *World
	begun   []*Plan // by night, from 1 on; nil where none began a record
	channel int     // of this release's draws
	hold    bool
	ranks   map[int32][]int // by letter
}

// Check holds a release to ledger, record history and key. It gives the draws where they
// were made again, else nil.
func Check(ctx context.Context, r *Release) (again *kernel.Tally, err error) {
	n := &nights{Release: r, ranks: map[int32][]int{}}
	if json.Unmarshal(r.Report, &n.report) != nil {
		return nil, kernel.Errorf("it was changed, or written by another version", "%s cannot be read", r.Path)
	}
	n.claims = n.report.History.Series
	n.checkSeries()
	n.checkHeld()
	if r.Ledger == "" && r.History == "" && r.Key == "" {
		return nil, nil
	}
	if n.claims == nil {
		n.claims = &series{}
		if r.Ledger+r.History != "" {
			return nil, kernel.Errorf("leave --ledger and --history out, or name the report of a release that is in a ledger",
				"%s is the report of a release without a ledger", r.Path)
		}
	}
	if r.Key != "" && n.report.Draws.Kind != "memoised" {
		return nil, kernel.Errorf("leave --key-file out, or name the report of a release with record ids",
			"%s is the report of a release whose draws depend on no draw key", r.Path)
	}
	n.hold = n.claims.OnChange == "hold"
	if err := n.open(ctx); err != nil {
		return nil, err
	}
	if n.book != nil && !n.checkLedger() {
		return nil, nil
	}
	if n.history != nil {
		n.checkHistory()
	}
	return n.checkRows(ctx)
}

// open reads what is given.
func (n *nights) open(ctx context.Context) (err error) {
	if n.Ledger != "" {
		if n.book, err = Read(ctx, n.Ledger); err != nil {
			var e *Error
			if errors.As(err, &e) {
				return kernel.Errorf("give the ledger, or what tacet ledger export printed", "%s %s", n.Ledger, e.What)
			}
			return err
		}
		n.booked = n.book.Release(n.claims.Release)
	}
	if n.Key != "" {
		st, err := os.Stat(n.Key)
		if err == nil && (!st.Mode().IsRegular() || st.Mode().Perm()&0o077 != 0) {
			return kernel.Errorf("chmod 600, or make a new key if others had access",
				"%s is no file, or may be read or changed by others", n.Key)
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(n.Key)
		}
		if err != nil {
			return unreadableAt(n.Key, "--key-file", err)
		}
		if n.key, err = ParseKey(string(text)); err != nil {
			return kernel.Errorf("give the key file of the run", "%s %v", n.Key, err)
		}
	}
	path, why := n.find(n.History)
	switch {
	case path == "" && why != "":
		n.Skip("record history", why)
	case path != "":
		if n.history, err = ReadHistory(path); err != nil {
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
				return unreadableAt(path, "--history", err)
			}
			return kernel.Errorf("give the record history that the ledger names", "%s %v", path, err)
		}
	}
	return nil
}

// find is the record history: the file that is named, or the one in a folder
// that the ledger names.
func (n *nights) find(given string) (path, why string) {
	if given != "" {
		if st, err := os.Stat(given); err != nil || !st.IsDir() {
			return given, "" // what is wrong shows as it is read
		}
	}
	switch {
	case n.book == nil && given == "":
		return "", ""
	case n.book == nil:
		return "", "a folder is given and no ledger that names the file"
	case n.booked == nil || n.booked.Sealed == nil || n.booked.Sealed.History == nil:
		return "", ""
	}
	folder := n.book.Folder(n.booked.Series)
	name := n.booked.Sealed.History.File
	for _, dir := range []string{given, filepath.Join(given, filepath.Base(folder)), folder} {
		if path = filepath.Join(dir, name); dir != "" && filepath.Base(name) == name {
			if _, err := os.Stat(path); err == nil {
				return path, ""
			}
		}
	}
	return "", "the record history of this night is not there: a later night replaced it, or --history has to name it"
}

// kindOfDraws is how a record history names draws within a total, "" for none.
func kindOfDraws(total string) string {
	return "draw" + either(total == "", "", "; total "+total)
}

// of is the symbol of an entry; None where its channel has no such output.
func (n *nights) of(e Entry) Symbol {
	shows := n.world.Shows[e.Channel]
	switch {
	case e.Output == Null:
		return n.world.Null
	case int(e.Output) >= len(shows):
		return None
	}
	return shows[e.Output]
}

// values are the entries but for nulls that stay.
func values(list []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(list), func(e Entry) bool { return e.Output == Null })
}

// in are the entries of a channel.
func in(channel int) func(Entry) bool { return func(e Entry) bool { return int(e.Channel) == channel } }

// walk goes along the outputs of a record up to the first of a channel, -1 for
// all; nil where the plan of its first night is not known.
func (n *nights) walk(list []Entry, until int) *State {
	night := n.claims.Night
	if len(list) > 0 {
		night = int(list[0].First)
	}
	if night >= len(n.begun) || n.begun[night] == nil {
		return nil
	}
	s, shown, null := n.world.Start(n.begun[night]), []Entry(nil), false
	for _, e := range list {
		switch {
		case e.Output == Null:
			if null = true; len(shown) > 0 {
				s = s.Changed()
			}
			continue
		case int(e.Channel) == until:
			return s
		case null || slices.ContainsFunc(shown, in(int(e.Channel))) ||
			!s.Draws(int(e.Channel)) && !n.again(shown, e):
			s = s.Changed()
		default:
			s = s.After(int(e.Channel), n.of(e))
		}
		shown = append(shown, e)
	}
	return s
}

// again reports whether an entry shows what may have been published last before it: an
// output that was shown since does not say when it was shown before.
func (n *nights) again(shown []Entry, e Entry) bool {
	last := uint16(0)
	for _, o := range shown {
		if o.Last < e.First {
			last = max(last, o.Last)
		}
	}
	return slices.ContainsFunc(shown, func(o Entry) bool { return o.Last >= last && n.of(o) == n.of(e) })
}

// A ruling is what the history lets be published of a record tonight.
type ruling struct {
	state   *State // before tonight
	channel int    // through which it is published
	keeps   bool   // symbol is published, whatever is drawn; None ends the night
	symbol  Symbol
	wrong   bool     // a night before showed something else by this channel
	told    *State   // of keeps: what the record's outputs tell that made it so; nil where it shows a null that stays
	alone   *big.Rat // the most that a single draw tells which it may show
}

// ruling applies docs/repeated.md to a record of which past was published; ok is false where
// a plan is missing.
func (n *nights) ruling(past []Entry) (v ruling, ok bool) {
	if v.state = n.walk(past, -1); v.state == nil {
		return v, false
	}
	v.channel = n.channel
	if n.hold && len(past) > 0 {
		v.keeps, v.symbol, v.channel = true, n.of(past[0]), int(past[0].Channel)
		if past[0].Output != Null {
			v.told = n.walk(past[:1], -1)
		}
		return v, true
	}
	if n.world.Channels[n.channel].Total == nil {
		return v, true
	}
	before := n.walk(past, n.channel)
	if before.Draws(n.channel) {
		return v, true
	}
	v.keeps, v.symbol, v.told = true, None, before
	if list := values(past); len(list) > 0 {
		last := slices.MaxFunc(list, func(a, b Entry) int { return int(a.Last) - int(b.Last) })
		if i := slices.IndexFunc(list, in(n.channel)); i >= 0 {
			last = list[i]
			replaced := func(o Entry) bool { return slices.ContainsFunc(list[:i], in(int(o.Channel))) }
			v.wrong = !n.again(list[:i], last) && !slices.ContainsFunc(list[i+1:], replaced) // which drops what stood there
		}
		v.symbol = n.of(last)
		v.alone = n.singly(past, list, v.symbol)
	}
	return v, true
}

// singly is the most that a single draw tells of those that may have shown a symbol
// before, under the counts of the plan it was drawn by.
func (n *nights) singly(past, shown []Entry, s Symbol) (most *big.Rat) {
	for _, e := range shown {
		if n.of(e) != s || int(e.First) >= len(n.begun) || n.begun[e.First] == nil ||
			!n.walk(past, int(e.Channel)).Draws(int(e.Channel)) {
			continue
		}
		start := n.world.Start(n.begun[e.First])
		if y := int(e.Output); y < len(start.root.column[e.Channel]) && start.after(start.root.column[e.Channel][y]) > 0 {
			if f := start.exactly(start.root.column[e.Channel][y]); most == nil || f.Cmp(most) > 0 {
				most = f
			}
		}
	}
	return most
}

// unreadableAt is the Error of a file that cannot be opened or read.
func unreadableAt(path, flag string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	e := kernel.Errorf("check the path given to "+flag, "%s cannot be read: %v", path, err)
	e.Err = err
	return e
}

// either is one of two texts.
func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
