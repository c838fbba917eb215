package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/familiarhq/familiar/internal/app"
)

// writeSARIF writes the findings of a local review for other tools; "" writes
// nothing.
func (e Env) writeSARIF(r app.LocalReport, path string) error {
	if path == "" {
		return nil
	}
	data, err := r.SARIF(Version)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Dir, path)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("the SARIF file cannot be written: %w; name one in a folder that exists", err)
	}
	return nil
}
