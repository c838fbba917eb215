package store

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
)

// digest is a digest in hex as the program has it, and half as long in the
// file, where it is a blob. "" is the empty blob: none.
type digest string

// Value is the blob that is stored.
func (d digest) Value() (driver.Value, error) {
	b, err := hex.DecodeString(string(d))
	if err != nil {
		return nil, fmt.Errorf("%.20q is no digest", string(d))
	}
	return b, nil
}

// Scan reads the blob that was stored.
func (d *digest) Scan(stored any) error {
	b, ok := stored.([]byte)
	if !ok {
		return fmt.Errorf("a digest is stored as %T", stored)
	}
	*d = digest(hex.EncodeToString(b))
	return nil
}
