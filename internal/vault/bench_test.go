package vault

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
)

// pages is n bytes that compress as a store's file does: pages of 4 KiB with
// a header, rows of words, ids and digests, and free space.
func pages(n int, seed string) []byte {
	words := []string{"the", "never", "log", "token", "request", "handler", "retry", "timeout", "parser", "cache", "lesson",
		"index", "close", "before", "return", "error", "wrap", "context", "database", "migration", "review", "test", "lock", "queue"}
	random := &seeded{name: seed}
	draw := make([]byte, 24)
	out := make([]byte, 0, n+8192)
	out = append(out, "SQLite format 3\x00"...)
	for row := 0; len(out) < n; row++ {
		if len(out)%4096 > 3600 {
			out = append(out, make([]byte, 4096-len(out)%4096)...)
			out = append(out, 0x0d, 0, 0, 0)
		}
		_, _ = random.Read(draw)
		out = fmt.Appendf(out, "m-%x@1|repo/octo-org/octo/lessons/%s-%s|%x|", draw[:5], words[draw[0]%24], words[draw[1]%24], draw[5:17])
		for _, d := range draw[17:] {
			out = append(append(out, words[d%24]...), ' ')
			out = append(append(out, words[(d>>3)%24]...), ' ')
		}
		out = binary.BigEndian.AppendUint32(out, uint32(row))
	}
	return out[:n]
}

func benchSizes(b *testing.B, run func(b *testing.B, keys Keys, database []byte)) {
	keys := keysOf(b, "ada")
	for _, mb := range benchtest.Sizes(6, 60) {
		database := pages(mb<<20, "bench")
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			b.SetBytes(int64(len(database)))
			b.ReportAllocs()
			run(b, keys, database)
		})
	}
}

func BenchmarkSeal(b *testing.B) {
	benchSizes(b, func(b *testing.B, keys Keys, database []byte) {
		var size int
		for b.Loop() {
			zip, _, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: facts()})
			if err != nil {
				b.Fatal(err)
			}
			size = len(zip)
		}
		b.ReportMetric(float64(len(database))/float64(size), "ratio")
	})
}

func BenchmarkOpen(b *testing.B) {
	benchSizes(b, func(b *testing.B, keys Keys, database []byte) {
		zip, _, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: facts()})
		if err != nil {
			b.Fatal(err)
		}
		want := expectedWith(func(e *Expect) { e.Digest = blob(zip).Digest })
		for b.Loop() {
			if _, err := Open(zip, keys, want); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkReadManifest(b *testing.B) {
	zip, _ := seal(b, keysOf(b, "ada"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadManifest(zip); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMAC(b *testing.B) {
	keys := keysOf(b, "ada")
	body := make([]byte, 4096)
	for b.Loop() {
		if !keys.VerifyMAC("status marker", keys.MAC("status marker", body), body) {
			b.Fatal("it does not verify")
		}
	}
}
