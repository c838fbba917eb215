package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// ibanRun matches what may be an IBAN: a country, two check digits, and an
// account in one piece or in groups of four.
var ibanRun = text.Lazy(`[A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}|(?:[ -][A-Za-z0-9]{4}){2,7}(?:[ -][A-Za-z0-9]{1,4})?)`)

// ibanLengths are the lengths of the countries that have one.
var ibanLengths = func() map[string]int {
	m := map[string]int{}
	for row := range strings.FieldsSeq(`15:NO 16:BE 18:DK,FI,FK,FO,GL,NL 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK,MN 21:CH,CR,HR,LI,LV 22:BG,BH,DE,GB,GE,IE,ME,RS,VA
		23:AE,GI,IL,IQ,OM,SO,TL 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG 25:LY,PT,ST 26:IS,TR 27:BI,DJ,FR,GR,IT,MC,MR,SM 28:AL,AZ,BY,CY,DO,GT,HN,HU,LB,NI,PL,SD,SV 29:BR,EG,PS,QA,UA 30:JO,KW,MU,YE 31:MT,SC 32:LC 33:RU`) {
		n, countries, _ := strings.Cut(row, ":")
		for c := range strings.SplitSeq(countries, ",") {
			if len(c) == 2 {
				m[c] = int(n[0]-'0')*10 + int(n[1]-'0')
			}
		}
	}
	return m
}()

// sampleIBANs are those that the registry and textbooks show.
var sampleIBANs = set("DE89370400440532013000 GB82WEST12345698765432 GB29NWBK60161331926819 FR1420041010050500013M02606 CH9300762011623852957 AT611904300234573201 " +
	"NL91ABNA0417164300 BE68539007547034 ES9121000418450200051332 IT60X0542811101000000123456 DK5000400440116243 SE4550000000058398257466 NO9386011117947 " +
	"FI2112345600000785 PL61109010140000071219812874 IE29AIBK93115212345678 PT50000201231234567890154 LU280019400644750000 CZ6508000000192000145399 SA0380000000608010167519 DE75512108001245126199 FR7630006000011234567890189")

// ibans finds bank accounts by country, length and checksum.
func ibans(s string) []Hit {
	var hits []Hit
	eachRun(s, ibanRun, 7, func(start, end int) {
		if start > 0 && wordByte(s[start-1]) {
			return
		}
		for ; end > start; end = shorter(s[start:end]) + start {
			compact := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(s[start:end]))
			if len(compact) < 15 {
				return
			}
			whole := end == len(s) || !wordByte(s[end])
			if want, known := ibanLengths[compact[:2]]; known && whole && len(compact) == want && mod97(compact) {
				if !sampleIBANs[compact] {
					hits = append(hits, Hit{Start: start, End: end, Kind: PII, Rule: "iban"})
				}
				return
			}
		}
	})
	return hits
}

// shorter cuts the last group off, which may be the next word of the text.
func shorter(run string) int { return max(0, strings.LastIndexAny(run, " -")) }

// mod97 checks the digits behind the country.
func mod97(compact string) bool {
	rest := 0
	for _, c := range compact[4:] + compact[:4] {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
