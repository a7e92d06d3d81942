package page

// Count counts the next codes of the chunk, as many as suits it, and returns
// io.EOF behind the last one: count[0] nulls, count[c+1] times code c. It
// returns count, longer where codes are new. Count and Next read the same
// stream.
func (x *Reader) Count(count []int64) ([]int64, error) {
	if x.code == nil {
		x.code = make([]int32, block)
	}
	n, err := x.Next(x.code)
	if grow := x.Codes() + 1 - len(count); grow > 0 {
		count = append(count, make([]int64, grow)...)
	}
	countCodes(count, x.code[:n])
	return count, err
}

// few codes, null among them, are so few that one often follows itself.
const few = 256

// countCodes counts neighbours among few codes apart, so that no increment
// waits for the one before.
func countCodes(count []int64, code []int32) {
	if len(count) > few {
		for _, c := range code {
			count[c+1]++
		}
		return
	}
	var part [4][few]uint32
	for len(code) >= 4 {
		c := code[:4:4]
		part[0][uint8(c[0]+1)]++
		part[1][uint8(c[1]+1)]++
		part[2][uint8(c[2]+1)]++
		part[3][uint8(c[3]+1)]++
		code = code[4:]
	}
	for _, c := range code {
		part[0][uint8(c+1)]++
	}
	for i := range count {
		count[i] += int64(part[0][i]) + int64(part[1][i]) + int64(part[2][i]) + int64(part[3][i])
	}
}
