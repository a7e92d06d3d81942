package neighbours

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tacet-privacy/tacet/test/torture"
)

// A kind is a way in which columns, or the order of rows, give letters away.
type kind struct {
	name    string
	letters int
	keys    int     // that have to be learnt
	rare    float64 // share of letter 1, where it alone is given away; else 0
	make    func(g *giving) []*cells
	rows    int // it takes, where these are more than 20 for each key
}

// giving is a file being made: the cells of a row are made from a letter that
// is that of the row, or any.
type giving struct {
	rng   *rand.Rand
	n     int
	shown []int
	of    int // letters
}

// text makes a column of texts, each from a letter and its row.
func (g *giving) text(f func(x, row int) string) []*cells {
	of := make([]string, g.n)
	for i, x := range g.shown {
		of[i] = f(x, i)
	}
	return []*cells{texts("column", of)}
}

// number makes a column of integers.
func (g *giving) number(f func(x, row int) int64) []*cells {
	of := make([]int64, g.n)
	for i, x := range g.shown {
		of[i] = f(x, i)
	}
	return []*cells{whole("column", of)}
}

// ofText is a column of texts, and ofNumber one of integers, each from a letter and its row.
func ofText(name string, letters, keys int, f func(g *giving, x, row int) string) kind {
	return kind{name, letters, keys, 0, func(g *giving) []*cells {
		return g.text(func(x, row int) string { return f(g, x, row) })
	}, 0}
}

func ofNumber(name string, letters, keys int, f func(g *giving, x, row int) int64) kind {
	return kind{name, letters, keys, 0, func(g *giving) []*cells {
		return g.number(func(x, row int) int64 { return f(g, x, row) })
	}, 0}
}

// date is a day whose part, as of has it, is letter x, counted from the first.
func (g *giving) date(from, days int, x int, of func(time.Time) int) time.Time {
	for {
		t := time.Date(from, 1, 1, g.rng.IntN(24), g.rng.IntN(60), g.rng.IntN(60), 0, time.UTC).AddDate(0, 0,
			g.rng.IntN(days))
		if of(t) == x {
			return t
		}
	}
}

func yearFrom(y int) func(time.Time) int { return func(t time.Time) int { return t.Year() - y } }
func month(t time.Time) int              { return int(t.Month()) - 1 }
func weekday(t time.Time) int            { return int(t.Weekday()) }
func hour(t time.Time) int               { return t.Hour() }

// grouped gives rows ids so that about size rows of one shown letter share one.
func (g *giving) grouped(size int) []uint64 {
	open, left, id := map[int]uint64{}, map[int]int{}, make([]uint64, g.n)
	for i, x := range g.shown {
		if left[x] == 0 {
			open[x], left[x] = g.rng.Uint64()>>2, size
		}
		id[i] = open[x]
		left[x]--
	}
	return id
}

func (g *giving) letterText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + g.rng.IntN(26))
	}
	return string(b)
}

