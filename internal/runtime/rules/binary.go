package rules

import (
	"slices"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/diff"
)

var newBinary = BuiltIn{
	ID: "builtin/new-binary", Title: "New binary file", Severity: contract.SeverityInfo,
	About:  "Programs, libraries, archives and other binaries that nobody can read in a review.",
	Leaves: "Pictures, fonts, sound, video, documents, data of tests.",
	advice: "Say where it comes from and how it was built, or fetch it at build time with a checksum.",
	Bad:    Example{Path: "tools/helper.exe"},
	Good:   Example{Path: "docs/logo.png"},
	find:   findBinaries,
}

// media are binaries whose contents a reviewer can look at.
var media = []string{
	".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".icns", ".bmp", ".tif", ".tiff", ".psd", ".svgz", ".heic",
	".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".m4a", ".ogg", ".wav", ".webm", ".mov", ".avi", ".flac",
	".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".mo",
}

func findBinaries(v *view, emit func(hit)) {
	for _, f := range v.files {
		if f.Status == diff.Added && f.Binary && !f.Submodule && !f.fixture && !f.test && !slices.Contains(media, f.ext) {
			emit(hit{file: f, body: "The change adds a file that cannot be read in a review."})
		}
	}
}
