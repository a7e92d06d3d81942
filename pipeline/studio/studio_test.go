package studio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/pipeline"
	"github.com/tacet-privacy/tacet/pipeline/request"
	"github.com/tacet-privacy/tacet/pipeline/verify"
)

// A browser is one that a studio let in.
type browser struct {
	t       *testing.T
	address string // without the token
	token   string // behind it
	cookie  *http.Cookie
	ended   chan error
	stop    context.CancelFunc
}

// begin starts a studio in a folder of its own, and opens its address.
func begin(t *testing.T, files map[string]string, input string) *browser {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	b, started := &browser{t: t, ended: make(chan error, 1), stop: stop}, make(chan string, 1)
	go func() {
		b.ended <- Serve(ctx, Config{Input: input, Folders: []string{"."}, TestSeed: "1", Version: "test", Options: options,
			Verify: verified, Patience: 100 * time.Millisecond, Started: func(address string) error {
				started <- address
				return nil
			}})
	}()
	token := <-started
	b.address, b.token, _ = strings.Cut(token, "?")
	r, err := http.Get(token)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if len(r.Cookies()) != 1 {
		t.Fatalf("the address gives %s", r.Status)
	}
	b.cookie = r.Cookies()[0]
	t.Cleanup(func() {
		stop()
		if err := <-b.ended; err != nil {
			t.Error(err)
		}
	})
	return b
}

// options reads a command line of a job file as the program does.
func options(ctx context.Context, words []string) (*request.Options, error) {
	r := request.Request{Command: words[0], Given: map[string]request.Given{}}
	for i, w := range words {
		if t := request.Find(strings.TrimPrefix(w, "--")); t != nil && i > 0 {
			value := "true"
			if t.Kind != request.Switch {
				value = words[i+1]
			}
			r.Given[t.Name] = request.Given{Values: []string{value}, Origin: "flag"}
		}
	}
	f, err := request.Read(r.Given["config"].Values[0], request.Keys())
	if err != nil {
		return nil, err
	}
	for _, v := range f.Values {
		if _, above := r.Given[v.Key]; !above && slices.Contains(strings.Fields(request.Find(v.Key).In), words[0]) {
			r.Given[v.Key] = request.Given{Values: v.Each, Origin: "config"}
		}
	}
	o, err := r.Options()
	if err != nil {
		return nil, err
	}
	o.About, o.Inside, o.Version = f.About, f.Inside, "test"
	return o, pipeline.Check(ctx, *o, words[0])
}

func verified(ctx context.Context, report, input, output string) (passed int, failed []string, err error) {
	r, err := verify.Run(ctx, verify.Request{Report: report, Input: input, Output: output, Version: "test"})
	if err != nil {
		return 0, nil, err
	}
	return len(r.Checks), r.Failed(), nil
}

// request is one that a page of the studio makes; a form is posted.
func (b *browser) request(name string, form url.Values) *http.Request {
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.address+name, body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.AddCookie(b.cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", strings.TrimSuffix(b.address, r.URL.Path[:strings.LastIndex(r.URL.Path, "/")+1]))
	}
	return r
}

// do makes a request, follows where it leads and returns the page.
func (b *browser) do(r *http.Request) (page string, code int) {
	b.t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data), a.StatusCode
}

