package store

import (
	"fmt"
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

// constraint is one CHECK of a column.
type constraint struct {
	column int
	holds  func(field) bool // of a value that is not NULL
	text   string
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
		holds, err := parseConstraint(name, check)
		if err != nil {
			return nil, err
		}
		out = append(out, constraint{column: i, holds: holds, text: check})
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
func parseConstraint(name, check string) (func(field) bool, error) {
	rest, ofLength := strings.CutPrefix(check, "length("+name+") ")
	measure := func(f field) int64 { return f.i }
	if ofLength {
		measure = fieldLength
	} else if rest, ofLength = strings.CutPrefix(check, name+" "); !ofLength {
		return nil, fmt.Errorf("the constraint %q is not of the column %s", check, name)
	}
	if m := boundForm.FindStringSubmatch(rest); m != nil {
		n, err := strconv.ParseInt(m[2], 10, 64)
		return map[string]func(field) bool{
			"=":  func(f field) bool { return measure(f) == n },
			">":  func(f field) bool { return measure(f) > n },
			">=": func(f field) bool { return measure(f) >= n },
			"<=": func(f field) bool { return measure(f) <= n },
		}[m[1]], err
	}
	if m := rangeForm.FindStringSubmatch(rest); m != nil {
		low, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return nil, err
		}
		high, err := strconv.ParseInt(m[2], 10, 64)
		return func(f field) bool { n := measure(f); return low <= n && n <= high }, err
	}
	m := setForm.FindStringSubmatch(rest)
	if m == nil {
		return nil, fmt.Errorf("the constraint %q is of no known form", check)
	}
	words := strings.Split(m[1], ", ")
	if strings.HasPrefix(words[0], "'") {
		for i, w := range words {
			words[i] = strings.Trim(w, "'")
		}
		return func(f field) bool { return f.kind == isText && slices.Contains(words, f.s) }, nil
	}
	var numbers []int64
	for _, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the constraint %q is of no known form", check)
		}
		numbers = append(numbers, n)
	}
	return func(f field) bool { return slices.Contains(numbers, measure(f)) }, nil
}

// fieldLength is what SQLite's length() gives: characters of text, bytes of a
// blob.
func fieldLength(f field) int64 {
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
