package app

import (
	"os"

	"github.com/familiarhq/familiar/internal/vault"
)

// A store goes from its file into a container and out of one again without
// being in memory as a whole: at the largest it has 128 MiB.

// openInto opens a container into a new private file at path. Where that fails
// no file stays, since what was written is nobody's word. What the file could
// not take is the error of package os.
func openInto(path string, zip []byte, keys vault.Keys, want vault.Expect) (vault.Opened, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return vault.Opened{}, err
	}
	opened, err := vault.OpenTo(f, zip, keys, want)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		removed(path)
		return vault.Opened{}, err
	}
	return opened, nil
}

// sealFrom seals the store in the file at path.
func sealFrom(path string, keys vault.Keys, m vault.Manifest) ([]byte, vault.Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, vault.Manifest{}, err
	}
	return vault.Seal(vault.SealInput{Keys: keys, Reader: f, Size: info.Size(), Manifest: m})
}
