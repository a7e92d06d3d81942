package files

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
)

// WeightsFile has the rows of a plan that leaves out millions of weights, beside it.
const WeightsFile = "plan.weights"

// ReadWeights reads such a file row by row, as docs/files.md describes it, and takes its
// hash; why says what is wrong.
func ReadWeights(from io.Reader, inputs, outputs int) (rows []Row, sum, why string) {
	const mark = "tacetw1\n"
	h := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(from, h), 1<<16)
	if b := make([]byte, len(mark)); short(in, b) || string(b) != mark {
		return nil, "", WeightsFile + " is no file of weights"
	}
	for x := range inputs {
		n, err := binary.ReadUvarint(in)
		if err != nil || n < 1 || n > uint64(outputs) {
			return nil, "", fmt.Sprintf("%s: row %d has no number of outputs", WeightsFile, x+1)
		}
		r := Row{Output: make([]int32, n), Weight: make([]int64, n)}
		place := uint64(0) // after the last output
		for i := range r.Output {
			gap, err := binary.ReadUvarint(in)
			weight, short := binary.ReadUvarint(in)
			if err != nil || short != nil || gap < 1 || gap > uint64(outputs)-place || weight < 1 ||
				weight > uint64(MaxTotal-r.Total) {
				return nil, "", fmt.Sprintf("%s: row %d: cell %d is no output with a positive weight, in order", WeightsFile,
					x+1, i+1)
			}
			place += gap
			r.Output[i], r.Weight[i] = int32(place-1), int64(weight)
			r.Total += int64(weight)
		}
		rows = append(rows, r)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, "", WeightsFile + " goes on after its last row"
	}
	return rows, hex.EncodeToString(h.Sum(nil)), ""
}

func short(in io.Reader, b []byte) bool {
	_, err := io.ReadFull(in, b)
	return err != nil
}
