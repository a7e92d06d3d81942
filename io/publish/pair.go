package publish

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// pairRead is how much of either file is read at once, in bytes.
const pairRead = 1 << 17

// InPairs reports whether two files are hashed in less time at once than one
// after the other.
func InPairs() bool { return pairs }

var pairs = instructions()

// SumPair is Sum of two files. A processor with instructions for SHA-256 has to wait for
// each of them; two messages at once take little more than half the time.
func SumPair(ctx context.Context, how string, a, b Sized) (first, second string, err error) {
	if !pairs || how == "none" {
		if first, err = Sum(ctx, how, a); err == nil {
			second, err = Sum(ctx, how, b)
		}
		return first, second, err
	}
	state := [16]uint32(append(packed[:], packed[:]...))
	both := min(a.Size(), b.Size()) &^ (sha256.BlockSize - 1)
	room := make([]byte, 2*pairRead)
	for at := int64(0); at < both; at += pairRead {
		if err := ctx.Err(); err != nil {
			return "", "", err
		}
		n := min(pairRead, both-at)
		left, right := room[:n], room[pairRead:][:n]
		if err := errors.Join(fill(left, a, at), fill(right, b, at)); err != nil {
			return "", "", err
		}
		compress(&state, &left[0], &right[0], int(n/sha256.BlockSize), &roots)
	}
	if first, err = finish(ctx, [8]uint32(state[:8]), a, both); err == nil {
		second, err = finish(ctx, [8]uint32(state[8:]), b, both)
	}
	return first, second, err
}

// fill reads b from place at on.
func fill(b []byte, f io.ReaderAt, at int64) error {
	n, err := f.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return err
}

// finish goes on from a state, in which so many bytes of a file are.
func finish(ctx context.Context, state [8]uint32, f Sized, from int64) (string, error) {
	h := sha256.New()
	if err := resume(h, state, from); err != nil {
		return "", err
	}
	if _, err := io.CopyBuffer(h, stopping(ctx, io.NewSectionReader(f, from, f.Size()-from)),
		make([]byte, pairRead)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// resume gives a hash of the standard library a state between two blocks.
func resume(h hash.Hash, state [8]uint32, bytes int64) error {
	const magic = "sha\x03"
	b := []byte(magic)
	for _, at := range order {
		b = binary.BigEndian.AppendUint32(b, state[at])
	}
	b = append(b, make([]byte, sha256.BlockSize)...)
	u, ok := h.(encoding.BinaryUnmarshaler)
	if !ok {
		return errors.New("the standard library's SHA-256 has no state to resume")
	}
	return u.UnmarshalBinary(binary.BigEndian.AppendUint64(b, uint64(bytes)))
}

// order says where the words a to h of a state stand.
var order = [8]int{3, 2, 7, 6, 1, 0, 5, 4}

// packed is the state of no bytes [FIPS 180-4, 5.3.3], in that order.
var packed = [8]uint32{0x9b05688c, 0x510e527f, 0xbb67ae85, 0x6a09e667, 0x5be0cd19, 0x1f83d9ab, 0xa54ff53a, 0x3c6ef372}

// roots are the constants of the 64 rounds [FIPS 180-4, 4.2.2].
var roots = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
