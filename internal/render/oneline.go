package render

// TrustLine says the trust of a change with its reasons, on one line for a
// terminal; "" where it was not derived.
func TrustLine(m Status) string {
	d := terminalDialect(false)
	if m.Trust.Scope == "" {
		return ""
	}
	return joined(" ", d.code(string(m.Trust.Scope)), bracketed(reasons(d, m.Trust.Reasons)))
}

// MemoryLine says what of the memory may be read and written, and why not
// more, on one line for a terminal; "" where no policy was computed.
func MemoryLine(m Status) string {
	if m.Trust.Scope == "" && m.MemoryOff == "" {
		return ""
	}
	return m.memoryLine(terminalDialect(false))
}
