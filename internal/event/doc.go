// Package event decides what a GitHub event is about: a name and the bytes of
// its payload become one Trigger of a closed set of kinds (pages 2, 3.1 and
// 6.4). It reads what the payload says and refuses what GitHub never sends;
// it never decides whether somebody named in it may do anything, never asks
// GitHub, and believes no author_association.
package event
