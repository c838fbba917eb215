package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// This file is the one door through which bytes are sealed and unsealed: age
// over zstd, the same that "age -d | zstd -d" opens.

// errFull is what a capped writer says.
var errFull = errors.New("vault: more bytes than the limit")

// capped writes behind what data holds already, up to a length of most.
type capped struct {
	data []byte
	most int
	sum  *beside // of what is written, nil: none
}

func (c *capped) Write(p []byte) (int, error) {
	if len(p) > c.most-len(c.data) {
		return 0, errFull
	}
	start := len(c.data)
	c.data = append(c.data, p...)
	if c.sum != nil {
		c.sum.parts <- c.data[start:] // which nothing changes any more
	}
	return len(p), nil
}

// beside digests parts, while whoever sends them goes on.
type beside struct {
	parts chan []byte
	sum   chan [sha256.Size]byte
}

func newBeside() *beside {
	b := &beside{parts: make(chan []byte, 4), sum: make(chan [sha256.Size]byte, 1)}
	go func() {
		h := sha256.New()
		for part := range b.parts {
			h.Write(part)
		}
		b.sum <- [sha256.Size]byte(h.Sum(nil))
	}()
	return b
}

// digest is the SHA-256 of all parts, in hex. There are no more after it.
func (b *beside) digest() string {
	close(b.parts)
	sum := <-b.sum
	return hex.EncodeToString(sum[:])
}

// sealTo writes age over zstd over plain.
func sealTo(w io.Writer, plain []byte, to age.Recipient) error {
	sealed, err := age.Encrypt(w, to)
	if err != nil {
		return err
	}
	// A fixed number of two, whatever the machine has: the same input gives
	// the same frame. The fastest level costs 6% of size and saves a third of
	// the time of a save.
	packed, err := zstd.NewWriter(sealed, zstd.WithEncoderConcurrency(2), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	if _, err := packed.Write(plain); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return sealed.Close()
}

// ageReader remembers what age said, since zstd may hide it.
type ageReader struct {
	r   io.Reader
	err error
}

func (a *ageReader) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err != nil && err != io.EOF {
		a.err = err
	}
	return n, err
}

// unseal is the reverse of sealTo. It returns at most most bytes; expect is a
// length to make room for, and no more than a hint. What it returns is
// digested as it comes, if a sum is given. Errors are *Error of kind
// DecryptFailed, DecompressFailed or TooLarge.
func unseal(sealed []byte, ids []age.Identity, expect, most int, sum *beside) ([]byte, error) {
	opened, err := age.Decrypt(bytes.NewReader(sealed), ids...)
	if err != nil {
		return nil, fail(DecryptFailed, err, "age does not open what was sealed")
	}
	source := &ageReader{r: opened}
	unpacked, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(uint64(max(most, MaxWindow))))
	if err != nil {
		return nil, fail(DecompressFailed, err, "zstd does not start on what was sealed")
	}
	defer unpacked.Close()
	out := &capped{data: make([]byte, 0, min(expect, most)), most: most, sum: sum}
	_, err = io.Copy(out, unpacked)
	switch {
	case source.err != nil: // first: zstd takes a stream that breaks off between frames for its end
		return nil, fail(DecryptFailed, source.err, "what was sealed is cut short or damaged")
	case err == nil:
		return out.data, nil
	case errors.Is(err, errFull):
		return nil, fail(TooLarge, nil, "what was sealed expands beyond %d bytes", most)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, fail(TooLarge, err, "what was sealed asks for a zstd window above %d bytes", MaxWindow)
	}
	return nil, fail(DecompressFailed, err, "what was sealed is no whole zstd stream")
}