// kinds are those of the design notes.
var kinds = []kind{
	ofNumber("01 integer code, permuted", 16, 16, func(g *giving, x, _ int) int64 { return int64(x) * 7919 % 101 }),
	{"02 float, letter and noise", 12, 24, 0, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			of[i] = float64(x) + .1*g.rng.NormFloat64()
		}
		return []*cells{floats("column", of)}
	}, 0},
	ofNumber("03 id in ranges by letter", 16, 16,
		func(g *giving, x, i int) int64 { return int64(x)*1e6 + int64(i) }),
	ofNumber("04 id by remainder", 12, 12, func(g *giving, x, i int) int64 { return int64(i)*12 + int64(x) }),
	ofNumber("04 id by remainder, close", 6, 6,
		func(g *giving, x, _ int) int64 { return g.rng.Int64N(100_000)*101 + int64(x) }),
	ofText("05 synonym", 16, 16, func(g *giving, x, _ int) string { return fmt.Sprintf("%x", hashed(int64(x))) }),
	ofText("06 letter-row", 16, 16, func(g *giving, x, i int) string { return fmt.Sprintf("%s-%d", label(x), i) }),
	ofText("07 row-letter", 16, 16, func(g *giving, x, i int) string { return fmt.Sprintf("%d-%s", i, label(x)) }),
	ofText("08 row glued to a code", 16, 16,
		func(g *giving, x, i int) string { return fmt.Sprint(i) + string([]byte{'a' + byte(x), 'z' - byte(x)}) }),
	ofText("09 Mar 05 2012, year", 10, 10,
		func(g *giving, x, _ int) string { return g.date(2008, 3650, x, yearFrom(2008)).Format("Jan 02 2006") }),
	ofText("10 2012-03-05, month", 12, 12,
		func(g *giving, x, _ int) string { return g.date(1990, 8000, x, month).Format("2006-01-02") }),
	ofText("11 05/03/2012, weekday", 7, 7,
		func(g *giving, x, _ int) string { return g.date(1970, 15000, x, weekday).Format("02/01/2006") }),
	ofNumber("12 epoch seconds, hour", 24, 24,
		func(g *giving, x, _ int) int64 { return g.date(1995, 8000, x, hour).Unix() }),
	ofNumber("13 days since 1970, weekday", 7, 7,
		func(g *giving, x, _ int) int64 { return g.date(1980, 12000, x, weekday).Unix() / 86400 }),
	ofText("14 account 2012-000123, year", 10, 10,
		func(g *giving, x, i int) string { return fmt.Sprintf("%d-%06d", 2008+x, i) }),
	ofText("15 zip code as text, state", 20, 400,
		func(g *giving, x, _ int) string { return fmt.Sprintf("%05d", 1000+4700*x+g.rng.IntN(20)*37) }),
	ofNumber("16 zip code as number, state", 20, 400,
		func(g *giving, x, _ int) int64 { return int64(1000 + 4700*x + g.rng.IntN(20)*37) }),
	{"17 site of 15 rows", 8, 8, 0, func(g *giving) []*cells {
		id := g.grouped(15)
		return g.text(func(_, i int) string { return fmt.Sprintf("%x", id[i]) })
	}, 20_000},
	{"18 household of 2 rows", 8, 8, 0, func(g *giving) []*cells {
		id := g.grouped(2)
		return g.text(func(_, i int) string { return fmt.Sprintf("%x", id[i]) })
	}, 0},
	{"19 account of 5 rows", 8, 8, 0, func(g *giving) []*cells {
		id := g.grouped(5)
		return g.number(func(_, i int) int64 { return int64(id[i]) })
	}, 0},
	ofText("20 e-mail", 16, 16,
		func(g *giving, x, _ int) string { return g.letterText(3+g.rng.IntN(6)) + "@" + label(x) + ".org" }),
	{"21 third part of a URL", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, i int) string {
			return fmt.Sprintf("https://%s/%s/%d", g.letterText(2+g.rng.IntN(5)), label(x), i)
		})
	}, 0},
	{"22 letter in capitals among letters", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			return g.letterText(g.rng.IntN(8)) + string([]byte{'L', 'A' + byte(x/26), 'A' + byte(x%26), '0'}) +
				g.letterText(g.rng.IntN(8))
		})
	}, 0},
	{"23 field of JSON", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, i int) string {
			return fmt.Sprintf(`{"id": %d, "name": "%s %s", "place": {"code": "%s"}}`, i, g.letterText(4),
				g.letterText(1+g.rng.IntN(6)), label(x))
		})
	}, 0},
	ofText("24 length", 12, 12, func(g *giving, x, _ int) string { return g.letterText(5 + x) }),
	{"25 sorted", 16, 16, 0, func(g *giving) []*cells { slices.Sort(g.shown); return nil }, 0},
	{"26 blocks of 100 rows", 16, 16, 0, func(g *giving) []*cells {
		for i := range g.shown {
			if i%100 > 0 {
				g.shown[i] = g.shown[i-1]
			}
		}
		return nil
	}, 0},
	{"27 place by remainder", 12, 12, 0, func(g *giving) []*cells {
		for i := range g.shown {
			g.shown[i] = i % 12
		}
		return nil
	}, 0},
	{"28 sum of two by remainder", 11, 11, 0, func(g *giving) []*cells {
		a, b := make([]int64, g.n), make([]int64, g.n)
		for i, x := range g.shown {
			a[i] = g.rng.Int64N(1 << 30)
			b[i] = g.rng.Int64N(1<<30)*11 + (int64(x)-a[i]%11+11)%11
		}
		return []*cells{whole("a", a), whole("b", b)}
	}, 0},
	{"29 difference of two", 16, 16, 0, func(g *giving) []*cells {
		a, b := make([]int64, g.n), make([]int64, g.n)
		for i, x := range g.shown {
			a[i] = g.rng.Int64N(1 << 40)
			b[i] = a[i] + int64(x)*1000
		}
		return []*cells{whole("a", a), whole("b", b)}
	}, 0},
	{"30 bands of amounts", 6, 24, 0, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			for {
				z := g.rng.NormFloat64()
				if int(6*math.Erfc(-z/math.Sqrt2)/2) == x {
					of[i] = math.Floor(100*math.Exp(4+z)) / 100
					break
				}
			}
		}
		return []*cells{floats("column", of)}
	}, 0},
	{"31 cents of an amount", 20, 20, 0, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			of[i] = float64(100*g.rng.IntN(100000)+x*5) / 100
		}
		return []*cells{floats("column", of)}
	}, 0},
	{"32 magnitude", 8, 8, 0, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			of[i] = math.Pow10(x) * (1 + 8.9*g.rng.Float64())
		}
		return []*cells{floats("column", of)}
	}, 0},
	{"33 null for one letter", 2, 2, 0, func(g *giving) []*cells {
		c := g.number(func(_, _ int) int64 { return g.rng.Int64N(1 << 40) })
		c[0].null = make([]bool, g.n)
		for i, x := range g.shown {
			c[0].null[i] = x == 1
		}
		return c
	}, 0},
	{"34 flag of a rare letter", 8, 2, .01, func(g *giving) []*cells {
		return g.number(func(x, _ int) int64 { return int64(map[bool]int{true: 1}[x == 1]) })
	}, 0},
	{"35 amount above a limit for a rare letter", 8, 2, .002, func(g *giving) []*cells {
		of := make([]float64, g.n)
		for i, x := range g.shown {
			if of[i] = 1000 * g.rng.Float64(); x == 1 {
				of[i] += 1000
			}
		}
		return []*cells{floats("column", of)}
	}, 20_000},
	ofText("36 last two of 16 digits", 16, 16,
		func(g *giving, x, _ int) string { return fmt.Sprintf("%014d%02d", g.rng.Int64N(1e14), 3*x) }),
	{"37 digits 5 and 6 of 12", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			return fmt.Sprintf("%04d%02d%06d", g.rng.IntN(1e4), 5*x, g.rng.IntN(1e6))
		})
	}, 0},
	{"38 area code in two spellings", 16, 32, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			if g.rng.IntN(2) == 0 {
				return fmt.Sprintf("(0%d) %03d-%03d", 120+7*x, g.rng.IntN(1000), g.rng.IntN(1000))
			}
			return fmt.Sprintf("+49 %d %06d", 120+7*x, g.rng.IntN(1e6))
		})
	}, 0},
	{"39 first byte of a hex digest", 16, 256, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string { return fmt.Sprintf("%02x%s", 16*x+g.rng.IntN(16), hex(g.rng.Uint64(), 14)) })
	}, 0},
	{"40 surnames in ranges", 8, 60, 0, func(g *giving) []*cells {
		cut := []string{"", "bre", "foz", "hq", "lam", "nu", "rik", "t", "zzzzz"}
		return g.text(func(x, _ int) string {
			for {
				if s := g.letterText(4 + g.rng.IntN(5)); s >= cut[x] && s < cut[x+1] {
					return s
				}
			}
		})
	}, 0},
	{"41 third byte of an address", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			return fmt.Sprintf("%d.%d.%d.%d", g.rng.IntN(256), g.rng.IntN(256), 11*x, g.rng.IntN(256))
		})
	}, 0},
	ofNumber("42 bits 10 to 14 of an id", 16, 16,
		func(g *giving, x, _ int) int64 { return g.rng.Int64N(1<<40)<<15 | int64(x)<<10 | g.rng.Int64N(1<<10) }),
	ofNumber("43 id mod 23", 23, 23, func(g *giving, x, _ int) int64 { return g.rng.Int64N(1<<40)*23 + int64(x) }),
	ofText("44 keyed hash of letter and bucket", 40, 2000,
		func(g *giving, x, _ int) string { return hex(hashed(int64(x), int64(g.rng.IntN(50))), 16) }),
}

