package intent

// nearest returns the one of words that word was most likely meant to be, or
// "" where none is close: one slip for up to four letters, two for more.
func nearest(word string, words []string) string {
	best, bestDistance := "", 3
	if len([]rune(word)) <= 4 {
		bestDistance = 2
	}
	for _, w := range words {
		if d := distance(word, w); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// distance counts the insertions, deletions, changes and swaps of neighbours
// between two short words. Words longer than 20 letters are far from all.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 20 || len(y) > 20 {
		return 20
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
