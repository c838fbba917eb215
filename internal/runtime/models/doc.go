// Package models decides what a language model is asked about a change and
// what is made of its answer: it asks any OpenAI-compatible chat endpoint once
// a review, within limits of tokens, bytes and time, and takes nothing for an
// answer but a stream that ended as it must (page 7.2). It never picks an
// endpoint, never follows a redirect, never sends a credential of this process
// but the endpoint's own key, and never believes a finding: that is for the
// evidence check.
package models
