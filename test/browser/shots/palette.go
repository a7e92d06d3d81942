package main

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// most is the number of colours kept.
const most = 48

// colours are the commonest of an image, apart from each other.
func colours(in image.Image) color.Palette {
	count := map[color.RGBA]int{}
	each(in, func(_, _ int, c color.RGBA) { count[c]++ })
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(key(a), key(b)))
	})
	var p color.Palette
	for _, apart := range []int{24, 8, 0} {
		for _, c := range all {
			if len(p) == most {
				return p
			}
			if !slices.ContainsFunc(p, func(q color.Color) bool { return distance(c, q.(color.RGBA)) <= apart }) {
				p = append(p, c)
			}
		}
	}
	return p
}

// paint gives every pixel the nearest colour.
func paint(p *image.Paletted, in image.Image) {
	known := map[color.RGBA]uint8{}
	each(in, func(x, y int, c color.RGBA) {
		i, ok := known[c]
		if !ok {
			i = uint8(p.Palette.Index(c))
			known[c] = i
		}
		p.SetColorIndex(x, y, i)
	})
}

func each(in image.Image, f func(x, y int, c color.RGBA)) {
	b := in.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			f(x, y, color.RGBAModel.Convert(in.At(x, y)).(color.RGBA))
		}
	}
}

func distance(a, b color.RGBA) int {
	d := func(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B))
}

func key(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
