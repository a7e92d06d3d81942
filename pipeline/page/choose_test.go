package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

var badPage = []string{"<script>alert(1)</script>", "</script><b>", "a\u202eb\x07", "", "שלום",
	strings.Repeat("long ", 2000), "`${1}`"}

// small is a page of two floors whose labels try to be more than text.
func small() *Page {
	p := &Page{Version: "1", Source: badPage[0], Column: badPage[1], Records: 1234567, Inputs: 7, Outputs: 7, Guess: .25,
		Asked: -1, Curves: Frontier{By: "rank", Of: 7, Floors: []Floor{{Floor: 1},
			{Floor: 2, Safe: 2, Optimal: 1, Lower: 1}}}}
	p.Stops = []Stop{
		{At: 1, Short: "rank 1", Name: "rank 1 of 7 or better", Words: "anything", Least: 7, Most: 7,
			Ask: "0.01", Asked: .01, Command: "tacet run --input " + badPage[0]},
		{At: 2, Short: "rank 2", Name: "rank 2 of 7 or better", Words: "near", Least: 1, Most: 3, Safe: 2.00001,
			Optimal: 1.00001, Lower: .99999, Open: true, Ask: "1.01", Asked: 1.01, Command: "tacet run",
			Merge: &Merge{Letter: badPage[1], Into: badPage[2], From: 5.5, To: 3.1, Helps: true}}}
	return p
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags, spaces = regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`\s+`)

func TestPageEscapesLabels(t *testing.T) {
	s := written(t, small())
	if strings.Count(s, "<script") != 2 || strings.Count(s, "</script>") != 2 || strings.Contains(s, "<b>") ||
		strings.ContainsAny(s, "\u202e\x07") {
		t.Error("a label is more than text")
	}
	// No resource is named, and the policy admits the page's script alone.
	if m := regexp.MustCompile(`(src|href|url\()[^>]*`).FindString(tags.FindString(s)); m != "" ||
		regexp.MustCompile(`<(link|img|iframe|object|base)|https?://[^w]`).MatchString(s) {
		t.Error("the page asks for something")
	}
	if !strings.Contains(s,
		`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-`) {
		t.Error("there is no policy")
	}
}

func TestPageWithoutFloors(t *testing.T) {
	var b bytes.Buffer
	if err := (&Page{}).Write(&b); err == nil || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}
