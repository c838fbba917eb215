package vault

import "strings"

const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// bech32 encodes data under a lower-case prefix (BIP 173). age offers no way
// to make an identity from given randomness but through its text.
func bech32(prefix string, data []byte) string {
	groups := fiveBits(data)
	var out strings.Builder
	out.WriteString(prefix)
	out.WriteByte('1')
	for _, g := range append(groups, bech32Checksum(prefix, groups)...) {
		out.WriteByte(bech32Alphabet[g])
	}
	return out.String()
}

// fiveBits cuts bytes into groups of five bits, the last one filled with
// zeros.
func fiveBits(data []byte) []byte {
	var out []byte
	var held uint32
	bits := 0
	for _, b := range data {
		held = held<<8 | uint32(b)
		for bits += 8; bits >= 5; bits -= 5 {
			out = append(out, byte(held>>(bits-5))&31)
		}
	}
	if bits > 0 {
		out = append(out, byte(held<<(5-bits))&31)
	}
	return out
}

func bech32Checksum(prefix string, groups []byte) []byte {
	var values []byte
	for _, c := range []byte(prefix) {
		values = append(values, c>>5)
	}
	values = append(values, 0)
	for _, c := range []byte(prefix) {
		values = append(values, c&31)
	}
	values = append(append(values, groups...), make([]byte, 6)...)
	sum := polymod(values) ^ 1
	out := make([]byte, 6)
	for i := range out {
		out[i] = byte(sum>>(5*(5-i))) & 31
	}
	return out
}

// polymod is the remainder of the BCH code of BIP 173.
func polymod(values []byte) uint32 {
	generator := [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	sum := uint32(1)
	for _, v := range values {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range generator {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	return sum
}
