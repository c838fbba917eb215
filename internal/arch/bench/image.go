package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// certificates go into the image; where they are missing, the image is
// measured without them.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// image builds the action's image from a binary and returns the size of its
// compressed layers in megabytes.
func (w *work) image(binary string) (float64, error) {
	if _, err := exec.LookPath("buildah"); err != nil {
		return 0, errors.New("buildah, which builds the image, is not on this machine")
	}
	context := filepath.Join(w.dir, "context")
	if err := os.MkdirAll(filepath.Join(context, "bin", "root", "tmp"), 0o755); err != nil {
		return 0, err
	}
	for to, from := range map[string]string{"Dockerfile": "Dockerfile", "bin/action": binary, "bin/ca-certificates.crt": certificates} {
		data, err := os.ReadFile(from)
		if err != nil && from != certificates {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(context, filepath.FromSlash(to)), data, 0o755); err != nil {
			return 0, err
		}
	}
	engine := []string{"--storage-driver", "vfs", "--root", filepath.Join(w.dir, "engine", "root"), "--runroot", filepath.Join(w.dir, "engine", "run")}
	layout := filepath.Join(w.dir, "layout")
	for _, args := range [][]string{
		{"bud", "--quiet", "--isolation", "chroot", "--target", "prebuilt", "-t", "bench", context},
		{"push", "--quiet", "bench", "oci:" + layout},
	} {
		cmd := exec.CommandContext(w.ctx, "buildah", append(engine, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("buildah %s: %w\n%s", args[0], err, out)
		}
	}
	var total int64
	err := filepath.WalkDir(filepath.Join(layout, "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return float64(total) / 1e6, err
}
