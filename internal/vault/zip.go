package vault

import (
	"encoding/binary"
	"hash/crc32"
)

// The two members, in the order in which they lie in the zip. Their names are
// compared exactly.
const (
	sealedName   = "memory.sealed"
	manifestName = "manifest.json"
)

// Sizes and signatures of the zip format (APPNOTE 4.3).
const (
	localSize   = 30
	centralSize = 46
	endSize     = 22

	localSignature   = 0x04034b50
	centralSignature = 0x02014b50
	endSignature     = 0x06054b50
)

// A container's zip has one layout: memory.sealed, then manifest.json, both
// stored, then the directory and the end, with nothing before, between or
// behind. Every header follows from the member, and a reader compares with
// what a writer would have written.

type member struct {
	name   string
	offset int // of its local header
	data   []byte
	crc    uint32
}

func (m member) end() int { return m.offset + localSize + len(m.name) + len(m.data) }

// fields are those that both headers have: version, flags, method, time,
// date, CRC, both sizes, length of the name and of the extra field.
func (m member) fields() []byte {
	out := binary.LittleEndian.AppendUint16(nil, 10)                 // version needed: stored files
	out = binary.LittleEndian.AppendUint16(out, 0)                   // no flags
	out = binary.LittleEndian.AppendUint16(out, 0)                   // stored
	out = binary.LittleEndian.AppendUint16(out, 0)                   // midnight
	out = binary.LittleEndian.AppendUint16(out, 1<<5|1)              // 1 January 1980: no clock
	out = binary.LittleEndian.AppendUint32(out, m.crc)               //
	out = binary.LittleEndian.AppendUint32(out, uint32(len(m.data))) // stored size
	out = binary.LittleEndian.AppendUint32(out, uint32(len(m.data))) // size
	out = binary.LittleEndian.AppendUint16(out, uint16(len(m.name))) //
	return binary.LittleEndian.AppendUint16(out, 0)                  // no extra field
}

func (m member) local() []byte {
	out := binary.LittleEndian.AppendUint32(nil, localSignature)
	out = append(out, m.fields()...)
	return append(out, m.name...)
}

func (m member) central() []byte {
	out := binary.LittleEndian.AppendUint32(nil, centralSignature)
	out = binary.LittleEndian.AppendUint16(out, 3<<8|10) // made on Unix
	out = append(out, m.fields()...)
	out = binary.LittleEndian.AppendUint16(out, 0)            // no comment
	out = binary.LittleEndian.AppendUint16(out, 0)            // first disk
	out = binary.LittleEndian.AppendUint16(out, 0)            // binary
	out = binary.LittleEndian.AppendUint32(out, 0o100600<<16) // a regular file of its owner
	out = binary.LittleEndian.AppendUint32(out, uint32(m.offset))
	return append(out, m.name...)
}

// tail is the directory of the members and the end of the zip.
func tail(members ...member) []byte {
	var out []byte
	for _, m := range members {
		out = append(out, m.central()...)
	}
	size, start := len(out), members[len(members)-1].end()
	out = binary.LittleEndian.AppendUint32(out, endSignature)
	out = binary.LittleEndian.AppendUint32(out, 0) // one disk
	out = binary.LittleEndian.AppendUint16(out, uint16(len(members)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(members)))
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	out = binary.LittleEndian.AppendUint32(out, uint32(start))
	return binary.LittleEndian.AppendUint16(out, 0) // no comment
}

func newMember(name string, offset int, data []byte) member {
	return member{name: name, offset: offset, data: data, crc: crc32.ChecksumIEEE(data)}
}
