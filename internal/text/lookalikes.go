package text

import (
	"sync"
	"unicode"
)

func isMark(r rune) bool { return unicode.Is(unicode.M, r) }

// drawnLike are letters of other scripts in the order of the Latin letters
// that they are drawn like, capital and small ones apart where they differ.
// Compatible forms (full-width, mathematical, circled) need no entry: they
// decompose.
var drawnLike = [...]struct {
	latin  rune
	others string
}{
	{'a', "аΑАᎪɑαａ⍺"}, {'b', "ВΒᏴвᖯЬьƄᏏ"}, {'c', "сСϲϹᏟⲤⲥᴄ"}, {'d', "ԁᎠԀɗᏧ"}, {'e', "еЕΕᎬеєҽ"}, {'f', "ϜꞘſẝꬵ"},
	{'g', "ɡᏀԌցɢԍ"}, {'h', "НΗᎻһհᏂнʜ"}, {'i', "іІΙΙӀιɩіɪıꙇ"}, {'j', "јЈᎫϳɟ"}, {'k', "КΚᏦкκⲔᴋ"}, {'l', "ӏⅼᏞʟ∣ǀו"},
	{'m', "МΜᎷⅿмᴍ"}, {'n', "ΝⲚոпɴ"}, {'o', "оОΟοօᴏσՕ০ଠ"}, {'p', "рРΡρᏢⲢ"}, {'q', "ԛԚգզ"}, {'r', "гᎡᏒꭇⲅʀᴦ"},
	{'s', "ѕЅՏᏚꜱ"}, {'t', "ТΤᎢтτᴛ"}, {'u', "υսᴜՍʋ"}, {'v', "ѵѴνᏙᴠ"}, {'w', "ԜԝᎳᏔɯѡωᴡ"}, {'x', "хХΧⲬχ"},
	{'y', "уУΥүҮγʏУ"}, {'z', "ΖᏃᴢⲌ"}, {'-', "‐‑‒–—−﹘"}, {'\'', "’‘ʼ′"},
}

var lookalikes = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{}
	for _, row := range drawnLike {
		for _, r := range row.others {
			if r >= 0x80 {
				m[r] = row.latin
			}
		}
	}
	return m
})
