package event

import "strings"

// Names, logins and commit ids from a payload end up in request paths and in
// git's arguments. What has not the form that GitHub gives is refused here,
// before anybody builds a path of it.

const maxName = 100

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

// repoName reads the name of a repository or its owner.
func (o object) repoName(key string) string {
	s := o.word(key)
	if len(s) > maxName || strings.Trim(s, wordBytes) != "" || s == "." || s == ".." {
		o.r.fail(o.at(key), "has not the form of a GitHub name")
		return ""
	}
	return s
}

// login reads the login of a user, bot or app.
func (o object) login(key string) string {
	s := o.word(key)
	if len(s) > maxName || !hasLoginForm(s) {
		o.r.fail(o.at(key), "has not the form of a GitHub login")
		return ""
	}
	return s
}

func hasLoginForm(s string) bool {
	name := strings.TrimSuffix(s, "[bot]")
	for i := range len(name) {
		if strings.IndexByte(wordBytes, name[i]) < 0 {
			return false
		}
	}
	return strings.Trim(name, ".") != ""
}

// commit reads a commit id: 40 or 64 hexadecimal digits in lower case.
func (o object) commit(key string) string {
	s := o.word(key)
	if (len(s) != 40 && len(s) != 64) || strings.Trim(s, "0123456789abcdef") != "" {
		o.r.fail(o.at(key), "is not a commit id of 40 or 64 hexadecimal digits")
		return ""
	}
	return s
}