// post sends a form and waits for the page of a step on which no work goes on.
func (b *browser) post(name string, form url.Values, step string) string {
	b.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(b.request(name, form))
	if err != nil {
		b.t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusSeeOther || strings.Split(a.Header.Get("Location"), "#")[0] != step {
		b.t.Fatalf("%s ends in %s at %s", name, a.Status, a.Header.Get("Location"))
	}
	return b.page(step)
}

func (b *browser) page(step string) string {
	b.t.Helper()
	for range 600 {
		page, code := b.do(b.request(step, nil))
		if code != http.StatusOK {
			b.t.Fatalf("%s: %d: %s", step, code, page)
		}
		if !strings.Contains(page, `data-task="`) {
			return page
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: work goes on and on", step)
	return ""
}

func (b *browser) has(page string, all ...string) {
	b.t.Helper()
	for _, text := range all {
		if !strings.Contains(page, text) {
			b.t.Errorf("there is no %q in\n%s", text, page)
		}
	}
}

const grades = "district,grade\n"

// table is a CSV file with a private column that nothing gives away.
func table() string {
	var b strings.Builder
	b.WriteString(grades)
	for i := range uint64(3000) {
		x := (i + 1) * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		fmt.Fprintf(&b, "%d,%s\n", x>>40%13, []string{"A", "A", "A", "B", "B", "", "secret-c"}[x%7])
	}
	return b.String()
}

// Only the browser that had the token gets anything, and only what its own pages ask for.
func TestOthersAreRefused(t *testing.T) {
	b := begin(t, map[string]string{"members.csv": table()}, "members.csv")
	b.page("file")
	host := strings.Split(b.address, "/")[2]
	form := url.Values{"path": {"members.csv"}}
	for name, change := range map[string]func(*http.Request){
		"a name that leads here": func(r *http.Request) { r.Host = "evil.example:" + strings.Split(host, ":")[1] },
		"another name of it":     func(r *http.Request) { r.Host = "localhost:" + strings.Split(host, ":")[1] },
		"a second browser":       func(r *http.Request) { r.Header.Del("Cookie") },
		"a cookie of its own": func(r *http.Request) {
			r.Header.Del("Cookie")
			r.AddCookie(&http.Cookie{Name: cookieName, Value: "AAAAAAAAAAAAAAAAAAAAAAAAAA"})
		},
		"a page of another site":    func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a page of another program": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"another method":            func(r *http.Request) { r.Method = http.MethodPut },
		"an address above":          func(r *http.Request) { r.URL.Path = "/" },
		"the token again": func(r *http.Request) {
			r.Header.Del("Cookie")
			r.URL.Path, r.URL.RawQuery = strings.TrimSuffix(r.URL.Path, "file"), b.token
		},
	} {
		r := b.request("file", nil)
		if change(r); name != "another method" {
			if page, code := b.do(r); code != http.StatusForbidden || strings.Contains(page, "grade") {
				t.Errorf("%s: a page is given with %d", name, code)
			}
		}
		if strings.HasPrefix(name, "a page") { // of which the origin tells
			continue
		}
		r = b.request("open", form)
		change(r)
		if _, code := b.do(r); code != http.StatusForbidden {
			t.Errorf("%s: a form is taken with %d", name, code)
		}
	}
	for name, origin := range map[string]string{"no origin": "", "another": "http://evil.example", "a file": "null",
		"another port": "http://127.0.0.1:1"} {
		r := b.request("open", form)
		if r.Header.Del("Origin"); origin != "" {
			r.Header.Set("Origin", origin)
		}
		if _, code := b.do(r); code != http.StatusForbidden {
			t.Errorf("%s: a form is taken with %d", name, code)
		}
	}
	a, err := http.DefaultClient.Do(b.request("file", nil))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") ||
		a.Header.Get("Cache-Control") != "no-store" || !b.cookie.HttpOnly || b.cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the policy is %q, the cookie %+v", policy, b.cookie)
	}
}

// Nothing is read or written but below the folders, wherever links lead.
func TestFoldersKeepInside(t *testing.T) {
	out, in := t.TempDir(), t.TempDir()
	for path, to := range map[string]string{"away.csv": filepath.Join(out, "other.csv"), "away": out,
		"gone": filepath.Join(out, "x"), "near.csv": "real.csv"} {
		if err := os.Symlink(to, filepath.Join(in, path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(out, "other.csv"), filepath.Join(in, "real.csv")} {
		if err := os.WriteFile(path, []byte("a\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(in)
	f, err := openFolders([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"..", "../other.csv", "a/../../other.csv", filepath.Join(out, "other.csv"), "away.csv",
		"away/other.csv", "away/new.csv", "gone", "gone/new.csv", "/dev/null", "/proc/self/mem", in + "x"} {
		if place, err := f.place(path); err == nil {
			t.Errorf("%s leads to %s", path, place)
		}
		if err := f.write(path, nil); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	for path, want := range map[string]string{"near.csv": "real.csv", "new/deep.csv": "new/deep.csv",
		in + "/real.csv": "real.csv"} {
		if place, err := f.place(path); err != nil || f.short(place) != want {
			t.Errorf("%s leads to %s, %v", path, place, err)
		}
	}
	if _, _, err := f.file("."); err == nil {
		t.Error("a folder is a file")
	}
	if all := f.list(".csv"); !slices.Equal(all, []string{"real.csv"}) {
		t.Errorf("%v are listed", all)
	}
}

// From a file to a release that is signed off, by what the pages post; then the command
// that the page shows makes the same release.
func TestRelease(t *testing.T) {
	b := begin(t, map[string]string{"members.csv": table()}, "members.csv")
	b.has(b.page("file"), "<strong>members.csv</strong>: 3000 rows", `value="grade"`)
	b.has(b.post("private", url.Values{"column": {"grade"}, "folder": {"../elsewhere"}}, "file"), "in none of the folders")
	b.has(b.post("private", url.Values{"column": {"grade"}, "folder": {"."}}, "file"), "that folder holds other files")
	b.has(b.post("private", url.Values{"column": {"grade"}, "folder": {"made"}}, "column"), "3 values", "without a value")
	page, _ := b.do(b.request("values", url.Values{}))
	b.has(page, `"labels":["A","B","secret-c"]`)
	b.has(b.post("order", url.Values{"how": {"list"}, "null": {"draw"}, "arrangement": {`{"order":[0,0,1]}`}}, "column"),
		"does not have every value once")
	b.has(b.post("order", url.Values{"how": {"groups"}, "null": {"draw"}, "arrangement": {`{"groups":["x","x",""]}`}},
		"column"), "1 value has no group")
	b.has(b.post("order", url.Values{"how": {"list"}, "null": {"draw"}, "arrangement": {`{"order":[2,0,1]}`}}, "column"),
		"What may replace")
	r := b.request("nearest", url.Values{})
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader("2")), 1
	page, _ = b.do(r)
	b.has(page, `"value":"secret-c"`, `{"label":"A","worth":"1 places"`)
	b.post("search", url.Values{"time": {"20s"}}, "choose")
	page, _ = b.do(b.request("frontier", nil))
	b.has(page, "Choosing epsilon")
	b.has(b.post("take", url.Values{"epsilon": {"nonsense"}}, "choose"), "no point was chosen")
	b.has(b.post("take", url.Values{"epsilon": {"log(4)"}, "shift": {"5%"}, "shown": {"#floor=3"}}, "choose"),
		"frontier#floor=3", "Other columns", `value="district" checked`)
	b.has(b.post("columns", url.Values{"keep": {"district"}}, "release"), "epsilon log(4)")
	b.has(b.post("release", url.Values{"name": {"deep/x.csv"}}, "release"), "has no name")
	page = b.post("release", url.Values{"name": {"published.csv"}, "key": {"new"}, "new-key": {"signing.key"},
		"about-owner": {`"S" & <Co>`}, "about-purpose": {"open\ndata"}}, "release")
	b.has(page, "checks of the release passed", "untrusted comment", "verify --report made/published.report")
	for _, what := range []string{"output", "public", "job"} {
		if data, code := b.do(b.request("get/"+what, nil)); code != http.StatusOK || len(data) < 100 {
			t.Errorf("%s: %d, %d bytes", what, code, len(data))
		}
	}
	b.has(b.post("sign-off", url.Values{"decision": {"reject"}, "by": {"A. Approver"}, "key": {"new"},
		"new-key": {"approver.key"}}, "release"), "Rejected by A. Approver")

	command := regexp.MustCompile(`tacet run [^<]+`).FindString(page)
	first, err := os.ReadFile("made/published.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename("made/published.csv", "made/first.csv"), os.Rename("made/published.report",
		"made/first.report")); err != nil {
		t.Fatal(err)
	}
	o, err := options(t.Context(), strings.Fields(command)[1:])
	if err == nil {
		_, err = pipeline.Run(t.Context(), *o)
	}
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	again, _ := os.ReadFile("made/published.csv")
	report, _ := os.ReadFile("made/published.report/report.json")
	before, _ := os.ReadFile("made/first.report/report.json")
	if string(first) != string(again) || len(report) == 0 || string(report) != string(before) {
		t.Errorf("%s makes another release", command)
	}
}

// Rows that stand by the private column are refused on two pages, which say what to do with the file.
func TestSortedRows(t *testing.T) {
	text := grades
	for i := range 3000 {
		text += fmt.Sprintf("%d,%c\n", i*i%13, 'A'+rune(i/1000))
	}
	b := begin(t, map[string]string{"members.csv": text}, "members.csv")
	b.page("file")
	b.post("private", url.Values{"column": {"grade"}, "folder": {"made"}}, "column")
	b.post("order", url.Values{"how": {"list"}, "arrangement": {`{"order":[0,1,2]}`}}, "column")
	b.post("search", url.Values{"time": {"20s"}}, "choose")
	b.has(b.post("take", url.Values{"epsilon": {"1"}, "shift": {"none"}, "floor-rank": {"2"}}, "choose"),
		`data-columns="[]" data-refused>`, "shuffle the rows first (duckdb -c ", "and begin with that file")
	b.post("columns", url.Values{"keep": {"district"}}, "release")
	page := b.post("release", url.Values{"name": {"published.csv"}}, "release")
	b.has(page, "shuffle the rows first (duckdb -c ", "begin with a file that has one.")
	if strings.Contains(page, `name="remedy"`) {
		t.Error("a release is offered that is refused again")
	}
}

// A file that changes after it was looked at is looked at again.
func TestFileChanges(t *testing.T) {
	b := begin(t, map[string]string{"members.csv": table()}, "members.csv")
	b.page("file")
	if err := os.WriteFile("members.csv", []byte(table()+"9,A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.has(b.post("private", url.Values{"column": {"grade"}, "folder": {"made"}}, "column"),
		"has changed since it was looked at")
	if _, err := os.Stat("made"); err == nil {
		t.Error("something was written")
	}
}

// The studio ends once its page is closed, and leaves what was made alone.
func TestEndsWithThePage(t *testing.T) {
	b := begin(t, map[string]string{"members.csv": table()}, "members.csv")
	b.page("file")
	ctx, closed := context.WithCancel(t.Context())
	a, err := http.DefaultClient.Do(b.request("events", nil).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	select {
	case err := <-b.ended:
		t.Fatalf("it ends while the page is open: %v", err)
	default:
	}
	closed()
	a.Body.Close()
	select {
	case err := <-b.ended:
		b.ended <- err
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on without a page")
	}
	if all, err := os.ReadDir("."); err != nil || len(all) != 1 {
		t.Errorf("%v are left, %v", all, err)
	}
}

func TestDecimalSigns(t *testing.T) {
	for text, want := range map[string]string{"-inf\n0\n2,5\n10": "-inf,0,2.5,10", "width:2,5": "width:2.5",
		"1.5; 2.25": "1.5,2.25", "1.234,5": "1234.5", "1,234.5": "1234.5", "month": "month", "0,125": "0.125",
		"1,000": "", "2.500": "", "\n": ""} {
		if got, err := edges(text); got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}
