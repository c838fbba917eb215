package store

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/text"
)

// The caps of the schema are CHECK constraints. SQLite holds every row that is
// written against them. For a file from outside its quick_check would do so
// too, at six times the cost of all its other checks together, so the same
// constraints are read from the schema here and held against the rows as they
// lie in the file.

// constraint is one CHECK of a column: a range of its value or of its length,
// or a set.
type constraint struct {
	column    int
	ofLength  bool
	low, high int64
	words     []string
	numbers   []int64
	text      string
}

// holds says whether a value that is not NULL keeps the constraint. A text has
// at most as many characters as bytes, and at least a quarter of that; most need
// not be counted.
func (k *constraint) holds(f *field) bool {
	bytes := int64(len(f.s))
	switch {
	case k.words != nil:
		return f.kind == isText && slices.Contains(k.words, f.s)
	case !k.ofLength:
		return k.has(f.i)
	case k.numbers == nil && f.kind == isText && k.low <= bytes/utf8.UTFMax && bytes <= k.high:
		return true
	}
	return k.has(fieldLength(f))
}

func (k *constraint) has(n int64) bool {
	if k.numbers != nil {
		return slices.Contains(k.numbers, n)
	}
	return k.low <= n && n <= k.high
}

var constraints struct {
	sync.Mutex
	byTable map[string][]constraint
}

// constraintsOf returns the constraints of a table. One that it cannot read
// is an error, so that none is passed over.
func constraintsOf(table string) ([]constraint, error) {
	names := columnsOf(table)
	constraints.Lock()
	defer constraints.Unlock()
	if found, known := constraints.byTable[table]; known {
		return found, nil
	}
	var out []constraint
	for _, line := range definitionOf(table) {
		name, _, _ := strings.Cut(line, " ")
		i := slices.Index(names, name)
		_, check, found := strings.Cut(line, " CHECK (")
		if !found || i < 0 {
			continue
		}
		check = strings.TrimSuffix(strings.TrimSuffix(check, ","), ")")
		k, err := parseConstraint(name, check)
		if err != nil {
			return nil, err
		}
		k.column, k.text = i, check
		out = append(out, k)
	}
	if constraints.byTable == nil {
		constraints.byTable = map[string][]constraint{}
	}
	constraints.byTable[table] = out
	return out, nil
}

var (
	boundForm = text.Lazy(`^(=|>|>=|<=) ([0-9]+)$`)
	rangeForm = text.Lazy(`^BETWEEN ([0-9]+) AND ([0-9]+)$`)
	setForm   = text.Lazy(`^IN \((.+)\)$`)
)

// parseConstraint reads a bound, a range or a set of a column or of its
// length.
func parseConstraint(name, check string) (constraint, error) {
	k := constraint{low: math.MinInt64, high: math.MaxInt64}
	rest, found := strings.CutPrefix(check, "length("+name+") ")
	if k.ofLength = found; !found {
		if rest, found = strings.CutPrefix(check, name+" "); !found {
			return k, fmt.Errorf("the constraint %q is not of the column %s", check, name)
		}
	}
	var err error
	if m := boundForm.FindStringSubmatch(rest); m != nil {
		n, err := strconv.ParseInt(m[2], 10, 64)
		switch m[1] {
		case "=":
			k.low, k.high = n, n
		case ">":
			k.low = n + 1
		case ">=":
			k.low = n
		case "<=":
			k.high = n
		}
		return k, err
	}
	if m := rangeForm.FindStringSubmatch(rest); m != nil {
		if k.low, err = strconv.ParseInt(m[1], 10, 64); err == nil {
			k.high, err = strconv.ParseInt(m[2], 10, 64)
		}
		return k, err
	}
	m := setForm.FindStringSubmatch(rest)
	if m == nil {
		return k, fmt.Errorf("the constraint %q is of no known form", check)
	}
	for w := range strings.SplitSeq(m[1], ", ") {
		if strings.HasPrefix(w, "'") {
			k.words = append(k.words, strings.Trim(w, "'"))
			continue
		}
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return k, fmt.Errorf("the constraint %q is of no known form", check)
		}
		k.numbers = append(k.numbers, n)
	}
	return k, nil
}

// fieldLength is what SQLite's length() gives: characters of text, bytes of a
// blob.
func fieldLength(f *field) int64 {
	if f.kind == isText {
		return int64(utf8.RuneCountInString(f.s))
	}
	return int64(len(f.s))
}

// definitionOf returns the lines between the parentheses of a table's CREATE
// TABLE, and the columns that later migrations added.
func definitionOf(table string) []string {
	var out []string
	for _, statements := range migrations {
		for _, statement := range statements {
			if body, ours := strings.CutPrefix(statement, "CREATE TABLE "+table+" (\n"); ours {
				for line := range strings.Lines(body) {
					out = append(out, strings.TrimSpace(line))
				}
			}
			if added, ours := strings.CutPrefix(statement, "ALTER TABLE "+table+" ADD COLUMN "); ours {
				out = append(out, added)
			}
		}
	}
	return out
}

// addedTo counts the columns that later migrations added to a table: a row
// from before them ends without them.
func addedTo(table string) int {
	n := 0
	for _, statements := range migrations {
		for _, statement := range statements {
			if strings.HasPrefix(statement, "ALTER TABLE "+table+" ADD COLUMN ") {
				n++
			}
		}
	}
	return n
}
