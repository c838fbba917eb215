package vault

import "strconv"

// ArtifactNames returns the two names under which a repository's containers
// are uploaded (page 5.1): the first, and the one for a run that used the
// first already. They hang on the numeric id alone, so that a renamed
// repository keeps its memory and a new one under an old name gets none.
func ArtifactNames(repositoryID int64) (first, again string) {
	first = "familiar-memory-" + strconv.FormatInt(repositoryID, 10)
	return first, first + "-again"
}
