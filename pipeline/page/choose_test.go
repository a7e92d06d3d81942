package page

import (
	"bytes"
	"encoding/json"
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
			Ask: "0.01", Asked: .01, Command: "tacet run --input " + badPage[0], Free: true},
		{At: 2, Short: "rank 2", Name: "rank 2 of 7 or better", Words: "near", Least: 1, Most: 3, Safe: 2.00001,
			Optimal: 1.00001, Lower: .99999, Open: true, Ask: "1.01", Asked: 1.01, Command: "tacet run",
			Reason: &Reason{Letter: badPage[0], Records: 1000, Of: 1234567, Letters: 1, Nats: .99999, All: true},
			Merge:  &Merge{Letter: badPage[1], Into: badPage[2], From: 5.5, To: 3.1, Helps: true},
			Groups: &Groups{Count: 12, Letters: 2, Example: badPage[3], Records: 4938, Share: .004, Nats: 5.52146},
			Shown:  &Shown{Letter: badPage[4], Outputs: badPage[5:], Allowed: 9}}}
	for _, l := range badPage {
		p.Letters = append(p.Letters, Letter{Label: l, Share: .1, Best: []int{0, 1}, Allowed: []int{7, 2}})
	}
	return p
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b, badPage); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var tags, spaces = regexp.MustCompile(`<[^>]*>`), regexp.MustCompile(`\s+`)

func TestPageSaysWhatIsKnown(t *testing.T) {
	text := spaces.ReplaceAllString(tags.ReplaceAllString(written(t, small()), ""), " ")
	for _, want := range []string{
		"1,234,567 records with 7 values",
		"at most 1,000 of 1,234,567 records hold a value that may become the same (1 value). That alone costs epsilon " +
			"0.9999.",
		`Merging &lt;/script&gt;&lt;b&gt; with a\u202eb\a lowers epsilon from 5.5 to 3.1.`,
		"fall into 12 groups that never mix",
		"2 values with (empty) among them, has 4,938 records (0.4 %): no design costs less than 5.5214.",
		"Here it begins at rank 2 of 7 or better: 12 groups, the rarest with 0.4 % of the records, which costs at least " +
			"5.5214.",
		"0.9999 to 1.0001 (in between)", "and 7 more.",
		"Some output is allowed for every value",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestPageEscapesLabels(t *testing.T) {
	s := written(t, small())
	if strings.Count(s, "<script") != 2 || strings.Count(s, "</script>") != 2 || strings.Contains(s, "<b>") ||
		strings.ContainsAny(s, "\u202e\x07") {
		t.Error("a label is more than text")
	}
	if strings.Count(s, badPage[5][:9000]) != 1 {
		t.Errorf("the long label stands whole %d times", strings.Count(s, badPage[5][:9000]))
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

// The script is given what the page shows.
func TestPageData(t *testing.T) {
	_, after, _ := strings.Cut(written(t, small()), `id="data">`)
	raw, _, _ := strings.Cut(after, "</script>")
	var d data
	if err := json.Unmarshal([]byte(raw), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Stops) != 2 || d.Stops[1].Epsilon != 1.01 || d.Stops[1].Likely != "2.75" || d.Stops[1].X <= d.Stops[0].X ||
		d.Stops[1].Y >= d.Stops[0].Y {
		t.Errorf("stops %+v", d.Stops)
	}
	if len(d.Letters) != 7 || d.Letters[3].Label != "(empty)" || d.Letters[0].Label != badPage[0] ||
		len(d.Outputs[5]) > 60 {
		t.Errorf("letters %+v, outputs %q", d.Letters, d.Outputs)
	}
}

func TestPageWithoutFloors(t *testing.T) {
	var b bytes.Buffer
	if err := (&Page{}).Write(&b, nil); err == nil || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}
