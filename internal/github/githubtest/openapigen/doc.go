// Command openapigen decides which part of GitHub's OpenAPI description the stand-in carries: it keeps the operations named in its list with their parameters, bodies and successful JSON answers, drops prose and examples, and writes one compact file; it never fetches anything and never changes what an operation accepts.
package main
