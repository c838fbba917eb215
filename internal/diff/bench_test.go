package diff

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/familiarhq/familiar/internal/arch/benchtest"
)

// BenchmarkParse reads changes of more and more files with thirty lines each.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 3000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			var patch bytes.Buffer
			for i := range n {
				name := fmt.Sprintf("services/s%d/handler%d.go", i%50, i)
				fmt.Fprintf(&patch, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,30 @@\n", name)
				for line := range 30 {
					fmt.Fprintf(&patch, "+\treturn handlers.Serve(request, %d, %d) // as the others do\n", i, line)
				}
			}
			b.SetBytes(int64(patch.Len()))
			b.ReportAllocs()
			var cpu benchtest.Processor
			for b.Loop() {
				cpu.Count(b, func() {
					files, omitted, err := Parse(bytes.NewReader(patch.Bytes()), Limits{})
					if err != nil || len(files) != n || len(omitted) > 0 {
						b.Fatal(len(files), omitted, err)
					}
				})
			}
			cpu.Report(b)
		})
	}
}
