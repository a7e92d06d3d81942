package cells

// maxPage bounds a page without compression, in bytes.
const maxPage = 256 << 20

// sound checks, before the library allocates what a damaged length says, that
// every chunk lies before the footer.
func (p *parquetFile) sound() bool {
	leaves := p.reader.MetaData().Schema.NumColumns()
	for _, g := range p.footer.items(4) {
		if len(g.items(1)) != leaves || g.num(3) < 0 {
			return false
		}
		for _, c := range g.items(1) {
			at, size := span(c.get(3))
			if size < 0 || size > 0 && (at < 4 || at > p.end || size > p.end-at) {
				return false
			}
		}
	}
	return true
}

// soundPages checks that the pages of a private chunk fill it, that none is
// too large, and that together they have the values that the chunk has.
func (p *parquetFile) soundPages(unit int) bool {
	meta := p.footer.items(4)[unit].items(1)[p.leaf].get(3)
	at, size := span(meta)
	chunk := make([]byte, size)
	if n, _ := p.in.ReadAt(chunk, at); int64(n) < size {
		return false
	}
	values := int64(0)
	for len(chunk) > 0 {
		head, used := parseThrift(chunk)
		plain, stored := head.num(2), head.num(3)
		if plain < 0 || plain > maxPage || stored < 0 || stored > int64(len(chunk)-used) {
			return false
		}
		chunk = chunk[int64(used)+stored:]
		switch head.num(1) {
		case 0:
			values += head.get(5).num(1)
		case 2:
			if n := head.get(7).num(1); n < 0 || n > plain*8 {
				return false
			}
		case 3:
			values += head.get(8).num(1)
		}
	}
	return values == meta.num(5) && values == p.footer.items(4)[unit].num(3)
}
