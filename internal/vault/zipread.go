package vault

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

func tooLarge(zip []byte) error {
	return fail(TooLarge, nil, "the container is %d bytes, at most %d are read", len(zip), MaxZip)
}

func badZip(format string, args ...any) error { return fail(BadZip, nil, format, args...) }

// readZip returns the two members. The checks one by one say what is wrong;
// the comparison with what a writer would have written makes sure that
// nothing was overlooked.
func readZip(zip []byte) (sealed, manifest []byte, err error) {
	if len(zip) > MaxZip {
		return nil, nil, tooLarge(zip)
	}
	directory, count, err := readEnd(zip)
	if err != nil {
		return nil, nil, err
	}
	entries, err := readDirectory(directory, count)
	if err != nil {
		return nil, nil, err
	}
	body := zip[:len(zip)-endSize-len(directory)]
	members, err := readMembers(body, entries)
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(zip[len(body):], tail(members...)) {
		return nil, nil, badZip("the directory of the zip differs from the one that belongs to its members")
	}
	if n := len(members[1].data); n > MaxManifest {
		return nil, nil, fail(TooLarge, nil, "the manifest is %d bytes, at most %d are read", n, MaxManifest)
	}
	return members[0].data, members[1].data, nil
}

// readEnd returns the directory and the number of its entries.
func readEnd(zip []byte) ([]byte, int, error) {
	at := len(zip) - endSize
	if at < 0 || binary.LittleEndian.Uint32(zip[at:]) != endSignature {
		signature := binary.LittleEndian.AppendUint32(nil, endSignature)
		if bytes.LastIndex(zip, signature) >= 0 {
			return nil, 0, badZip("there is a comment or other data behind the end of the zip, or the end is cut")
		}
		return nil, 0, badZip("it is no zip, or the end is missing")
	}
	end := zip[at:]
	half := func(i int) int { return int(binary.LittleEndian.Uint16(end[i:])) }
	count, size, start := half(10), binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
	switch {
	case half(20) != 0:
		return nil, 0, badZip("the end of the zip announces a comment that is not there")
	case half(4) != 0 || half(6) != 0:
		return nil, 0, badZip("the zip is spread over several disks")
	case count == 0xffff || size == 0xffffffff || start == 0xffffffff:
		return nil, 0, badZip("the zip uses the zip64 extension")
	case half(8) != count:
		return nil, 0, badZip("the end of the zip counts its members in two ways")
	case uint64(start)+uint64(size) != uint64(at):
		return nil, 0, badZip("the directory does not lie right before the end of the zip")
	}
	return zip[start:at], count, nil
}

// entry is one line of the directory, of which nothing is believed yet.
type entry struct {
	name                    string
	flags, method           uint16
	stored, size, crc       uint32
	extra, comment, disk    int
	attributes, localOffset uint32
}

// readDirectory walks over the directory and stops at the first entry that
// does not belong there.
func readDirectory(directory []byte, count int) ([]entry, error) {
	var out []entry
	for n := 1; n <= count; n++ {
		e, rest, ok := nextEntry(directory)
		if !ok {
			return nil, badZip("the directory of the zip is cut at member %d", n)
		}
		directory = rest
		if kind, what := e.wrong(out); what != "" {
			return nil, fail(kind, nil, "member %d %s", n, what)
		}
		out = append(out, e)
	}
	if len(directory) != 0 {
		return nil, badZip("the directory of the zip has more entries than it counts")
	}
	for i, name := range []string{sealedName, manifestName} {
		if i >= len(out) || out[i].name != name {
			return nil, badZip("%s is missing or not member %d of the zip", name, i+1)
		}
	}
	return out, nil
}

func nextEntry(b []byte) (e entry, rest []byte, ok bool) {
	if len(b) < centralSize || binary.LittleEndian.Uint32(b) != centralSignature {
		return entry{}, nil, false
	}
	half := func(i int) int { return int(binary.LittleEndian.Uint16(b[i:])) }
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	end := centralSize + half(28) + half(30) + half(32)
	if len(b) < end {
		return entry{}, nil, false
	}
	return entry{
		name:  string(b[centralSize : centralSize+half(28)]),
		flags: uint16(half(8)), method: uint16(half(10)),
		crc: word(16), stored: word(20), size: word(24),
		extra: half(30), comment: half(32), disk: half(34),
		attributes: word(38), localOffset: word(42),
	}, b[end:], true
}

