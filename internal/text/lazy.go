package text

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. A
// run needs few of the product's expressions, and to compile them all takes
// longer than everything else at its start (page 8.3). Its methods are those
// of regexp.Regexp; they may be called from any goroutine.
type Regexp struct {
	source   string
	once     sync.Once
	compiled *regexp.Regexp
}

// Lazy is the expression of a constant source, which internal/arch compiles in
// a test; the first use of a wrong one would panic.
func Lazy(source string) *Regexp { return &Regexp{source: source} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.source) })
	return r.compiled
}

// String is the source.
func (r *Regexp) String() string { return r.source }

// Match is regexp.Regexp's.
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

// MatchString is regexp.Regexp's.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// FindAllIndex is regexp.Regexp's.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.get().FindAllIndex(b, n) }

// FindString is regexp.Regexp's.
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringIndex is regexp.Regexp's.
func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }

// FindStringSubmatch is regexp.Regexp's.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex is regexp.Regexp's.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindAllString is regexp.Regexp's.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex is regexp.Regexp's.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is regexp.Regexp's.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is regexp.Regexp's.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is regexp.Regexp's.
func (r *Regexp) ReplaceAllString(s, with string) string { return r.get().ReplaceAllString(s, with) }

// ReplaceAllLiteralString is regexp.Regexp's.
func (r *Regexp) ReplaceAllLiteralString(s, with string) string {
	return r.get().ReplaceAllLiteralString(s, with)
}

// ReplaceAllStringFunc is regexp.Regexp's.
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, with)
}
