package ledger

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// nights is the file of three nights.
var nights []byte

// altered copies a ledger of three nights and runs SQL on the copy, as
// somebody might who has the file but not this program.
func altered(t *testing.T, statements ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l")
	if nights == nil {
		l := open(t, path, Options{Create: true})
		for _, input := range []string{"1", "2", "3"} {
			publishRelease(t, l, input)
		}
		ok(t, l.Close())
		var err error
		nights, err = os.ReadFile(path)
		ok(t, err)
	}
	ok(t, os.WriteFile(path, nights, 0o600))
	db, err := sql.Open("sqlite", path)
	ok(t, err)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return path, err
		}
	}
	return path, nil
}

// TestGuards: the database itself refuses to change or remove an event.
func TestGuards(t *testing.T) {
	for _, s := range []string{
		`UPDATE event SET body = replace(body, '3/2', '1')`,
		`DELETE FROM event WHERE seq = 10`,
		`INSERT OR REPLACE INTO event (seq, body, hash) SELECT seq, replace(body, '3/2', '1'), 'x' FROM event WHERE seq = 2`,
		`INSERT INTO event (seq, body, hash) SELECT 12, body, 'x' FROM event WHERE seq = 10`,
		`INSERT INTO event (seq, body, hash) SELECT 11, json_set(body, '$.seq', 11), 'x' FROM event WHERE seq = 10`,
		`INSERT INTO event (body, hash) SELECT body, 'x' FROM event WHERE seq = 10`,
		`UPDATE document SET data = X'78'`,
		`DELETE FROM document`,
		`INSERT OR REPLACE INTO document SELECT sha256, X'78' FROM document`,
	} {
		if path, err := altered(t, s); err == nil || !strings.Contains(err.Error(),
			"never") && !strings.Contains(err.Error(),
			"only ever") {
			t.Errorf("%s: %v", s, err)
		} else if l, err := Open(ctx, path, Options{}); err != nil {
			t.Errorf("%s: %v", s, err)
		} else {
			l.Close()
		}
	}
}

// TestAltered: whoever removes the guards first is found out.
func TestAltered(t *testing.T) {
	guard := func(name, s string) []string {
		var create string
		for _, c := range schema {
			if strings.HasPrefix(c, "CREATE TRIGGER "+name+" ") {
				create = c
			}
		}
		return []string{"DROP TRIGGER " + name, s, create}
	}
	for name, c := range map[string]struct {
		statements []string
		says       string
	}{
		// it stands at the end now
		"guard made anew": {guard("event_update", `UPDATE event SET hash = 'x' WHERE seq = 3`), "guards were altered"},
		"guard missing":   {[]string{"DROP TRIGGER document_delete"}, "guard of the ledger is missing"},
		"guard weakened": {[]string{"DROP TRIGGER document_delete",
			"CREATE TRIGGER document_delete BEFORE DELETE ON document BEGIN SELECT 1; END"}, "guards were altered"},
		"another table": {[]string{"CREATE TABLE more (x)"}, "guards were altered"},
		"hash": {append(guard("event_update", `UPDATE event SET hash = 'x' WHERE seq = 3`), sameOrder()...),
			"broken at event 3: its bytes do not have its hash"},
		"factor": {append(guard("event_update", `UPDATE event SET body = replace(body, '4/3', '1') WHERE seq = 3`),
			sameOrder()...), "broken at event 3: its bytes do not have its hash"},
		"middle removed": {append(guard("event_delete", `DELETE FROM event WHERE seq = 6`), sameOrder()...),
			"broken at event 6: it is missing"},
		"begin removed": {append(guard("event_delete", `DELETE FROM event WHERE seq = 1`), sameOrder()...),
			"broken at event 1: it is missing"},
		"all removed": {append(guard("event_delete", `DELETE FROM event`), sameOrder()...),
			"broken at event 1: it is missing"},
		"void of a commit": {[]string{`INSERT INTO event (seq, body, hash) SELECT 11, json_object('seq', 11, 'previous',
			hash, 'when', '2999-01-01T00:00:00Z', 'kind', 'void', 'release', 2), 'x' FROM event WHERE seq = 10`},
			"broken at event 11: its bytes do not have its hash"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := altered(t, c.statements...)
			ok(t, err)
			l, err := Open(ctx, path, Options{})
			if err == nil {
				l.Close()
			}
			refused(t, err, Broken)
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %q, want %q", err, c.says)
			}
		})
	}
}

// sameOrder makes all guards anew, so that they stand as in a new ledger.
func sameOrder() (list []string) {
	for _, c := range schema[2:] {
		list = append(list, "DROP TRIGGER "+strings.Fields(c)[2])
	}
	return append(list, schema[2:]...)
}

