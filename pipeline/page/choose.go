package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/big"
	"strconv"
	"sync"

	"github.com/tacet-privacy/tacet/pipeline/report"
)

// A Page is what is known of every floor.
type Page struct {
	Version         string
	Source          string // file that the counts are from
	Column          string // may be empty
	Records         int64
	Prior           string // for whom epsilon holds, where that is not the frequencies of the file alone
	Strata          string // the designs keep epsilon in every group of it, too; "" for none
	Inputs, Outputs int
	Guess           float64 // chance that the best guess is right before anything is seen
	Sampled         bool    // not every utility is a floor
	Stopped         bool    // time ended the search
	Large           bool    // too large for the optimal design

	Scale    [][]string // what factors allow: a factor, then of 100 guesses how many become right
	Missing  []string   // factors and limits of which there is no design, and why
	Released bool       // the command makes a release; else a plan
	Unjudged []string   // what the figures leave out, and the command looks at

	Curves Frontier // of all floors
	Stops  []Stop   // those worth choosing, by limit, the worst floor first
	Limits []Limit  // of the shift: the first is none
	Start  int      // the stop shown at first
	Limit  int      // and its place in Limits

	Suggested int // a stop, -1 for none
	Why       string
	Asked     int    // the stop that was asked for, -1 for none
	Sought    string // the epsilon and the limit that were asked for; "" for none

}

// A Stop is a floor that costs more than the one before, or the best floor within an
// epsilon. Epsilons are in nats.
type Stop struct {
	At          float64 // rank or value
	Short       string  // "rank 12"
	Name, Words string  // "rank 12 of 20 or better", "at most 412 km away"
	Least, Most int     // outputs allowed per record; 0 where that is not known
	Safe        float64 // NaN for none
	Optimal     float64 // rounded up
	Lower       float64 // rounded down
	Open        bool    // Lower and Optimal are apart
	Worst, Mean float64 // utility of the optimal design
	Unit        string
	Guess       float64 // chance that the best guess is right after the output is seen
	Ask         string  // epsilon to ask for, rounded up
	Asked       float64 // that in nats
	Command     string  // that makes it
	Limit       int     // of the shift: its place in Page.Limits
	Best        bool    // the command asks for the best floor within Asked, which Optimal and Lower are then

	Designed      bool    // what follows, name, words and utility are of the design that the command makes
	Refused       string  // why the command makes none; "" where it does
	Reached       float64 // nats, rounded up
	Factor        string  // reached, "p/q"
	Shift         *big.Rat
	Points        string // it in points, rounded up
	Used, Outputs int
	Shares        []Share   // the commonest, the first first
	Outlook       []Outcome // what analysts get, for the commonest values; nil where that is not known
	Picture       template.HTML

	Unchanged bool // the optimal design publishes the values as they are, up to names
	Nothing   bool // it tells nothing

	Merge *Merge // nil where none is known to help, or not to
}

// A Merge is what counting one letter as another would do.
type Merge struct {
	Letter, Into string
	From, To     float64 // least epsilon
	Helps        bool
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	v := &view{Page: p, CSS: CSS + template.CSS(style), Script: template.JS(script), Policy: Policy()}
	if len(p.Stops) == 0 {
		return fmt.Errorf("a page to choose on: there is no floor")
	}
	if len(p.Limits) == 0 {
		p.Limits = []Limit{{}}
	}
	curves := p.Curves
	first := p.Stops[p.Start]
	for k := range p.Limits[1:] {
		line, last := Series{}, math.NaN()
		for _, s := range p.Stops {
			if s.Limit == k+1 && s.At != last {
				line.Points, last = append(line.Points, Point{s.At, s.Optimal}), s.At
			}
		}
		if curves.Limited = append(curves.Limited, line); k == 0 {
			curves.LimitedName = "shares within "
		} else {
			curves.LimitedName += ", "
		}
		curves.LimitedName += p.Limits[k+1].Asked
	}
	if p.Asked >= 0 {
		curves.Asked = &Point{X: p.Stops[p.Asked].At, Y: p.Stops[p.Asked].Optimal}
	}
	curves.Chosen = &Point{X: first.At, Y: first.Optimal}
	chart := curves.Chart()
	v.Picture = chart.SVG("frontier")
	for i := range p.Stops {
		s := &p.Stops[i]
		at := chart.Place(Point{X: s.At, Y: s.Optimal})
		v.Data.Stops = append(v.Data.Stops, place{X: at.X, Y: at.Y, Epsilon: s.Asked, Ask: s.Ask, Words: s.Title(),
			Key: figure(s.At), Limit: s.Limit, Best: s.Best, Unchanged: s.Unchanged, Likely: likely(s.Asked)})
		if len(s.Shares) > 0 {
			s.Picture = drawShares(s.Shares, fmt.Sprintf("shares-%d", i), "records", s.Points+" points")
		}
	}
	for _, l := range p.Limits {
		v.Data.Limits = append(v.Data.Limits, limit{l.Asked, l.Points()})
	}
	v.Data.Bad, v.Data.Suggested, v.Data.Start = p.Curves.unchangedFrom(), p.Suggested, p.Start
	if err := theme().Execute(w, v); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// shownRunes is the length at which a label is cut in a sentence.
const shownRunes = 60

type view struct {
	*Page
	CSS     template.CSS
	Script  template.JS
	Policy  string
	Picture template.HTML
	Data    data
}

// data is what the script works on.
type data struct {
	Stops     []place  `json:"stops"`
	Limits    []limit  `json:"limits"`
	Start     int      `json:"start"`
	Suggested int      `json:"suggested"` // -1 for none
	Bad       *float64 `json:"bad"`       // epsilon from which on a run without a floor leaves the data as they are
}

type place struct {
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Epsilon   float64 `json:"epsilon"` // to ask for
	Ask       string  `json:"ask"`     // the same as written
	Likely    string  `json:"likely"`
	Words     string  `json:"words"`
	Key       string  `json:"key"` // in the address
	Limit     int     `json:"limit"`
	Best      bool    `json:"best"` // floor within epsilon
	Unchanged bool    `json:"unchanged"`
}

type limit struct {
	Asked string `json:"asked"`
	Words string `json:"words"`
}

// Title names the stop.
func (s *Stop) Title() string { return s.Name + ": " + s.Words }

// Farthest is the head of the worst utility.
func (s *Stop) Farthest() string { return farthest(s.Unit) }

//go:embed page.html
var body string

//go:embed page.css
var style string

//go:embed page.js
var script string

// page is parsed when it is asked for: every start of the program would else
// wait half a millisecond for it.
var theme = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(words).Parse(body))
})

// words are what the page's template calls.
var words = template.FuncMap{
	"likely":  likely,
	"guess":   guess,
	"grouped": func(n int) string { return report.Grouped(strconv.Itoa(n)) },
	"measured": func(v float64, unit string) string {
		if math.IsNaN(v) {
			return "not computed"
		}
		return measured(v, unit)
	},
	"label":   func(s string) string { return Cut(s, shownRunes) },
	"up":      nats,
	"down":    natsDown,
	"figure":  figure,
	"percent": percent,
	"count":   func(n int64) string { return report.Grouped(strconv.FormatInt(n, 10)) },
	"none":    math.IsNaN,
	"last":    func(i int) int { return i - 1 },
}

// Policy forbids every resource and every script but the page's own.
func Policy() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}
