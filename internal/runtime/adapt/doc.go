// Package adapt turns what other tools write into what a reviewer said: a
// headless result, SARIF 2.1.0, a plain list of findings, and the recorded
// output of coding agents; and it writes findings as SARIF. It decides what
// was meant as a finding and where; it never decides whether a finding stands,
// and nothing that it returns is believed before the evidence check.
package adapt
