package text

import "strings"

// stopWords are words that say nothing about a change: English function
// words, and keywords that any file of a language is full of. Keywords that say
// what a line is about (await, float, goto, unsafe) are none: people teach
// lessons about them.
var stopWords = set(`
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each else etc few for from further get gets got had has have having he her here
hers him his how however i if in into is it its itself just let like make makes many may me might more most much must my need
no nor not now of off on once one only or other our ours out over own per put same set sets she should so some such than that
the their theirs them then there these they this those through to too two under until up upon us use used uses using very via was
we were what when where which while who whom why will with within without would yet you your yours

abstract begin bool boolean break byte case catch char chan class const continue def default defer del delegate dyn elif
elsif end enum except explicit export extends extern false final finally fmt fn foreach func function go impl implements
import include inline instanceof int int16 int32 int64 int8 interface internal let long loop match mod module mut
namespace native new nil none nonlocal null nullptr object override package pass private proc protected protocol pub
public raise range ref return self sizeof static str string struct super switch throw throws trait true try type typedef
typename typeof uint uint32 uint64 undefined union unless unsigned use using val var virtual void when where while with
yield
`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
