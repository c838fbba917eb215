package vault

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// derive makes a 32-byte key for one purpose from an identity: HKDF-SHA-256
// over the identity's text, without salt, with the purpose as info.
func (id *identity) derive(info string) []byte {
	key, err := hkdf.Key(sha256.New, []byte(id.secret), nil, info, sha256.Size)
	if err != nil {
		// It fails for keys longer than 255 digests alone.
		panic(fmt.Sprintf("vault: hkdf: %v", err))
	}
	return key
}

// manifestMAC is the MAC of a manifest's canonical bytes (page 5.1). Its key
// is bound to repository and store, so that a container of one is worth
// nothing in another.
func (id *identity) manifestMAC(repositoryID int64, storeID string, canonical []byte) []byte {
	mac := hmac.New(sha256.New, id.derive(fmt.Sprintf("familiar manifest 2\x00%d\x00%s", repositoryID, storeID)))
	mac.Write(canonical)
	return mac.Sum(nil)
}

func (id *identity) partsMAC(context string, parts [][]byte) []byte {
	mac := hmac.New(sha256.New, id.derive("familiar mac 1\x00"+context))
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		mac.Write(length[:])
		mac.Write(p)
	}
	return mac.Sum(nil)
}

// MAC returns the HMAC-SHA-256, 64 hex digits, of the parts in order under the
// current identity. The context names the purpose ("status marker", "floor",
// ...): a MAC made for one is worth nothing for another, nor is one over the
// same bytes cut into other parts. What must not be carried to another
// repository, number or comment belongs into the parts. Without an identity
// it is "", which verifies nothing.
func (k Keys) MAC(context string, parts ...[]byte) string {
	if k.Len() == 0 {
		return ""
	}
	return hex.EncodeToString(k.ids()[0].partsMAC(context, parts))
}

// VerifyMAC tells whether any of the identities, also a retired one, made mac
// over the parts for this context. It compares in constant time.
func (k Keys) VerifyMAC(context, mac string, parts ...[]byte) bool {
	if !isHex(mac, 2*sha256.Size) {
		return false
	}
	given, err := hex.DecodeString(mac)
	if err != nil {
		return false
	}
	for _, id := range k.ids() {
		if hmac.Equal(given, id.partsMAC(context, parts)) {
			return true
		}
	}
	return false
}

// isHex tells whether s is n lower-case hex digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