// TestForged: an event with a sound hash that cannot follow those before.
func TestForged(t *testing.T) {
	for name, c := range map[string]struct {
		event Event
		says  string
	}{
		"commit of a commit": {Event{Kind: "commit", Release: 2}, "cannot follow"},
		"void of a commit":   {Event{Kind: "void", Release: 2, Reason: "x"}, "cannot follow"},
		"seal of nothing":    {Event{Kind: "seal", Release: 4, Seal: &Realised{}}, "cannot follow"},
		"no kind":            {Event{}, "cannot follow"},
		"a second begin":     {Event{Kind: "begin", Begin: &Begin{Format, "x"}}, "one beginning"},
		"unsaid redesign": {Event{Kind: "reserve",
			Reserve: &Reserved{Release: func() Release { r := nightly("4"); r.DesignSHA256 = hex64("x"); return r }()}},
			"without saying so"},
		"back in time": {Event{Kind: "commit", Release: 2, When: "2001-01-01T00:00:00Z"}, "its time"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := altered(t)
			ok(t, err)
			l := open(t, path, Options{})
			e := c.event
			e.Seq, e.Previous = l.state.seq()+1, l.state.Head()
			if e.When == "" {
				e.When = "2999-01-01T00:00:00Z"
			}
			body, err := e.encode()
			ok(t, err)
			_, err = l.conn.ExecContext(ctx, "INSERT INTO event (seq, body, hash) VALUES (?, ?, ?)", e.Seq, string(body),
				hashOf(body))
			ok(t, err)
			_, err = l.Look(ctx) // an open ledger notices, too
			refused(t, err, Broken)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %v, want %q", err, c.says)
			}
		})
	}
}

// TestRehashed: an event that is altered and given a sound hash is missed by
// the one after.
func TestRehashed(t *testing.T) {
	path, err := altered(t, "DROP TRIGGER event_update")
	ok(t, err)
	db, err := sql.Open("sqlite", path)
	ok(t, err)
	var body string
	ok(t, db.QueryRow("SELECT body FROM event WHERE seq = 3").Scan(&body))
	body = strings.Replace(body, `"rows":10`, `"rows":11`, 1)
	_, err = db.Exec("UPDATE event SET body = ?, hash = ? WHERE seq = 3", body, hashOf([]byte(body)))
	ok(t, err)
	for _, s := range append([]string{schema[3]}, sameOrder()...) {
		_, err := db.Exec(s)
		ok(t, err)
	}
	ok(t, db.Close())
	_, err = Open(ctx, path, Options{})
	refused(t, err, Broken)
	if err == nil || !strings.Contains(err.Error(), "event 4: it does not name the hash of the previous event") {
		t.Errorf("says %v", err)
	}
}

// TestHistoryAltered: verify reads the history in effect.
func TestHistoryAltered(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "l"), Options{Create: true})
	k := reserve(t, l, nightly("1"))
	ok(t, os.MkdirAll(l.Folder(k.Series), 0o700))
	file := filepath.Join(l.Folder(k.Series), "1.history")
	ok(t, os.WriteFile(file, []byte("h"), 0o600))
	r := came("out")
	r.History = &Segment{File: "1.history", SHA256: hex64("h")}
	ok(t, l.Seal(ctx, k.ID, r))
	if v, err := l.Verify(ctx, ""); err != nil || v.Histories != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	ok(t, os.WriteFile(file, []byte("H"), 0o600))
	_, err := l.Verify(ctx, "")
	refused(t, err, Broken)
	ok(t, os.Remove(file))
	_, err = l.Verify(ctx, "")
	refused(t, err, Broken)
}

// TestDocumentsAltered: documents are outside the chain but for their hashes.
func TestDocumentsAltered(t *testing.T) {
	path, err := altered(t, append([]string{"DROP TRIGGER document_update", "UPDATE document SET data = X'78'",
		schema[6]},
		sameOrder()...)...)
	ok(t, err)
	l := open(t, path, Options{})
	_, err = l.Verify(ctx, "")
	refused(t, err, Broken)
	_, err = look(t, l).Document(ctx, hex64("{}"))
	refused(t, err, Broken)
}

// TestExport: the chain of an export is checked by a script that knows
// neither SQLite nor this program, and so is that of an altered one.
func TestExport(t *testing.T) {
	path, err := altered(t)
	ok(t, err)
	l := open(t, path, Options{ReadOnly: true})
	var b bytes.Buffer
	ok(t, l.Export(ctx, &b))
	head := look(t, l).Head()
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	if len(lines) != 11 {
		t.Fatalf("%d lines", len(lines))
	}
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("TACET_PYTHON") == "required" {
		t.Fatal("no python3, which TACET_PYTHON requires")
	}
	if err != nil {
		t.Skip("no python3: the script is not run")
	}
	check := func(data []byte) (string, error) {
		file := filepath.Join(t.TempDir(), "export.jsonl")
		ok(t, os.WriteFile(file, data, 0o600))
		out, err := exec.Command(python, "../../testdata/ledger/check.py", file).CombinedOutput()
		return string(out), err
	}
	if out, err := check(b.Bytes()); err != nil || !strings.Contains(out, head) ||
		!strings.Contains(out, "10 events, 3 releases") {
		t.Errorf("%s, %v", out, err)
	}
	without := append(bytes.Join(lines[:5], nil), bytes.Join(lines[6:], nil)...)
	changed := bytes.Replace(b.Bytes(), []byte(`"rows":10`), []byte(`"rows":11`), 1)
	for name, data := range map[string][]byte{"line removed": without, "rows changed": changed,
		"begin removed": bytes.Join(lines[1:], nil), "nothing": nil} {
		if out, err := check(data); err == nil || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
}
