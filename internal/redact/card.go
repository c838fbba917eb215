package redact

import (
	"strings"

	"github.com/familiarhq/familiar/internal/text"
)

// cardRun matches the digits of a payment card, in the groups of its network
// or in one piece.
var cardRun = text.Lazy(`[0-9]{4}(?:[ -][0-9]{4}){3}(?:[ -][0-9]{3})?|[0-9]{4}[ -][0-9]{6}[ -][0-9]{4,5}|[0-9]{14,19}`)

// issuers are the ranges of first digits of the networks, with the lengths of
// their numbers.
var issuers = []struct {
	first   *text.Regexp
	lengths string // of the digits, as characters: 'e' is 14, 'f' 15, 'g' 16, 'j' 19
}{
	{text.Lazy(`^4`), "gj"},
	{text.Lazy(`^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)`), "g"},
	{text.Lazy(`^3[47]`), "f"},
	{text.Lazy(`^(?:6011|64[4-9]|65)`), "g"},
	{text.Lazy(`^35(?:2[89]|[3-8])`), "g"},
	{text.Lazy(`^(?:30[0-5]|36|38|39)`), "e"},
	{text.Lazy(`^62`), "gj"},
}

// testCards are numbers that the networks and payment services publish for
// tests, as far as they pass for real ones.
var testCards = set("4111111111111111 4242424242424242 4012888888881881 4000056655665556 4000002500003155 4000000000000002 4000000000009995 4000002760003184 " +
	"5555555555554444 5105105105105100 5200828282828210 2223003122003222 2223000048400011 378282246310005 371449635398431 378734493671000 6011111111111117 " +
	"6011000990139424 6011981111111113 3530111333300000 3566002020360505 30569309025904 38520000023237 3056930009020004 36227206271667 6200000000000005 6205500000000000004 4916338506082832 4532015112830366 4539578763621486")

// saysID matches what says, before digits in one piece, that they are a
// number of something else.
var saysID = text.Lazy(`(?i)(?:\b(?:id|ids|uid|nonce|seed|hash|order|ticket|build|run|job|trace|span|snowflake|timestamp|epoch|ts|nanos|micros|size|bytes|offset|version|serial|isbn|sku|ref|tweet|status|user|account|message|seq|sequence|counter|count|total|number of)|_id|Id|ID)["'\]]?\s{0,2}[:=#/]{0,2}\s{0,2}["'(]?$`)

// cards finds payment cards by issuer, length and check digit.
func cards(s string) []Hit {
	var hits []Hit
	eachRun(s, cardRun, 14, func(start, end int) {
		run := s[start:end]
		number := onlyDigits(run)
		whole := len(number) == len(run)
		switch {
		case glued(s, start, end), !issued(number), !luhn(number), testCards[number]:
		case strings.Count(number[4:], number[4:5]) == len(number)-4: // all the same
		case whole && saysID.MatchString(s[max(0, start-32):start]):
		default:
			hits = append(hits, Hit{Start: start, End: end, Kind: PII, Rule: "payment-card"})
		}
	})
	return hits
}

func issued(number string) bool {
	for _, i := range issuers {
		if i.first.MatchString(number) {
			return strings.IndexByte(i.lengths, byte('a'+len(number)-10)) >= 0
		}
	}
	return false
}

// luhn checks the last digit.
func luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