// wrong says why an entry cannot be one of the two members.
func (e entry) wrong(before []entry) (Kind, string) {
	if what := foreign(e.name); what != "" {
		return ForeignMember, what
	}
	for _, b := range before {
		if b.name == e.name {
			return ForeignMember, "repeats the name of an earlier one"
		}
	}
	mode := e.attributes >> 16 & 0o170000
	switch {
	case mode == 0o120000:
		return BadZip, "is a symbolic link"
	case mode == 0o040000 || e.attributes&0x10 != 0:
		return BadZip, "is a folder"
	case mode != 0o100000:
		return BadZip, "is not a regular file"
	case e.flags&1 != 0 || e.flags&0x40 != 0 || e.flags&0x2000 != 0:
		return BadZip, "is encrypted by zip"
	case e.flags&8 != 0:
		return BadZip, "leaves its size to a data descriptor"
	case e.flags != 0:
		return BadZip, "has flags that a container's members do not have"
	case e.method != 0:
		return BadZip, "is compressed by zip"
	case e.extra != 0:
		return BadZip, "has an extra field"
	case e.comment != 0:
		return BadZip, "has a comment"
	case e.disk != 0:
		return BadZip, "lies on another disk"
	case e.stored == 0xffffffff || e.size == 0xffffffff || e.localOffset == 0xffffffff:
		return BadZip, "uses the zip64 extension"
	case e.stored != e.size:
		return BadZip, "declares two sizes"
	}
	return "", ""
}

// foreign says what kind of name this is, "" for one of the two. The name
// itself is not repeated: it may be made to be read.
func foreign(name string) string {
	if name == sealedName || name == manifestName {
		return ""
	}
	folded := strings.ToLower(norm.NFKC.String(name))
	base := path.Base(folded)
	switch {
	case name == "":
		return "has no name"
	case strings.Contains(name, "\x00"):
		return "has a zero byte in its name"
	case strings.ContainsAny(name, `\:`):
		return "has a backslash or a colon in its name"
	case strings.HasPrefix(name, "/"):
		return "has an absolute path"
	case name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, "/../") || strings.HasSuffix(name, "/.."):
		return "leaves the folder it is unpacked in"
	case strings.HasSuffix(base, "-wal"), strings.HasSuffix(base, "-journal"), strings.HasSuffix(base, "-shm"):
		return "is a sidecar of a database"
	case base == sealedName || base == manifestName || strings.TrimRight(base, ". ") == sealedName || strings.TrimRight(base, ". ") == manifestName:
		return "has a name that some systems take for one of the two members"
	}
	return "is neither memory.sealed nor manifest.json"
}

// readMembers takes the members from the body, which they fill without a gap.
func readMembers(body []byte, entries []entry) ([]member, error) {
	var out []member
	at := 0
	for i, e := range entries {
		if int64(e.localOffset) != int64(at) {
			return nil, badZip("there is other data before member %d, or members overlap", i+1)
		}
		start := at + localSize + len(e.name)
		if start > len(body) || int64(e.size) > int64(len(body)-start) {
			return nil, badZip("member %d declares more bytes than there are", i+1)
		}
		m := member{name: e.name, offset: at, data: body[start : start+int(e.size)], crc: e.crc}
		if !bytes.Equal(body[at:start], m.local()) {
			return nil, badZip("the header of member %d differs from the directory or from what belongs there", i+1)
		}
		if crc32.ChecksumIEEE(m.data) != m.crc {
			return nil, badZip("member %d does not have its checksum", i+1)
		}
		out = append(out, m)
		at = m.end()
	}
	if at != len(body) {
		return nil, badZip("there is other data behind the members")
	}
	return out, nil
}
