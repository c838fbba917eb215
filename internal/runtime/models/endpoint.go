package models

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/familiarhq/familiar/internal/redact"
)

// chatPath is what every compatible endpoint answers under.
const chatPath = "/chat/completions"

// parseEndpoint returns the URL that is asked. It takes a base such as
// https://models.example.com/v1 or the whole URL. Plain HTTP goes to this
// machine alone, since the change and the key travel there.
func parseEndpoint(s string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case strings.TrimSpace(s) == "":
		return "", errors.New("the models reviewer has no endpoint; there is no default one: give model-endpoint, such as https://models.example.com/v1")
	case err != nil || u.Host == "" || u.Opaque != "":
		return "", errors.New("the model endpoint is no URL; give one such as https://models.example.com/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", errors.New("the model endpoint holds a user, query or fragment, where credentials travel; give the key as model-api-key and the URL without them")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return "", fmt.Errorf("the model endpoint uses %s; a host other than this machine is asked by https alone", u.Scheme)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(u.Path, chatPath) {
		u.Path += chatPath
	}
	u.RawPath = ""
	return u.String(), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkKey refuses a key that is none, and one that is a credential of this
// run: the workflow token goes to no model host (attack A80: what a pattern
// misses is compared exactly).
func checkKey(key string, secrets []string) error {
	switch {
	case strings.TrimSpace(key) == "":
		return errors.New("the models reviewer has no key: give model-api-key")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the key of the model endpoint holds a space or a control character; give it on one line, as the provider shows it")
	case redact.NewFinder(secrets...).HasLive(key), strings.HasPrefix(key, "ghs_"):
		return errors.New("the key of the model endpoint is the workflow's token or another credential of this run, and those go to no model host; give a key that the provider made for this")
	}
	return nil
}