// apart are kinds that no rule was made for.
var apart = []kind{
	{"check digit behind a code", 10, 100, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			d := fmt.Sprintf("%0*d%d", 4+g.rng.IntN(5), g.rng.IntN(1e4), x)
			sum := 0
			for i, c := range d {
				sum += int(c-'0') * (1 + i%2*2)
			}
			return d + fmt.Sprint((10-sum%10)%10)
		})
	}, 0},
	{"running index of a sorted file, shuffled", 16, 16, 0, func(g *giving) []*cells {
		by := make([]int, g.n)
		for i := range by {
			by[i] = i
		}
		slices.SortStableFunc(by, func(a, b int) int { return g.shown[a] - g.shown[b] })
		id := make([]int64, g.n)
		for k, i := range by {
			id[i] = int64(k)
		}
		return []*cells{whole("column", id)}
	}, 0},
	ofText("partitions of a table", 16, 16,
		func(g *giving, x, i int) string { return fmt.Sprintf("part=%s/file-%05d.parquet", label(x), i%97) }),
	{"hexadecimal id with the letter's bits", 16, 16, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			return fmt.Sprintf("0x%010x", g.rng.Int64N(1<<24)<<16|int64(x)<<12|g.rng.Int64N(1<<12))
		})
	}, 0},
	{"capitals", 3, 3, 0, func(g *giving) []*cells {
		return g.text(func(x, i int) string {
			s := g.letterText(2)
			return []string{s + "a1", s + "-1", s + " b"}[x] + fmt.Sprint(i%7)
		})
	}, 0},
	ofText("time of the day, in texts", 24, 24,
		func(g *giving, x, _ int) string { return g.date(2001, 5000, x, hour).Format("02.01.2006 15:04:05") }),
	{"quarter of an American date", 4, 4, 0, func(g *giving) []*cells {
		return g.text(func(x, _ int) string {
			return g.date(1999, 7000, x, func(t time.Time) int { return month(t) / 3 }).Format("January 2, 2006")
		})
	}, 0},
	{"country code of any length", 12, 12, 0, func(g *giving) []*cells {
		code := []string{"+1", "+44", "+49", "+351", "+7", "+353", "+33", "+81", "+420", "+386", "+39", "+86"}
		return g.text(func(x, _ int) string { return fmt.Sprintf("%s %d", code[x], 100000+g.rng.IntN(900000)) })
	}, 0},
	ofNumber("ranges of numbers in any order", 24, 72,
		func(g *giving, x, _ int) int64 { return int64((x*17%24)*9973 + g.rng.IntN(9973)) }),
	{"one column modulo, shifted by another", 7, 49, 0, func(g *giving) []*cells {
		a, b := make([]int64, g.n), make([]string, g.n)
		for i, x := range g.shown {
			a[i] = g.rng.Int64N(7)
			b[i] = label((x + 3*int(a[i])) % 7)
		}
		return []*cells{whole("a", a), texts("b", b)}
	}, 0},
	ofNumber("milliseconds, month", 12, 12,
		func(g *giving, x, _ int) int64 { return g.date(1996, 8000, x, month).UnixMilli() }),
}

