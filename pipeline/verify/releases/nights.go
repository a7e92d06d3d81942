package releases

import (
	"context"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/tacet-privacy/tacet/pipeline/verify/document"
	"github.com/tacet-privacy/tacet/pipeline/verify/exact"
)

// Nights are what shows the releases before: the ledger, the record history
// and the draw key. Each may be missing.
type nights struct {
	*document.View
	claims  *document.SeriesClaim
	book    *Book
	release *Release
	history *History
	key     *Key

	own     *Plan            // this release's
	plans   map[string]*Plan // of nights before, by hash; nil for those that are not known
	world   *World
	begun   []*Plan // by night, from 1 on; nil where none began a record
	symbol  [][]Symbol
	channel int // of this release's draws
	rule    bool
	hold    bool
	factors map[*Plan][]*big.Rat // of outputs
	ranks   map[int32][]int      // by letter
}

// CheckNights holds the report to ledger, record history and key.
func CheckNights(ctx context.Context, v *document.View, q document.Request, f *document.Files) error {
	if q.Ledger == "" && q.History == "" && q.Key == "" {
		return nil
	}
	n := &nights{View: v, claims: v.Report.Series}
	if n.claims == nil {
		n.claims = &document.SeriesClaim{}
		if q.Ledger+q.History != "" {
			return document.Errorf("leave --ledger and --history out, or name the report of a release that is in a ledger",
				"%s is the report of a release without a ledger", q.Report)
		}
	}
	if q.Key != "" && v.Report.Text("randomness.kind") != "memoised" {
		return document.Errorf("leave --key-file out, or name the report of a release with record ids",
			"%s is the report of a release whose draws depend on no draw key", q.Report)
	}
	n.hold, n.rule = n.claims.OnChange == "hold", n.claims.Budget != ""
	if err := n.open(ctx, q); err != nil {
		return err
	}
	if n.book != nil && !n.checkLedger() {
		return nil
	}
	if n.history != nil {
		n.checkHistory()
	}
	return n.checkRowsOf(ctx, q, f)
}

// open reads what is given.
func (n *nights) open(ctx context.Context, q document.Request) (err error) {
	if q.Ledger != "" {
		if n.book, err = Read(ctx, q.Ledger); err != nil {
			var e *Error
			if errors.As(err, &e) {
				return document.Errorf("give the ledger, or what tacet ledger export printed", "%s %s", q.Ledger, e.What)
			}
			return err
		}
		n.release = n.book.Release(n.claims.Release)
	}
	if q.Key != "" {
		st, err := os.Stat(q.Key)
		if err == nil && (!st.Mode().IsRegular() || st.Mode().Perm()&0o077 != 0) {
			return document.Errorf("chmod 600, or make a new key if others had access",
				"%s is no file, or may be read or changed by others", q.Key)
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(q.Key)
		}
		if err != nil {
			return document.Unreadable(q.Key, "--key-file", err)
		}
		if n.key, err = ParseKey(string(text)); err != nil {
			return document.Errorf("give the key file of the run", "%s %v", q.Key, err)
		}
	}
	path, why := n.find(q.History)
	switch {
	case path == "" && why != "":
		n.Skip("record history", why)
	case path != "":
		if n.history, err = ReadHistory(path); err != nil {
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
				return document.Unreadable(path, "--history", err)
			}
			return document.Errorf("give the record history that the ledger names", "%s %v", path, err)
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
	case n.release == nil || n.release.Sealed == nil || n.release.Sealed.History == nil:
		return "", ""
	}
	folder := n.book.Folder(n.release.Series)
	name := n.release.Sealed.History.File
	for _, dir := range []string{given, filepath.Join(given, filepath.Base(folder)), folder} {
		if path = filepath.Join(dir, name); dir != "" && filepath.Base(name) == name {
			if _, err := os.Stat(path); err == nil {
				return path, ""
			}
		}
	}
	return "", "the record history of this night is not there: a later night replaced it, or --history has to name it"
}

// ruleOf reads the kind of a channel: docs/ledger.md, "Record histories".
func ruleOf(kind string) (rule *Rule, ok bool) {
	switch rest, limited := strings.CutPrefix(kind, "draw; total "); {
	case kind == "draw":
		return nil, true
	case limited:
		total, over, cut := strings.Cut(rest, ", else ")
		t, known := exact.ParseTarget(total)
		if !cut || !known || over != "repeat" && over != "suppress" && over != "refuse" {
			return nil, false
		}
		return &Rule{Over: over, Factor: t.Exp(), Admits: t.Admits}, true
	}
	return nil, false
}

// kind is that of this release's draws.
func (n *nights) kind() string {
	if !n.rule {
		return "draw"
	}
	return "draw; total " + n.claims.Budget + ", else " + n.claims.OverBudget
}