// give makes a file of n rows in which the best guess from what k shows is
// right in about gain of the rows more than without.
func (k *kind) give(rng *rand.Rand, n int, gain float64) (letter []int32, c []*cells) {
	if k.rare > 0 {
		letter = drawn(rng, n, k.letters-1, 1)
		for i, x := range letter {
			if letter[i] = x + 1; x == 0 {
				letter[i] = 0
			}
			if letter[i] == 1 {
				letter[i] = 2
			}
			if rng.Float64() < k.rare {
				letter[i] = 1
			}
		}
	} else {
		letter = drawn(rng, n, k.letters, 1.2)
	}
	p := make([]float64, k.letters)
	most, same := 0.0, 0.0
	for _, x := range letter {
		p[x] += 1 / float64(n)
	}
	for _, v := range p {
		most, same = max(most, v), same+v*v
	}
	known := min(1, (gain+most-same)/(1-same))
	if gain >= 1 || k.rare > 0 {
		known = 1
	}
	g := &giving{rng, n, make([]int, n), k.letters}
	for i, x := range letter {
		g.shown[i] = int(x)
	}
	c = k.make(g)
	// The letter of a row is the shown one, or that of any row.
	for i := range letter {
		x := int32(g.shown[i])
		if rng.Float64() >= known {
			x = int32(g.shown[rng.IntN(n)])
		}
		letter[i] = x
	}
	return letter, c
}

// size is how many rows k takes.
func (k *kind) size() int { return max(4096, 20*k.letters, 20*k.keys, k.rows) }

// Every kind of give-away is refused or warned of. One file is missed with a
// chance below .01 where a tenth is told for certain.
func TestGiveaway(t *testing.T) {
	gains := []float64{.3, .6, 1}
	rounds := 1
	if torture.Long() {
		rounds = 20
	}
	rng := rand.New(rand.NewPCG(14, 44))
	for _, list := range [][]kind{kinds, apart} {
		all, refused, warned := 0, 0, 0
		for i := range list {
			k := &list[i]
			for _, gain := range gains {
				for range rounds {
					letter, c := k.give(rng, k.size(), gain)
					r, found := judged(t, letter, k.letters, 1, nil, c...)
					no, warn := grave(found)
					all++
					switch {
					case len(no) > 0:
						refused++
					case len(warn) > 0:
						warned++
					default:
						for _, c := range r.Columns {
							t.Logf("%+v", c.Verdict)
						}
						t.Errorf("%s: %d rows at a gain of %v are neither refused nor warned of: %v", k.name, k.size(), gain, found)
					}
					if len(no) == 0 && len(warn) > 0 {
						t.Logf("%s at %v is warned of: %s", k.name, gain, warn[0].What)
					}
				}
			}
		}
		t.Logf("%d files: %d refused, %d warned of", all, refused, warned)
	}
}
